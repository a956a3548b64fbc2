// The forest around the machine: uneven ground, standing stems, bunks and logs that can be moved.
//
// The World is constant; everything that moves is in WorldState, a plain value. Contact shapes are
// capsules, except for the ground, a height field. World frame: z up, SI units.
// docs/theory/contact.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "knuckleboom/core/math/vector.hpp"
#include "knuckleboom/core/state/fields.hpp"
#include "knuckleboom/core/world/ground.hpp"
#include "knuckleboom/core/world/way.hpp"

namespace knuckleboom::world {

inline constexpr int kMaxLogs = 200;
inline constexpr int kMaxMoving = 60;  // logs that may start free, or lie on each other
inline constexpr int kMaxMachineShapes = 64;
inline constexpr int kMaxContacts = 3072;
inline constexpr int kMaxPartForces = 1024;
inline constexpr int kMaxTouches = 32;

struct Capsule {
  Vec3 a = Vec3::Zero(), b = Vec3::Zero();  // ends of the axis
  double radius = 0.0;
};

struct Stem {
  std::string name;
  double x = 0.0, y = 0.0;  // stands on the ground there [m]
  double height = 12.0;     // m
  double radius = 0.15;     // m
};

// Two beams on the ground with stakes at their ends; logs lie across the beams.
struct Bunk {
  std::string name;
  double x = 0.0, y = 0.0;  // centre [m]
  double heading = 0.0;     // direction of the logs, about z from x [rad]
  double length = 2.0;      // between the beams [m]
  double width = 1.4;       // between the stakes [m]
  double height = 1.2;      // of the stakes above the beams [m]
  int colour = 0;
};

// The bunk for contact and drawing: two beams, then four stakes. The beams are level on the highest
// ground under them.
inline constexpr int kBunkBeams = 2;
inline constexpr int kBunkParts = 6;
inline constexpr double kBeamRadius = 0.08;   // m
inline constexpr double kStakeRadius = 0.05;  // m
std::array<Capsule, kBunkParts> bunk_parts(const Bunk& bunk, const Ground& ground);

struct Log {
  std::string name;
  double length = 4.0;      // m
  double radius = 0.12;     // m
  double density = 850.0;   // kg/m^3
  int colour = 0;           // 0 bark, 1 red, 2 blue
  double x = 0.0, y = 0.0;  // centre at the start, on the ground [m]
  double heading = 0.0;     // rad
  double lift = 0.0;        // above the ground at the start [m]
  bool spare = false;       // not there at the start: a place for a log that is cut off
};
double mass(const Log& log);  // kg, of a cylinder
// All that its motion depends on.
struct LogSize {
  double length, radius, density;
};
double mass(const LogSize& size);
inline LogSize size_of(const Log& log) { return {log.length, log.radius, log.density}; }
// One that can be a body here: else it is too small, or too long.
bool can_be_log(const LogSize& size, double contact_stiffness);
// Inertia of a cylinder about its centre, in its own frame: about its axis, across it [kg m^2].
struct LogInertia {
  double axial, transverse;
};
LogInertia inertia(const LogSize& size);
inline LogInertia inertia(const Log& log) { return inertia(size_of(log)); }

struct ContactLaw {
  double stiffness = 8e5;           // N/m, between hard bodies
  double damping_ratio = 0.45;      // of what meets it at one point
  double friction = 0.6;            // Coulomb
  double rolling_resistance = 0.1;  // torque / (normal force x radius)
  double soil_stiffness = 8e5;      // under a metre of a log [N/m^2]
  double wood_friction = -1.0;      // log on log; negative: as friction
  double soil_friction = -1.0;      // log on ground; negative: as friction
};

struct WorldRecipe {
  GroundRecipe ground;
  std::vector<Stem> stems;
  std::vector<Bunk> bunks;
  std::vector<Log> logs;
  ContactLaw contact;
  WayRecipe way;
};

enum class LogStatus : std::int32_t { kFree, kResting, kHeld, kAbsent };

struct LogState {
  double p[3];      // centre [m]
  double q[4];      // orientation, w x y z; the log's axis is its own x
  double v[3];      // of the centre [m/s]
  double omega[3];  // rad/s
  LogStatus status;
  std::int32_t calm_ticks;
};
constexpr auto state_fields(const LogState* /*type*/) {
  using namespace knuckleboom::state;
  using S = LogState;
  return state::fields_of<S>(KB_FIELD(p, kPosition), KB_FIELD(q, kDirection), KB_FIELD(v, kSpeed),
                             KB_FIELD(omega, kSpeed), KB_FIELD(status, below(4)),
                             KB_FIELD(calm_ticks, kCounter32));
}

// The log's capsule, world frame: its overall length is the log's, so its rounded ends lie within
// the log.
Capsule log_shape(const LogSize& size, const LogState& state);
inline Capsule log_shape(const Log& log, const LogState& state) {
  return log_shape(size_of(log), state);
}

// One contact: bristle of its friction and its history. Identified by the two parts and the place
// on them.
struct ContactState {
  std::int32_t key_a, key_b;  // 0, 0: slot free
  std::int32_t machine;       // 1: a machine part (or the held log) takes part
  std::int32_t ticks;         // since it began
  double bristle[3];          // tangential deflection [m]
  double roll[3];             // rolling and spinning deflection [rad]
  double normal[3];           // from b to a; remembers the side on which a is
  double impulse;             // of the normal force since it began [N s]
};
// Slots of the contacts, from the first to the last that is taken. Follows from them.
struct ContactExtent {
  std::int64_t end;
};
constexpr auto state_fields(const ContactExtent* /*type*/) {
  using namespace knuckleboom::state;
  using S = ContactExtent;
  return state::fields_of<S>(KB_FIELD(end, below(kMaxContacts + 1)));
}
constexpr auto state_fields(const ContactState* /*type*/) {
  using namespace knuckleboom::state;
  using S = ContactState;
  return state::fields_of<S>(KB_FIELD(key_a, kKey), KB_FIELD(key_b, kKey), KB_FIELD(machine, kFlag),
                             KB_FIELD(ticks, kCounter32), KB_FIELD(bristle, kPosition),
                             KB_FIELD(roll, kPosition), KB_FIELD(normal, kDirection),
                             KB_FIELD(impulse));
}

// Log and part of the machine (MachinePart::id) that touch there; -1: none.
int log_of_contact(const ContactState& contact);
int part_of_contact(const ContactState& contact);
// The other log of a contact between two; -1: none.
int other_log_of_contact(const ContactState& contact);

// A collision in progress, or one that ended so recently that touching again belongs to it.
struct TouchState {
  std::int32_t role;    // PartRole + 1; head and jaws are one, and so are trees; 0: slot free
  std::int32_t object;  // object touched: ground, a stem, a whole bunk, a log, the carrier
  double apart_s;       // since they last touched
};
constexpr auto state_fields(const TouchState* /*type*/) {
  using namespace knuckleboom::state;
  using S = TouchState;
  return state::fields_of<S>(KB_FIELD(role, below(12)), KB_FIELD(object, kKey), KB_FIELD(apart_s));
}

// Object of a collision of the machine (or the log it holds).
enum class Obstacle : std::int32_t { kGround, kStem, kLog, kBunk, kCarrier };
inline constexpr int kObstacles = 5;
inline constexpr const char* kObstacleNames[kObstacles] = {"ground", "stem", "log", "bunk",
                                                           "carrier"};

// All that grows with the forest comes last: a copy needs the beginning and the contacts up to their end.
struct WorldState {
  TouchState touch[kMaxTouches];
  std::int64_t collisions[kObstacles];  // contacts of the machine begun, by obstacle
  double impulse[kObstacles];           // N s, normal
  double machine_force;                 // largest normal force on the machine in this tick [N]
  double last_impact_speed;             // approach speed of the newest collision [m/s]
  std::int64_t last_collision_tick;     // in ticks of this world; -1: none yet
  std::int64_t ticks;
  std::int64_t contacts_dropped;  // contacts without a slot: they bear, but remember nothing
  ContactExtent contacts;
  LogState log[kMaxLogs];
  ContactState contact[kMaxContacts];
};
constexpr auto state_fields(const WorldState* /*type*/) {
  using namespace knuckleboom::state;
  using S = WorldState;
  return state::fields_of<S>(KB_FIELD(touch), KB_FIELD(collisions, kCounter), KB_FIELD(impulse),
                             KB_FIELD(machine_force, kForce), KB_FIELD(last_impact_speed, kSpeed),
                             KB_FIELD(last_collision_tick, kNoneOrCounted, Along::kAll, -1),
                             KB_FIELD(ticks, kCounter), KB_FIELD(contacts_dropped, kCounter),
                             aside(KB_FIELD(contacts)), KB_FIELD(log, Along::kLogs),
                             KB_FIELD(contact));
}

// For a state that has no extent, such as one stored by an older program.
void find_extent(WorldState& state);
// Into one that is zero, or another one of the same world.
void copy_used(const WorldState& from, WorldState& to);

// A set of logs.
class LogSet {
 public:
  void add(int log) { bits_[log / 64] |= std::uint64_t{1} << (log % 64); }
  bool has(int log) const { return (bits_[log / 64] >> (log % 64) & 1U) != 0; }
  bool empty() const;
  int count() const;

