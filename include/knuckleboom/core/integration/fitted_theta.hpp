// Exponentially fitted theta method: y1 = y0 + h ((1 - theta) f(y0) + theta f(y1)) with theta
// chosen so that a decay y' = -lambda y is exact. theta = 1/2 (trapezoidal rule, second order) for
// slow terms, 1 (implicit Euler, L-stable) for infinitely fast ones. Source: W. Liniger, R. A.
// Willoughby, SIAM J. Numer. Anal. 7 (1970) 47-66.
#pragma once

#include "knuckleboom/core/math/exponential.hpp"

namespace knuckleboom::integration {

// z = lambda h >= 0. theta = 1 / (1 - exp(-z)) - 1 / z.
inline double fitted_theta(double z) {
  if (z < 0.1) return 0.5 + z / 12.0 - z * z * z / 720.0;
  if (z > 40.0) return 1.0 - 1.0 / z;
  return 1.0 / (1.0 - decay(z)) - 1.0 / z;
}

}  // namespace knuckleboom::integration
