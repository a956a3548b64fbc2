// Joints that turn about a point in any direction, as four massless turns in a row of which the first is held:
//   R = R_y(q0) R_z(q1) R_y(q2) R_x(q3)
// is the body's orientation against its position zero, in that position's axes. q0 is 0 or pi/2. With 0 the
// others are yaw, pitch and roll, which determine each other poorly where the body's x axis comes near the z
// axis; there q0 becomes pi/2, which takes the poor position to the x axis. Orientation, angular velocity and
// angular acceleration stay what they are, so that no position is singular. docs/theory/rigid_bodies.md
//
// q, v, a below: of the four turns. Angular velocity is that against the parent, in the body's axes.
#pragma once

#include <string>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom::multibody {

inline constexpr int kTurns = 4;  // of a ball joint; they are links in a row

// A spherical joint, or the turning part of a free one.
struct Ball {
  std::string name;  // of the joint
  int first = 0;     // link of the turn that is held; the last of the four carries the body
  Vec3 damping = Vec3::Zero();    // torque per angular velocity, along the body's axes [N m s/rad]
  Vec3 stiffness = Vec3::Zero();  // of a spring towards position zero, see Bend [N m/rad]

  bool has(int link) const { return link >= first && link < first + kTurns; }
};

// w not below zero.
Eigen::Quaterniond orientation(const double* q);
// The turns that give an orientation.
void place(const Mat3& R, double* q);

// Angular velocity by the rates of the three turns that move, column by column.
Mat3 turning(const double* q);
Vec3 angular_velocity(const double* q, const double* v);

// Other turns of the same motion, where those in use come near their poor position; else false, and nothing is
// done.
bool rebase(double* q, double* v, double* a);

// The rotation vector [rad] (axis times angle, at most half a turn) and its derivatives by the three turns. The
// energy of a ball's spring is half the sum of stiffness times the square, component by component.
struct Bend {
  Vec3 phi;
  Mat3 by_turn;
};
Bend bend(const double* q);

}  // namespace knuckleboom::multibody
