// Angles between directions, with the same bits on every processor: the library's arc functions are not
// (docs/decisions/0004-own-sine.md).
#pragma once

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom {

// From the x axis to a point about the origin, -pi to pi; to (0, 0): 0. Newton on the sine.
inline double angle_of(double y, double x) {
  const double size = std::sqrt(x * x + y * y);
  if (!(size > 0.0)) return 0.0;
  constexpr double kHalfPi = 1.5707963267948966;
  const double s = y / size;
  const double c = x / size;
  double angle = kHalfPi * std::fabs(s) / (std::fabs(s) + std::fabs(c));
  if (c < 0.0) angle = 2.0 * kHalfPi - angle;
  if (s < 0.0) angle = -angle;
  for (int i = 0; i < 3; ++i) {
    const SinCos at = sin_cos(angle);
    angle += s * at.cos - c * at.sin;
  }
  return angle;
}

// Between two lines, 0 to pi/2; 0 if one of them has no direction. Newton on the sine.
inline double angle_between_lines(const Vec3& a, const Vec3& b) {
  const double size = std::sqrt(a.squaredNorm() * b.squaredNorm());
  if (!(size > 0.0)) return 0.0;
  const double c = std::fabs(a.dot(b)) / size;
  const double s = std::sqrt(a.cross(b).squaredNorm()) / size;
  constexpr double kHalfPi = 1.5707963267948966;
  double angle = kHalfPi * s / (s + c);
  for (int i = 0; i < 3; ++i) {
    const SinCos at = sin_cos(angle);
    angle += s * at.cos - c * at.sin;
  }
  return std::clamp(angle, 0.0, kHalfPi);
}

}  // namespace knuckleboom
