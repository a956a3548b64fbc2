// A watch on what no real machine does: pressures, speeds, positions and energies beyond reason,
// whatever protects the machine. docs/theory/watch.md
#pragma once

#include <cstdint>

#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::machine {

struct MachineModel;
struct MachineState;

// Where the impossible begins. The keys of [watch] say why there.
struct WatchLimits {
  double vapour_Pa = -1e5;        // against the atmosphere
  double hose_Pa = 56e6;          // a port's or line's
  double piston_m_per_s = 3.0;    // of a cylinder
  double driven_rad_per_s = 6.0;  // of a joint with an actuator
  double driven_m_per_s = 6.0;    // of a sliding one
  double free_rad_per_s = 100.0;  // of one without
  double free_m_per_s = 100.0;    //
  double beyond_rad = 0.02;       // outside the joint's limits; a stop yields by some of it
  double beyond_m = 0.01;         //
  double energy_share = 0.01;     // of the energy turned over
};

enum class Oddity : std::int32_t {
  kVapour,  // pressure below it
  kHose,    // pressure beyond what hoses bear
  kRelief,  // pressure well above a relief valve's setting
  kPiston,  // speed of a cylinder
  kSpeed,   // of a joint
  kBeyond,  // a joint outside its limits
  kEnergy,  // from nothing
};
inline constexpr int kOddities = 7;

struct Finding {
  double first_s;      // simulated time at which it was seen first
  double lasted_s;     // in all; 0: never
  double worst;        // Pa, m/s, rad/s, rad or m beyond, J
  double worst_s;      // when
  std::int64_t where;  // of the worst: actuator (pressures, piston) or joint (speed, beyond)
};
constexpr auto state_fields(const Finding* /*type*/) {
  using namespace knuckleboom::state;
  using S = Finding;
  return state::fields_of<S>(KB_FIELD(first_s, kPositive), KB_FIELD(lasted_s, kPositive),
                             KB_FIELD(worst), KB_FIELD(worst_s, kPositive),
                             KB_FIELD(where, below(64)));
}

// Seen in a run so far. Nothing in the machine depends on it.
struct Watch {
  Finding finding[kOddities];
  const Finding& operator[](Oddity what) const { return finding[static_cast<int>(what)]; }
};
constexpr auto state_fields(const Watch* /*type*/) {
  using S = Watch;
  return state::fields_of<S>(KB_FIELD(finding, state::Along::kAll));
}

// Beyond which a joint is too fast [rad/s, m/s].
double speed_limit(const WatchLimits& limits, bool revolute, bool driven);

// At the end of a tick, at time t [s]. h: time since it was called last [s]. Pressures may rise and fall within a
// tick, joints may not: these need not be looked at in every tick.
void watch_pressures(const MachineModel& model, double t, double h, MachineState& state);
void watch_joints(const MachineModel& model, double t, double h, MachineState& state);

// residual, turned_over [J]: energy that came from nothing, and what to measure it by. h: time since the last.
void watch_energy(const WatchLimits& limits, double residual, double turned_over, double t,
                  double h, MachineState& state);

}  // namespace knuckleboom::machine
