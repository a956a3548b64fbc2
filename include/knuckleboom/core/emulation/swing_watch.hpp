// Finds an oscillation that lasts or grows, by the turning points of a signal alone: neither its
// frequency nor its mean need be known. One that dies away, as after an impact, is none.
#pragma once

#include <cstdint>

#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::emulation {

struct SwingLimits {
  double least = 0.0;      // of a swing from one turning point to the next, in the signal's unit
  double slowest_s = 0.5;  // half a period
};

inline constexpr int kSwings = 16;  // that are remembered

struct SwingState {
  double size[kSwings];      // of the last swings
  std::int64_t at[kSwings];  // ticks at which they began
  std::int64_t swings;       // without a break
  double turn, extreme;      // last turning point; farthest value since
  std::int64_t turn_tick, extreme_tick;
  std::int64_t direction;  // of the present swing, 1 or -1; 0: nothing was seen yet
};
constexpr auto state_fields(const SwingState* /*type*/) {
  using namespace knuckleboom::state;
  using S = SwingState;
  return state::fields_of<S>(KB_FIELD(size, kPositive), KB_FIELD(at, kCounter),
                             KB_FIELD(swings, kCounter), KB_FIELD(turn), KB_FIELD(extreme),
                             KB_FIELD(turn_tick, kCounter), KB_FIELD(extreme_tick, kCounter),
                             KB_FIELD(direction, kSignedShare));
}

// One sample, h [s] after the last. Returns the frequency [Hz] of an oscillation that has gone on
// for three periods, or for 40 ms where those are shorter; 0: there is none.
double watch_swing(const SwingLimits& limits, double value, std::int64_t tick, double h,
                   SwingState& state);

}  // namespace knuckleboom::emulation
