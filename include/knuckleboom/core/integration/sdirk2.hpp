// Two-stage singly diagonally implicit Runge-Kutta method, second order, L-stable, last stage = result.
// R. Alexander, SIAM J. Numer. Anal. 14 (1977) 1006-1021.
#pragma once

namespace knuckleboom::integration {

struct Sdirk2 {
  static constexpr double kGamma = 0.29289321881345247560;  // 1 - 1/sqrt(2)
  // Stage times gamma and 1; row 2 of the tableau is also the weights.
  static constexpr double kWeight[2] = {1.0 - kGamma, kGamma};
  // y_star of stage 2 = y_n + kCarry (Y_1 - y_n).
  static constexpr double kCarry = (1.0 - kGamma) / kGamma;
};

}  // namespace knuckleboom::integration
