// Orientations as the files give them.
#pragma once

#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom::io {

// Turned by roll about x, then pitch about y, then yaw about z, all of the parent's axes [rad].
inline Mat3 rotation(const Vec3& rpy) {
  const auto [sr, cr] = sin_cos(rpy(0));
  const auto [sp, cp] = sin_cos(rpy(1));
  const auto [sy, cy] = sin_cos(rpy(2));
  Mat3 R;
  // clang-format off
  R << cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,
       sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,
       -sp,     cp * sr,                cp * cr;
  // clang-format on
  return R;
}

}  // namespace knuckleboom::io
