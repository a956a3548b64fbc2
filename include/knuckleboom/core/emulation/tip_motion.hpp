// Pose, twist, Jacobian and velocity-product acceleration of a machine's tip, in the world.
#pragma once

#include <array>

#include "knuckleboom/core/machine/model.hpp"

namespace knuckleboom::emulation {

// The tip frame has the axes of the tip's body.
struct TipMotion {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();
  Vec3 v = Vec3::Zero(), omega = Vec3::Zero();            // m/s, rad/s
  Vec3 a_bias = Vec3::Zero(), alpha_bias = Vec3::Zero();  // J_dot q_dot
  std::array<Vec3, kMaxLinks> J_v, J_w;  // columns; zero for joints outside the chain
};

// q, v: joint positions and rates, joint_count() entries.
void tip_motion(const machine::MachineModel& model, const double* q, const double* v,
                TipMotion& out);

// Rotation from one orientation to another as a vector in the world [rad], exact to second order in the
// angle: the axis times its sine.
Vec3 rotation_error(const Mat3& from, const Mat3& to);

// Rotates an orientation by a rotation vector [rad].
Mat3 turned(const Mat3& R, const Vec3& angle);

}  // namespace knuckleboom::emulation