 private:
  std::uint64_t bits_[(kMaxLogs + 63) / 64] = {};
};

// Stems that are not as the recipe has them.
struct StemChanges {
  static constexpr int kMost = 64;
  struct Cut {
    std::int32_t stem;
    double height;  // left of it above the ground [m]
  };
  Cut cut[kMost];
  int count = 0;
  std::int32_t between = -1;  // between the knives of a head, which do not touch it; -1: none
  // The stem whose parts are those of a tree: they do not touch it; -1: none. Likewise of a second tree, with its parts.
  std::int32_t moving = -1, falling = -1;
  // Parts of a tree between the knives, and of one that these have let go and that is not clear of the head.
  struct Ids {
    std::int32_t first = 0, count = 0;
    bool has(std::int32_t id) const { return id >= first && id < first + count; }
  };
  Ids between_parts, leaving_parts, falling_parts;
  // Logs that have been cut off, in the places of the world's first spare logs.
  static constexpr int kMostCutOff = 64;
  LogSize cut_off[kMostCutOff];
  int cut_off_count = 0;
};

// A part of the machine in this tick.
enum class PartRole : std::int32_t {
  kCarrier,
  kBoom,
  kStick,
  kHead,
  kJaw,
  kHeldLog,
  kStake,
  kBed,
  // Wood that is no part of the machine: of a tree that falls, of one in the head, of one that lies. The first
  // two feel the ground by themselves.
  kTree,
  kTreeInHead,
  kLyingTree
};
constexpr bool is_load_space(PartRole role) {
  return role == PartRole::kStake || role == PartRole::kBed;
}
// The carrier and its load space.
constexpr bool is_of_carrier(PartRole role) {
  return role == PartRole::kCarrier || is_load_space(role);
}
struct MachinePart {
  Capsule shape;           // world frame
  Vec3 p_W, v_W, omega_W;  // motion of the body it is fixed to: a point, its velocity, rotation
  PartRole role = PartRole::kHead;
  std::int32_t id = 0;  // the same part has the same id in every tick
  bool rides =
      false;  // of a carrier on wheels and its load space: it meets stems, and bears logs as it moves
};

// How easily the machine gives way, as its bodies move now.
class Mobility {
 public:
  virtual ~Mobility() = default;
  // Speed of a part along n that an impulse of 1 N s along n gives it at p [1/kg]; 0: it cannot move.
  virtual double along(int part, const Vec3& p_W, const Vec3& n_W) const = 0;
};

struct PartForce {
  int part;  // index into the parts given
  Vec3 p_W;  // where it acts
  Vec3 f_W;  // N, on the machine
};
struct PartForces {
  int count = 0;
  int stems_struck[2] = {};  // by a tree that falls, and by a second one; begun in this tick
  // All stems that were struck, by these or by the machine; more than there is room for in one tick are not told.
  static constexpr int kMostStruck = 16;
  int struck_count = 0;
  std::int32_t struck[kMostStruck] = {};
  PartForce force[kMaxPartForces];
};

class World {
 public:
  // Throws std::invalid_argument with a message for an impossible forest.
  explicit World(WorldRecipe recipe);

