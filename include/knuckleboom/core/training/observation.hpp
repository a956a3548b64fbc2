// The little of one tick that an operator is judged by. A session fills it in from its snapshot, a log of
// a real machine from its columns.
#pragma once

#include <cstdint>
#include <type_traits>

#include "knuckleboom/core/command/lever_pattern.hpp"
#include "knuckleboom/core/sim/operator_control.hpp"

namespace knuckleboom::training {

struct Observation {
  std::int64_t ticks;  // since the first lever movement, this one included
  double dt;           // of a tick [s]
  double tip_W[3];     // end of the stick [m]
  double step_m;       // its way in this tick; of a log, of the smoothed tip
  double hang_W[3];    // direction of the hanging head, downwards at rest; zeros: there is none
  double axis[command::kLeverAxes];        // lever positions, -1 to 1
  double shaped[sim::kMaxLeverFunctions];  // demand of each function, -1 to 1
  // Totals since any time before: the scorer takes differences.
  double collisions;    // contacts begun with what is not to be touched
  double impulse_Ns;    // of these contacts
  double stop_hits;     // runs into end stops
  double relief_ticks;  // ticks with a relief valve open
  double pump_work_J;
  std::int32_t held;        // log in the grapple, -1: none
  std::int32_t unmeasured;  // 1: where the tip was, now or just before, is guessed
};
static_assert(std::is_trivially_copyable_v<Observation>);

// Parts of an observation, as bits of a set: what a log has, what a figure needs.
enum Observed : std::uint32_t {
  kObservedTip = 1u << 0,
  kObservedHead = 1u << 1,
  kObservedLevers = 1u << 2,
  kObservedDemand = 1u << 3,
  kObservedContacts = 1u << 4,
  kObservedStops = 1u << 5,
  kObservedRelief = 1u << 6,
  kObservedPump = 1u << 7,
  kObservedGrip = 1u << 8,
  kObservedTask = 1u << 9,  // what is to be done; a log does not say
  kObservedImpulse = 1u << 10,
  kObservedDense = 1u << 11,  // the tip often enough for its jerk
  kObservedWay = 1u << 12,    // the tip with less noise than would lengthen its way
  kObservedCalm = 1u << 13,   // the tip with less noise than would look like movement
};

}  // namespace knuckleboom::training
