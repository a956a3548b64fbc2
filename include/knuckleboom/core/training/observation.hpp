// Observation of one tick, from which an operator is judged. A session fills it from its snapshot,
// a log of a real machine from its columns.
#pragma once

#include <cstdint>
#include <type_traits>

#include "knuckleboom/core/command/lever_pattern.hpp"
#include "knuckleboom/core/sim/operator_control.hpp"
#include "knuckleboom/core/training/score.hpp"

namespace knuckleboom::training {

struct Observation {
  std::int64_t ticks;  // since the first lever movement, this one included
  double waited_s;     // that count as well: before that movement, beyond 10 s from the start
  double dt;           // of a tick [s]
  double tip_W[3];     // end of the stick [m]
  double step_m;       // its travel in this tick; for a log, of the smoothed tip
  double hang_W[3];    // direction of the hanging head, downwards at rest; zeros: none
  double axis[command::kLeverAxes];        // lever positions, -1 to 1
  double shaped[sim::kMaxLeverFunctions];  // demand of each function, -1 to 1
  // Position of each function's actuator, in seconds at its full speed; of the jaws, as they close.
  double travel_s[sim::kMaxLeverFunctions];
  // Totals since any earlier time: the scorer takes differences.
  double collisions;    // contacts begun with forbidden objects
  double impulse_Ns;    // of these contacts
  double relief_ticks;  // ticks with a relief valve open
  double pump_work_J;
  double speed;             // of the carrier's wheels, forwards positive [m/s]; 0 without any
  std::int64_t at_stop;     // bit k: actuator k, not the grapple's, touches its end stop
  double legs;              // that have ended, if somebody else counts them; 0: nobody does
  std::int32_t held;        // log in the grapple, -1: none
  std::int32_t unmeasured;  // 1: the tip's position, now or just before, is interpolated
};
static_assert(std::is_trivially_copyable_v<Observation>);

}  // namespace knuckleboom::training
