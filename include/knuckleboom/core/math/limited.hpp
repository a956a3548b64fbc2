// Vectors no longer than a limit.
#pragma once

#include <cmath>

#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom {

inline Vec3 limited(const Vec3& v, double limit) {
  const double square = v.squaredNorm();
  return square > limit * limit ? Vec3(v * (limit / std::sqrt(square))) : v;
}

}  // namespace knuckleboom
