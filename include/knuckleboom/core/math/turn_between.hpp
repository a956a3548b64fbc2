// The rotation between two directions.
#pragma once

#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom {

// The smallest rotation that takes the direction of `from` to that of `to` (3×3). Neither may be zero; where they
// are opposite, the axis is any one across them. Not inline: Eigen's FromTwoVectors brings a singular value
// decomposition along, which costs every unit that calls it ten seconds to compile.
Mat3 turn_between(const Vec3& from, const Vec3& to);

}  // namespace knuckleboom
