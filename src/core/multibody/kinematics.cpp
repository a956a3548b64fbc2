#include "knuckleboom/core/multibody/kinematics.hpp"

#include <algorithm>

#include "knuckleboom/core/math/trig.hpp"

namespace knuckleboom::multibody {

Kinematics forward_kinematics(const Tree& tree, const double* q, const double* v) {
  Kinematics out;
  const int n = tree.link_count();
  for (int i = 0; i < n; ++i) {
    const Link& link = tree.link(i);
    LinkMotion& motion = out.link[i];
    const Vec3 axis_P = link.in_parent.R.col(2);
    Mat3 R_PL = link.in_parent.R;
    Vec3 p_PL = link.in_parent.p;
    if (link.revolute) {
      const SinCos t = sin_cos(q[i]);
      R_PL.col(0) = t.cos * link.in_parent.R.col(0) + t.sin * link.in_parent.R.col(1);
      R_PL.col(1) = t.cos * link.in_parent.R.col(1) - t.sin * link.in_parent.R.col(0);
    } else {
      p_PL += q[i] * axis_P;
    }
    Vec3 turn = Vec3::Zero();
    Vec3 slide = Vec3::Zero();
    if (link.parent == kBase) {
      motion.in_world.R = R_PL;
      motion.in_world.p = p_PL;
      motion.axis_W = axis_P;
    } else {
      const LinkMotion& parent = out.link[link.parent];
      const Vec3 r = parent.in_world.R * p_PL;
      motion.in_world.R.noalias() = parent.in_world.R * R_PL;
      motion.in_world.p = parent.in_world.p + r;
      motion.axis_W.noalias() = parent.in_world.R * axis_P;
      turn = parent.omega_W;
      slide = parent.v_origin_W + parent.omega_W.cross(r);
    }
    (link.revolute ? turn : slide) += motion.axis_W * v[i];
    motion.omega_W = turn;
    motion.v_origin_W = slide;
  }
  return out;
}

Pose body_pose(const Tree& tree, const Kinematics& kinematics, int body) {
  const Body& b = tree.body(body);
  if (b.link == kBase) return b.in_link;
  const LinkMotion::Place& link = kinematics.link[b.link].in_world;
  return {link.R * b.in_link.R, link.R * b.in_link.p + link.p};
}

PointMotion point_motion(const Tree& tree, const Kinematics& kinematics, int body,
                         const Vec3& p_B) {
  PointMotion out;
  const Pose pose = body_pose(tree, kinematics, body);
  out.p_W = pose.R * p_B + pose.p;
  out.v_W.setZero();
  std::fill_n(out.J_W.begin(), tree.link_count(), Vec3::Zero());
  const int carrier = tree.body(body).link;
  if (carrier == kBase) return out;
  const LinkMotion& motion = kinematics.link[carrier];
  out.v_W = motion.v_origin_W + motion.omega_W.cross(out.p_W - motion.in_world.p);
  for (int i = carrier; i != kBase; i = tree.link(i).parent) {
    const LinkMotion& m = kinematics.link[i];
    out.J_W[i] = tree.link(i).revolute ? Vec3(m.axis_W.cross(out.p_W - m.in_world.p)) : m.axis_W;
  }
  return out;
}

}  // namespace knuckleboom::multibody
