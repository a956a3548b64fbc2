// The one scalar equation behind every orifice and quadratic line.
#pragma once

#include "knuckleboom/core/math/lanes.hpp"

namespace knuckleboom {

// Root q of a q|q| + b q = r for a >= 0, b > 0. The equation is monotone, so the root is unique and
// has the sign of r; this form of the root has no cancellation.
template <class T>
inline T solve_signed_quadratic(T a, T b, T r) {
  return 2.0 * r / (b + sqrt(b * b + 4.0 * a * abs(r)));
}

// x|x|, the orifice law's shape (eq. 13).
inline double signed_square(double x) { return x * abs(x); }

}  // namespace knuckleboom
