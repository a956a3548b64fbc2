// Fixed-size linear algebra used throughout the core.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace knuckleboom {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

// Capacity of a machine; arrays in the state are this long, and the first n entries count.
inline constexpr int kMaxLinks = 40;
inline constexpr int kMaxActuators = 24;
inline constexpr int kMaxWheels = 10;

}  // namespace knuckleboom
