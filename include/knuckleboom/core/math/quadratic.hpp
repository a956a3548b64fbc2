// The one scalar equation behind every orifice and quadratic line.
#pragma once

#include <cmath>

namespace knuckleboom {

// Root q of a q|q| + b q = r for a >= 0, b > 0. The equation is monotone, so the root is unique and
// has the sign of r; this form of the root has no cancellation.
inline double solve_signed_quadratic(double a, double b, double r) {
  return 2.0 * r / (b + std::sqrt(b * b + 4.0 * a * std::fabs(r)));
}

// x|x|, the orifice law's shape (eq. 13).
inline double signed_square(double x) { return x * std::fabs(x); }

}  // namespace knuckleboom
