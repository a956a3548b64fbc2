#include "knuckleboom/core/math/turn_between.hpp"

#include <Eigen/Geometry>

namespace knuckleboom {

Mat3 turn_between(const Vec3& from, const Vec3& to) {
  return Eigen::Quaterniond::FromTwoVectors(from, to).toRotationMatrix();
}

}  // namespace knuckleboom
