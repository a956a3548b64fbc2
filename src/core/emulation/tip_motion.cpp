#include "knuckleboom/core/emulation/tip_motion.hpp"

#include <cmath>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/core/multibody/kinematics.hpp"

namespace knuckleboom::emulation {

void tip_motion(const machine::MachineModel& model, const double* q, const double* v,
                TipMotion& out) {
  const multibody::Tree& tree = model.tree;
  const multibody::Kinematics motion = multibody::forward_kinematics(tree, q, v);
  const multibody::Pose pose = multibody::body_pose(tree, motion, model.tip_body);
  out.R = pose.R;
  out.p = pose.R * model.tip_B + pose.p;
  out.v = out.omega = out.a_bias = out.alpha_bias = Vec3::Zero();
  out.J_v.fill(Vec3::Zero());
  out.J_w.fill(Vec3::Zero());
  int chain[kMaxLinks];
  int length = 0;
  for (int i = tree.body(model.tip_body).link; i != multibody::kBase; i = tree.link(i).parent)
    chain[length++] = i;
  if (length == 0) return;

  // Outward: acceleration of each link's origin, and of the link, with the joints' own at zero.
  Vec3 origin = Vec3::Zero(), turn = Vec3::Zero();  // of the link before
  Vec3 a = Vec3::Zero(), alpha = Vec3::Zero();
  for (int k = length - 1; k >= 0; --k) {
    const auto i = static_cast<std::size_t>(chain[k]);
    const multibody::LinkMotion& link = motion.link[i];
    const Vec3 arm = link.in_world.p - origin;
    a += alpha.cross(arm) + turn.cross(turn.cross(arm));
    if (tree.link(chain[k]).revolute) {
      alpha += turn.cross(link.axis_W * v[chain[k]]);
      out.J_w[i] = link.axis_W;
      out.J_v[i] = link.axis_W.cross(out.p - link.in_world.p);
    } else {
      a += 2.0 * turn.cross(link.axis_W * v[chain[k]]);
      out.J_v[i] = link.axis_W;
    }
    origin = link.in_world.p;
    turn = link.omega_W;
  }
  const Vec3 arm = out.p - origin;
  out.omega = turn;
  out.v = nth(motion.link, chain[0]).v_origin_W + turn.cross(arm);
  out.alpha_bias = alpha;
  out.a_bias = a + alpha.cross(arm) + turn.cross(turn.cross(arm));
}

Vec3 rotation_error(const Mat3& from, const Mat3& to) {
  return 0.5 * (from.col(0).cross(to.col(0)) + from.col(1).cross(to.col(1)) +
                from.col(2).cross(to.col(2)));
}

Mat3 turned(const Mat3& R, const Vec3& angle) {
  const double size = std::sqrt(angle.squaredNorm());
  if (!(size > 0.0)) return R;
  const SinCos t = sin_cos(size);
  const Vec3 axis = angle / size;
  Mat3 out;
  for (int k = 0; k < 3; ++k) {
    const Vec3 x = R.col(k);
    out.col(k) = t.cos * x + t.sin * axis.cross(x) + (1.0 - t.cos) * axis.dot(x) * axis;
  }
  return out;
}

}  // namespace knuckleboom::emulation
