// Logarithm and powers for lever curves and laws of gases, with the same bits on every processor
// (docs/decisions/0004-own-sine.md).
#pragma once

#include <cmath>

#include "knuckleboom/core/math/exponential.hpp"

namespace knuckleboom {

// Natural logarithm of a positive, normal x: x = m 2^e with m in sqrt(1/2)..sqrt(2), and
// ln m = 2 artanh((m - 1)/(m + 1)) by its series. Absolute error below 2e-16 (1 + |ln x|).
inline double logarithm(double x) {
  int e = 0;
  double m = std::frexp(x, &e);  // 0.5..1
  if (m < 0.70710678118654752) {
    m *= 2.0;
    --e;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double s2 = s * s;
  double sum = 1.0 / 21.0;
  for (int k = 19; k >= 3; k -= 2) sum = sum * s2 + 1.0 / k;
  constexpr double kLn2 = 0.69314718055994531;
  return e * kLn2 + 2.0 * s * (1.0 + s2 * sum);
}

// 0 <= x <= 1, n > 0. Relative error below 1e-14 (1 + |n ln x|); 0 and 1 are exact, as is n = 1.
inline double power(double x, double n) {
  if (x <= 0.0) return 0.0;
  if (n == 1.0) return x;
  if (!(x >= 1e-300)) return 0.0;
  return decay(-n * logarithm(x));
}

}  // namespace knuckleboom
