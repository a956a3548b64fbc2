// Exponentially fitted theta method: y1 = y0 + h ((1 - theta) f(y0) + theta f(y1)) with theta
// chosen so that a decay y' = -lambda y is exact. theta = 1/2 (trapezoidal rule, second order) for
// slow terms, 1 (implicit Euler, L-stable) for infinitely fast ones. Source: W. Liniger, R. A.
// Willoughby, SIAM J. Numer. Anal. 7 (1970) 47-66.
#pragma once

#include "knuckleboom/core/math/exponential.hpp"
#include "knuckleboom/core/math/lanes.hpp"

namespace knuckleboom::integration {

// z = lambda h >= 0. theta = 1 / (1 - exp(-z)) - 1 / z.
inline double fitted_theta(double z) {
  if (z < 0.1) return 0.5 + z / 12.0 - z * z * z / 720.0;
  if (z > 40.0) return 1.0 - 1.0 / z;
  return 1.0 / (1.0 - decay(z)) - 1.0 / z;
}

// Two decays at once, by w = 1 / z from 0 to 1e60: a rational function within 2.2e-5 of fitted_theta(1 / w), exact
// at both ends, for a third of the instructions. A step of the decay is then exact to 2.5e-5 of its start.
template <class Pair>
inline Pair fitted_theta_of_inverse(Pair w) {
  constexpr double kTop = 326.06508;
  const Pair top = 1.0 + w * (4.8447673 + w * (33.706961 + w * (133.16859 + w * kTop)));
  const Pair bottom = 1.0 + w * (5.8386957 + w * (40.097634 + w * (157.95622 + w * (2.0 * kTop))));
  return top / bottom;
}

}  // namespace knuckleboom::integration