  WorldState initial_state() const;

  // One tick: forces between parts, logs and ground; moves the free logs by dt. A long tick is
  // divided into smaller steps, during which the parts keep their velocities. forces: on the
  // machine, to be held over its own tick: the mean over the smaller steps, so that f dt is the
  // impulse on a log. No heap, no exception. Parts beyond kMaxMachineShapes are left out. dt: 0.25
  // to 4 ms. mobility: asked where parts touch; null: every part is a mass of its own of 40 kg.
  // carried: logs that are in the jaws but move by themselves: what they hit counts as a collision.
  // changes: null: all stems stand.
  void step(std::span<const MachinePart> parts, double dt, WorldState& state, PartForces& forces,
            const Mobility* mobility = nullptr, const LogSet& carried = {},
            const StemChanges* changes = nullptr) const;

  // One sentence if a part is deep inside the ground, a stem, a bunk or a log, or one that minds the
  // carrier inside it; empty: where they overlap, contact parts them gently.
  std::string start_objection(std::span<const MachinePart> parts, const WorldState& state) const;

  // The machine takes a log out of the simulated world, and returns it with its motion. A held log
  // is not simulated: the caller moves it (p, q, v, omega) and gives it as a kHeldLog part.
  void hold(int log, WorldState& state) const;
  void release(int log, const Vec3& v_W, const Vec3& omega_W, WorldState& state) const;

