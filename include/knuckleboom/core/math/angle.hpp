// Angles between directions, with the same bits on every processor: the library's arc functions are not
// (docs/decisions/0004-own-sine.md).
#pragma once

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom {

inline constexpr double kQuarterTurn = 1.5707963267948966;  // pi/2

// 0 to pi/2, of its sine and cosine. Newton on the sine.
inline double acute_angle(double s, double c) {
  double angle = kQuarterTurn * s / (s + c);
  for (int i = 0; i < 3; ++i) {
    const SinCos at = sin_cos(angle);
    angle += s * at.cos - c * at.sin;
  }
  return angle;
}

// From the x axis to a point about the origin, -pi to pi; to (0, 0): 0.
inline double angle_of(double y, double x) {
  const double size = std::sqrt(x * x + y * y);
  if (!(size > 0.0)) return 0.0;
  const double acute = acute_angle(std::fabs(y) / size, std::fabs(x) / size);
  const double angle = x < 0.0 ? 2.0 * kQuarterTurn - acute : acute;
  return y < 0.0 ? -angle : angle;
}

// Between two lines, 0 to pi/2; 0 if one of them has no direction.
inline double angle_between_lines(const Vec3& a, const Vec3& b) {
  const double size = std::sqrt(a.squaredNorm() * b.squaredNorm());
  if (!(size > 0.0)) return 0.0;
  const double c = std::fabs(a.dot(b)) / size;
  const double s = std::sqrt(a.cross(b).squaredNorm()) / size;
  return std::clamp(acute_angle(s, c), 0.0, kQuarterTurn);
}

}  // namespace knuckleboom
