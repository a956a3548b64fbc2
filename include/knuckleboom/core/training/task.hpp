// Progress of an operator in an exercise. Pure: a task reads snapshots only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "knuckleboom/core/state/fields.hpp"
#include "knuckleboom/core/training/danger.hpp"
#include "knuckleboom/core/training/elements.hpp"
#include "knuckleboom/core/training/exercise.hpp"
#include "knuckleboom/core/training/legs.hpp"
#include "knuckleboom/core/training/observation.hpp"
#include "knuckleboom/core/training/ruts.hpp"
#include "knuckleboom/core/training/session_snapshot.hpp"
#include "knuckleboom/core/world/way.hpp"

namespace knuckleboom::training {

struct TaskState {
  TaskPhase phase;
  std::int32_t step;        // targets reached, logs placed
  std::int64_t start_tick;  // the tick before the first lever movement
  std::int64_t end_tick;    // tick at which it was passed or failed
  double dwell_s;
  double progress;                // path, way: length reached along it; buck: fed [m]
  double worst_m;                 // path: largest error in the piece under way; buck: fed back [m]
  double error_sum, error_count;  // their ratio is Score::error_m
  double last_log_W[3];           // logs: centre of the current one, one tick before [m]
  std::int32_t carried;  // logs: the current one was gripped since it became the current one
  std::int32_t on_path;  // path: its start was reached
  double along_m;        // way: where the machine is
  double outside;        // way: largest share of the wheels beside it in the piece under way
  double inside_sum, inside_count;  // their ratio is Score::on_way
  // Logs that go to places:
  double lowest_z;       // of the current log's lowest point, one tick before [m]
  double load_p[2][3];   // the held log's centre one and two samples before [m]
  double uncounted_s;    // on ways that do not count
  double stood_s;        // all logs in their places, untouched
  double beside_s;       // the current one has lain still elsewhere
  std::int32_t samples;  // of the held log, up to 2
  std::int32_t arrived;  // 1: the grip has come near the current one
  std::int32_t faulty;   // 1: it was let go elsewhere since its turn came
  std::int32_t faults;   // steps done that were not right the first time
  // Logs that are cut: of the trees done, and of the present one.
  double fed_m, fed_back_m;           // ways of the feed before this tree
  double value, best_value;           // by the prices
  std::int64_t logs_right, logs_cut;  // of a product
  // The machine's danger zone:
  std::int64_t inside_ticks;  // for which somebody has been inside
  double danger_m;            // distance of whoever was endangered
  std::int32_t danger;        // his number, from 1 on; 0: nobody was
  DangerKind danger_kind;
  RutState ruts;
};
constexpr auto state_fields(const TaskState* /*type*/) {
  using namespace knuckleboom::state;
  using S = TaskState;
  return state::fields_of<S>(
      KB_FIELD(phase, below(4)), KB_FIELD(step, kCounter32), KB_FIELD(start_tick, kCounter),
      KB_FIELD(end_tick, kCounter), KB_FIELD(dwell_s), KB_FIELD(progress), KB_FIELD(worst_m),
      KB_FIELD(error_sum), KB_FIELD(error_count), KB_FIELD(last_log_W, kPosition),
      KB_FIELD(carried, kFlag), KB_FIELD(on_path, kFlag), KB_FIELD(along_m), KB_FIELD(outside),
      KB_FIELD(inside_sum), KB_FIELD(inside_count), KB_FIELD(lowest_z, kPosition),
      KB_FIELD(load_p, kPosition), KB_FIELD(uncounted_s), KB_FIELD(stood_s), KB_FIELD(beside_s),
      KB_FIELD(samples, below(3)), KB_FIELD(arrived, kFlag), KB_FIELD(faulty, kFlag),
      KB_FIELD(faults, kCounter32), KB_FIELD(fed_m), KB_FIELD(fed_back_m), KB_FIELD(value),
      KB_FIELD(best_value), KB_FIELD(logs_right, kCounter), KB_FIELD(logs_cut, kCounter),
      KB_FIELD(inside_ticks, kCounter), KB_FIELD(danger_m, kPositive),
      KB_FIELD(danger, below(kMaxVisitors + 1)), KB_FIELD(danger_kind, below(3)), KB_FIELD(ruts));
}

// The tip's motion at its own rate, independent of the tick rate.
struct MotionState {
  std::int64_t samples;            // taken so far
  double filter[6];                // memory of the low-pass, by component
  double p_W[3];                   // filtered tip at the last sample [m]
  double speed[2];                 // filtered, of the last sample and the one before [m/s]
  double fast_s;                   // when it last moved fast horizontally
  double swing_peak;               // of the head, in the leg under way [rad]
  double swing_sum, swing_weight;  // over the completed legs
};
constexpr auto state_fields(const MotionState* /*type*/) {
  using namespace knuckleboom::state;
  using S = MotionState;
  return state::fields_of<S>(KB_FIELD(samples, kCounter), KB_FIELD(filter), KB_FIELD(p_W),
                             KB_FIELD(speed), KB_FIELD(fast_s), KB_FIELD(swing_peak),
                             KB_FIELD(swing_sum), KB_FIELD(swing_weight));
}
// Phase of the crane in a log cycle.
enum class CyclePhase : std::int32_t { kReach, kGrip, kMove, kRelease };
struct CycleState {
  double begin_s, grip_s, move_s, release_s;  // when the phases of this cycle began
  double reach_sum, grip_sum, move_sum, release_sum;
  CyclePhase phase;
  std::int32_t held;  // in the last tick
};
constexpr auto state_fields(const CycleState* /*type*/) {
  using namespace knuckleboom::state;
  using S = CycleState;
  return state::fields_of<S>(KB_FIELD(begin_s), KB_FIELD(grip_s), KB_FIELD(move_s),
                             KB_FIELD(release_s), KB_FIELD(reach_sum), KB_FIELD(grip_sum),
                             KB_FIELD(move_sum), KB_FIELD(release_sum), KB_FIELD(phase, below(4)),
                             KB_FIELD(held, none_or_below(world::kMaxLogs)));
}
// The straight line to the present target, and the travel along it.
struct ApproachState {
  double from_W[3], along_W[3];
  double goal_m, furthest_m;      // along the line
  double sum, count;              // of the completed approaches
  std::int32_t active, reserved;  // active: -1: so short that it does not count
};
constexpr auto state_fields(const ApproachState* /*type*/) {
  using namespace knuckleboom::state;
  using S = ApproachState;
  return state::fields_of<S>(KB_FIELD(from_W), KB_FIELD(along_W), KB_FIELD(goal_m),
                             KB_FIELD(furthest_m), KB_FIELD(sum), KB_FIELD(count),
                             KB_FIELD(active, kSignedShare), KB_FIELD(reserved, kZero));
}
struct ScoreState {
  Score score;
  double last_tip_W[3];
  double leg_from_W[3];                   // tip where the leg to the next target began
  double leg_end_W[3];                    // tip where a log was last held
  double leg_end_path_m;                  // tip path up to there
  double last_axis[command::kLeverAxes];  // turning points of the levers
  std::int32_t direction[command::kLeverAxes];
  std::int32_t out[command::kLeverAxes];  // 1: the lever has left neutral
  std::int32_t primed, reserved;
  double start_pump_J, start_collisions, start_impulse, start_relief_ticks;
  double drive_s;        // time of driving
  std::int64_t at_stop;  // in the last tick, as in an Observation
  MotionState motion;
  CycleState cycle;
  ApproachState approach;
  LegState legs;
  ElementState elements;
};
constexpr auto state_fields(const ScoreState* /*type*/) {
  using namespace knuckleboom::state;
  using S = ScoreState;
  return state::fields_of<S>(
      KB_FIELD(score), KB_FIELD(last_tip_W), KB_FIELD(leg_from_W), KB_FIELD(leg_end_W),
      KB_FIELD(leg_end_path_m), KB_FIELD(last_axis, kDirection), KB_FIELD(direction, kSignedShare),
      KB_FIELD(out, kFlag), KB_FIELD(primed, kFlag), KB_FIELD(reserved, kZero),
      KB_FIELD(start_pump_J), KB_FIELD(start_collisions), KB_FIELD(start_impulse),
      KB_FIELD(start_relief_ticks), KB_FIELD(drive_s), KB_FIELD(at_stop, kCounter),
      KB_FIELD(motion), KB_FIELD(cycle), KB_FIELD(approach), KB_FIELD(legs), KB_FIELD(elements));
}

inline constexpr double kReadyTime = 10.0;     // s, for looking round before the clock runs
inline constexpr double kLengthWithin = 0.03;  // m; a log that is no more off has its length

// One tree of the exercise's stand.
struct StandTree {
  int stem = 0;
  double section = 0.0;  // at breast height [m^2]
  bool marked = false;   // to be felled
};

class Task {
 public:
  // The exercise must outlive it. Throws std::invalid_argument with a message for an impossible
  // exercise. zone, tyres: of the machine.
  explicit Task(const Exercise& exercise, const DangerZone& zone = {},
                std::vector<Tyre> tyres = {});

