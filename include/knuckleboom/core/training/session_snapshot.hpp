// Data of a training session for readers (view, instruments, sound, task, scorer, recorder): plain
// numbers, safe to copy between threads.
#pragma once

#include <cstdint>
#include <type_traits>

#include "knuckleboom/core/sim/operator_control.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"
#include "knuckleboom/core/training/elements.hpp"
#include "knuckleboom/core/training/exercise.hpp"
#include "knuckleboom/core/training/score.hpp"
#include "knuckleboom/core/worksite/felling_site.hpp"
#include "knuckleboom/core/world/world.hpp"

namespace knuckleboom::training {

struct PoseSnapshot {
  double p[3];  // m
  double q[4];  // w x y z
};

// A tree that moves or lies.
struct TreeSnapshot {
  double butt_W[3], n_W[3];  // m; towards the tip
  double stump;              // height of the cut [m]
  double cut;                // depth [m]
  double from, bare_to;  // heights on the tree: of its butt, and up to which its branches are off
  double tip_m_s;        // speed of its tip
  std::int32_t stem;     // of the world
  std::int32_t gripped, attached, hits;
};
// A log that a head has cut off.
struct CutSnapshot {
  world::LogSize size;
  double from, wanted_m, measured_m, measured_top_m;  // m; as in a CutLog
  std::int32_t stem, product;
};
inline constexpr int kMaxTrees = worksite::kMaxFelled + worksite::kMaxMovingTrees;

// Somebody who comes by.
struct VisitorSnapshot {
  double p_W[3];    // on the ground [m]
  double ahead[2];  // direction on the map
  double away_m;    // from the machine's place, on the map
  VisitorKind kind;
  std::int32_t inside;  // 1: the machine's danger zone
};
enum class DangerKind : std::int32_t {
  kNone,
  kZone,   // the machine worked on with somebody inside its danger zone
  kChain,  // its saw ran with somebody there in the plane of its chain
};

struct TaskSnapshot {
  TaskPhase phase;
  std::int32_t step, steps;  // targets or logs done, and their number
  std::int32_t target;       // index of the current target or log task, -1: none
  // Target of the tip, the grip or the held log [m]; on a path: a point slightly ahead on it.
  double target_W[3];
  double distance;     // from there; on a path: from the path [m]
  double angle;        // head, logs: from the wanted direction, 0 to pi/2 [rad]
  double dwell;        // share of the dwell time done, 0 to 1
  double time_left_s;  // -1: no limit
  // Why it was ended: somebody who was in danger, by his number from 1 on, how, and his distance.
  double danger_m;
  std::int32_t danger;  // 0: nobody was
  DangerKind danger_kind;
};

// The logs in the machine's load space: with both ends between the stakes, or beyond by 0.3 m at most, and not
// in the jaws.
struct LoadSnapshot {
  double centre_W[3];  // of the room between the stakes [m]
  double along_W[3];   // direction of the logs; zeros: the machine has no load space
  double up_W[3];
  double half_m[3];  // half its length, width and height; zeros: none
  double mass_kg;
  std::int64_t count;
  world::LogSet logs;
};
// Across the load, to the left as its logs point.
inline Vec3 left_of(const LoadSnapshot& load) { return vec(load.up_W).cross(vec(load.along_W)); }

struct SessionSnapshot {
  double tip_v_W[3];  // m/s
  // Centre of a log in the grapple's grip and the direction of its axis; without a grapple the tip and
  // zeros.
  double grip_W[3], grip_axis_W[3];
  double hang_W
      [3];  // from the pin of the grapple through its grip, downwards at rest; without one zeros
  double reach_W[3];  // from the pin to a log or stem in the grip; without a grapple zeros
  double foot_W[3];   // on wheels: of the crane, the place of the machine on the map [m]
  // Both ends of each wheel's width at its axle, on the map [m]; up to the number of wheels.
  double wheel_W[kMaxWheels][2][2];
  command::OperatorInput input;  // of the last tick
  std::int32_t control_mode;     // command::ControlMode
  std::int32_t fidelity;         // machine::Fidelity
  std::int32_t switches;         // bits by command::Switch
  std::int32_t lever_mode;       // of the lever pattern
  double shaped[sim::kMaxLeverFunctions];
  // Position of each function's actuator, in seconds at its full speed; larger: out, up, closed.
  double travel_s[sim::kMaxLeverFunctions];
  std::int32_t on_wheels;  // bits of the functions that move wheels: they steer
  std::int32_t visitor_count;
  double grapple_opening;  // 0 closed .. 1 open
  std::int32_t held_log;   // -1: none
  std::int32_t log_count;
  std::int64_t tree_count;
  std::int32_t first_cut, cut_count;      // logs that have been cut off, by their first number
  double saw;                             // 0 at home .. 1 at the wood
  double feed_m_s;                        // of the stem in the head, by the rollers
  double stem_length_m, stem_diameter_m;  // of the stem in the head, as it measures them
  double wanted_m;                        // length to which it is to be fed; 0: none
  double fed_m, fed_back_m;               // of that stem so far
  std::int32_t product, no_room;  // of that length, -1: none; 1: there is no place for another log
  worksite::HurtStems hurt;       // struck or gripped since the start
  world::LogSet carried;          // by the jaws, the held one among them
  double carried_kg;
  std::int64_t collisions[world::kObstacles];
  double impulse[world::kObstacles];
  std::int64_t at_stop;  // bit k: actuator k, not the grapple's, touches its end stop
  LoadSnapshot load;
  double contact_force;      // largest on the machine in this tick [N]
  double last_impact_speed;  // of the newest collision [m/s]
  std::int64_t last_collision_tick;
  double pump_power_W;  // mean over the tick
  double pump_work_J;   // since the start
  TaskSnapshot task;
  Score score;
  // Work elements: seconds of each so far by track, and how often it was, and seconds of each phase of a load, filled
  // after the end of the attempt and by Session::snapshot(); the present ones; and what was known at the last sample.
  double element_s[kTracks][kElements], load_phase_s[kLoadPhases];
  std::int64_t element_pieces[kTracks][kElements];
  Element element[kTracks];
  LoadPhase load_phase;
  std::int32_t element_load, element_signals;  // as in an ElementState
  double gap_m, held_tilt_rad;
  sim::Snapshot sim;
  // Up to their counts; places beyond are neither written nor copied.
  PoseSnapshot body[kMaxLinks];  // of the body that each link moves, in the world
  PoseSnapshot log[world::kMaxLogs];
  world::LogStatus log_status[world::kMaxLogs];
  TreeSnapshot tree[kMaxTrees];
  CutSnapshot cut[worksite::kMaxCutLogs];
  VisitorSnapshot visitor[kMaxVisitors];
};
static_assert(std::is_trivially_copyable_v<SessionSnapshot>);

// A stem that moves or lies; null: it stands as it has grown.
const TreeSnapshot* tree_of(int stem, const SessionSnapshot& snapshot);
// The one in a harvester's head; null: there is none.
const TreeSnapshot* tree_in_head(const SessionSnapshot& snapshot);

// A log's size, as it was cut off if it was; zeros: it is not there yet.
world::LogSize log_size(int log, const world::WorldRecipe& world, const SessionSnapshot& snapshot);

// Into one that is zero, or another one of the same session.
void copy_used(const SessionSnapshot& from, SessionSnapshot& to);
// The same without the poses of bodies and logs, which no channel reads.
void copy_for_channels(const SessionSnapshot& from, SessionSnapshot& to);

}  // namespace knuckleboom::training