  const WorldRecipe& recipe() const { return recipe_; }
  const Ground& ground() const { return ground_; }
  int log_count() const { return static_cast<int>(recipe_.logs.size()); }
  int first_spare() const { return first_spare_; }  // log_count(): there is none
  // Slots for contacts: they grow with the logs.
  int contact_room() const { return std::clamp(16 * log_count(), 192, kMaxContacts); }

  // Stems and bunks, their kinds, and the data of a log needed by the step.
  struct Fixed {
    Capsule shape;
    Vec3 low, high;  // bounding box
    Obstacle kind;
    std::int32_t object;  // TouchState::object
    double bending =
        0.0;  // of a stem, 3 E I [N m^2]: it gives like a beam clamped at its foot; 0: rigid
    double foot_z = 0.0;  // ground at a stem [m]
  };
  struct LogConstants {
    double mass, half_axis, radius, length;
    LogInertia inertia;
  };
  static LogConstants constants_of(const LogSize& size);
  const std::vector<Fixed>& fixed() const { return fixed_; }
  // Squares of the map, with the numbers of the fixed shapes whose boxes reach into each, rising. Of a square
  // [ix][iy]: index[first[n]] to index[first[n + 1]], with n = iy * nx + ix. Beyond the map is nothing.
  struct FixedMap {
    double x0 = 0.0, y0 = 0.0, edge = 1.0;  // m
    int nx = 0, ny = 0;
    std::vector<std::int32_t> first;
    std::vector<std::int16_t> index;
  };
  const FixedMap& fixed_map() const { return fixed_map_; }
  const std::vector<LogConstants>& log_constants() const { return log_constants_; }
  double ground_top() const { return ground_top_; }
  double ground_level() const { return ground_level_; }

 private:
  void map_fixed();
  void check_moving(const WorldState& start) const;

  WorldRecipe recipe_;
  Ground ground_;
  std::vector<Fixed> fixed_;
  FixedMap fixed_map_;
  std::vector<LogConstants> log_constants_;
  int first_spare_ = 0;
  double ground_top_ = 0.0;    // highest ground [m]
  double ground_level_ = 0.0;  // distance from the origin within which it is level [m]
};

// First invalid value of a stored state of this world: "log[2].q is ..."; empty if it is valid.
std::string check_state(const World& world, const WorldState& state);

}  // namespace knuckleboom::world