  TaskState initial_state() const;
  ScoreState initial_score() const;

  // One tick: fills snapshot.task and snapshot.score from the rest of the snapshot. Nothing changes
  // after the end of the task. No heap, no exception.
  void observe(double dt, SessionSnapshot& snapshot, TaskState& task, ScoreState& score) const;
  // Why a stored state cannot be one of this task: "step is ..."; empty: it can.
  std::string check_state(const TaskState& task) const;
  // Fills the snapshot without advancing.
  void show(double dt, const TaskState& task, const ScoreState& score,
            SessionSnapshot& snapshot) const;

  // Where the log of a log task is to lie.
  struct Spot {
    Vec3 centre_W;  // of a bunk: in the middle of the stakes
    Vec3 along_W;   // direction of the log
  };
  Spot goal(const LogTask& wanted, const SessionSnapshot& snapshot) const;

 private:
  void advance(double dt, const SessionSnapshot& snapshot, TaskState& task,
               ScoreState& score) const;
  void advance_targets(double dt, const SessionSnapshot& snapshot, TaskState& task,
                       ScoreState& score) const;
  void advance_path(const SessionSnapshot& snapshot, TaskState& task, ScoreState& score) const;
  void advance_logs(double dt, const SessionSnapshot& snapshot, TaskState& task,
                    ScoreState& score) const;
  void follow_way(const SessionSnapshot& snapshot, TaskState& task, ScoreState& score) const;
  void look_at_stand(const SessionSnapshot& snapshot, Score& score) const;
  void advance_drive(double dt, const SessionSnapshot& snapshot, TaskState& task,
                     ScoreState& score) const;
  void advance_felling(double dt, const SessionSnapshot& snapshot, TaskState& task,
                       ScoreState& score) const;
  // Those who come by, and whether one of them is in danger.
  void look_at_visitors(double dt, const TaskState& task, SessionSnapshot& snapshot) const;
  void watch_visitors(double dt, const SessionSnapshot& snapshot, TaskState& task) const;
  void place_log(TaskState& task, const SessionSnapshot& snapshot, ScoreState& score) const;
  void end_if_over(const Observation& at, std::int64_t tick, TaskState& task,
                   ScoreState& score) const;
  void report_targets(const SessionSnapshot& snapshot, const TaskState& state,
                      TaskSnapshot& out) const;
  void advance_bucking(double dt, const SessionSnapshot& snapshot, TaskState& task,
                       ScoreState& score) const;
  bool judge_logs(const TreeSnapshot& tree, const SessionSnapshot& snapshot, TaskState& task,
                  ScoreState& score) const;
  bool judge_piles(int stem, const SessionSnapshot& snapshot, Score& score) const;
  bool lies_on_way(const world::LogSize& log, const PoseSnapshot& pose) const;
  double value_of(const CutSnapshot& cut, const timber::Tree& tree) const;
  void report_felling(const SessionSnapshot& snapshot, const TaskState& state,
                      TaskSnapshot& out) const;
  void report_drive(const TaskState& state, TaskSnapshot& out) const;
  void report_logs(const SessionSnapshot& snapshot, const TaskState& state,
                   TaskSnapshot& out) const;
  TaskSnapshot report(double dt, const SessionSnapshot& snapshot, const TaskState& task) const;
  int steps() const;
  static double right_share(const TaskState& task, int of);
  bool lies_there(const LogTask& wanted, const SessionSnapshot& snapshot) const;
  bool lies_in_bunk(const LogTask& wanted, const SessionSnapshot& snapshot) const;
  void follow_load(double dt, const SessionSnapshot& snapshot, TaskState& task, Score& score) const;
  ElementSample element_sample(std::int64_t tick, bool crane_moves, const ElementState& work,
                               const SessionSnapshot& snapshot) const;
  void look_at_trees(const SessionSnapshot& snapshot, ElementSample& at) const;
  bool in_bunk(const Vec3& p_W, double above) const;
  void begin_step(int step, TaskState& task) const;
  void check_standing(double dt, const SessionSnapshot& snapshot, TaskState& task) const;
  Vec3 path_point(double s) const;

  const Exercise& exercise_;
  DangerZone zone_;
  world::Ground ground_;
  std::vector<Spot> bunks_, places_;  // places: at a log's radius, if they have no height
  std::vector<timber::Tree> trees_;   // that are bucked, by their tasks
  std::vector<double> arc_;           // path: length up to each target [m]
  world::Way way_;
  Ruts ruts_;
  std::vector<StandTree> stand_;
  std::vector<Vec3> stops_W_;
};

// Whether a score is within the limits; the first broken limit, -1: none.
int broken_limit(const Exercise& exercise, const Score& score);
// The gates of an exercise with points: all limits but those on points and on the time that counts.
bool gates_hold(const Exercise& exercise, const Score& score);
// Whether the operator is asked what is wrong: it draws faults.
bool asks_diagnosis(const Exercise& exercise);
// At the start. Figures that the exercise does not measure are NaN.
Score blank_score(const Exercise& exercise);

// Whether a contact with it is a mistake. Ground, bunks and logs may be touched where logs are
// carried.
bool counts_as_collision(TaskKind kind, world::Obstacle obstacle);

}  // namespace knuckleboom::training
