// The part of a circuit's implicit stage (stage.hpp) that does not change from tick to tick.
#pragma once

#include "knuckleboom/core/math/lanes.hpp"

namespace knuckleboom::hydraulics {

// Constants of a circuit for one stage weight; T: of number (math/lanes.hpp).
template <class T>
struct BasicStageConstants {
  using Pair = PairOf<T>;

  // Both sides each.
  Pair sign_area;  // o = sign_area x_dot
  Pair g_C;        // g / C
  Pair g_I;        // g / I
  Pair R;
  Pair leak_external;
  // Weight of leakage and protective flow at a closed or filling line relative to the piston's: 1, or
  // more where they are taken entirely at the end of the step, since they may be faster than the step
  // (2 in a trapezoidal step, g = h/2).
  Pair side_flow_weight;
  T leak_internal;
  bool linear_line;
  bool coupled;  // leakage couples the ports
  T B;
  // Band in which no protective valve is open, and their conductances.
  T P_low, P_high, G_low, G_high;
  Pair low, high;    // that band, for both sides
  T port_tolerance;  // residual at which the coupled iteration ends [Pa]
  // Closed valve, linear line: p = closed[0] f_0 + closed[1] f_1 with f_s = P_star - (g_C + R) o_s.
  Pair closed[2];
};
using StageConstants = BasicStageConstants<double>;

}  // namespace knuckleboom::hydraulics
