// Poses and velocities of the bodies.
#pragma once

#include <array>

#include "knuckleboom/core/multibody/tree.hpp"

namespace knuckleboom::multibody {

struct LinkMotion {
  struct Place {  // a pose; unlike Pose not set by itself, since a machine has few of all links
    Mat3 R;
    Vec3 p;
  };
  Place in_world;
  Vec3 axis_W;      // joint axis
  Vec3 omega_W;     // angular velocity [rad/s]
  Vec3 v_origin_W;  // velocity of the link origin [m/s]
};

struct Kinematics {
  std::array<LinkMotion, kMaxLinks> link;
};

// q, v: link_count() entries.
Kinematics forward_kinematics(const Tree& tree, const double* q, const double* v);

// Pose of any body (moving or welded).
Pose body_pose(const Tree& tree, const Kinematics& kinematics, int body);

// A point fixed to a body: world position, velocity, and Jacobian column by column (3 x link_count;
// J_W[i] is the velocity per unit rate of joint i; there are none beyond the links).
struct PointMotion {
  Vec3 p_W;
  Vec3 v_W;
  std::array<Vec3, kMaxLinks> J_W;
};
PointMotion point_motion(const Tree& tree, const Kinematics& kinematics, int body, const Vec3& p_B);

}  // namespace knuckleboom::multibody
