#include "knuckleboom/core/machine/tip.hpp"

#include <algorithm>
#include <utility>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/cholesky.hpp"
#include "knuckleboom/core/math/trig.hpp"

namespace knuckleboom::machine {
LinkPoint tip_point(const MachineModel& model) {
  const multibody::Body& body = model.tree.body(model.tip_body);
  return {body.link, body.in_link.R * model.tip_B + body.in_link.p};
}

LinkPoint crane_tip(const MachineModel& model) {
  LinkPoint point = tip_point(model);
  for (int i = point.link; i != multibody::kBase; i = model.tree.link(i).parent) {
    // A joint of a loop moves with the loop's other joints.
    const bool moved =
        model.loop_system.has(i) || std::any_of(model.actuators.begin(), model.actuators.end(),
                                                [i](const Actuator& a) { return a.link == i; });
    if (!moved) point = {model.tree.link(i).parent, model.tree.link(i).in_parent.p};
  }
  return point;
}

namespace {

// Joints of loops move the point through the independent ones.
void through_loops(const MachineModel& model, const double* q, PointPose& out) {
  multibody::Embedding e;
  embed_at(model, q, e);
  for (int g = 0; g < e.groups; ++g) {
    const multibody::Embedding::Group& group = e.group[g];
    for (int d = 0; d < group.dependents; ++d) {
      const int j = group.dependent[d];
      if (!nth(out.carries, j)) continue;
      nth(out.carries, j) = false;
      for (int c = 0; c < group.independents; ++c) {
        const auto i = static_cast<std::size_t>(group.independent[c]);
        const Vec3 share = e.B[j][i] * nth(out.J_W, j);
        out.J_W[i] = out.carries[i] ? Vec3(out.J_W[i] + share) : share;
        out.carries[i] = true;
      }
    }
  }
}

// Moves dependent joints to match the used ones.
void follow(const MachineModel& model, const bool* used, double* q) {
  const std::int64_t dependent = model.loop_system.choose(model.tree, q, used);
  const double zero[kMaxLinks] = {};
  multibody::Embedding e;
  model.loop_system.embed(model.tree, dependent, zero, q, e);
}

// Newton's step of the joints listed: (J^T J + damping) d = J^T error. False: A is not positive definite.
template <int Size>
bool newton_step(int count, const int* joint, const PointPose& tip, const Vec3& error,
                 double damping, double* d) {
  constexpr int kRow = Size > 0 ? Size : kMaxLinks;
  const int n = Size > 0 ? Size : count;
  double A[kRow][kRow];
  for (int r = 0; r < n; ++r) {
    const Vec3& J = nth(tip.J_W, joint[r]);
    d[r] = J.dot(error);
    for (int c = 0; c <= r; ++c) A[r][c] = J.dot(nth(tip.J_W, joint[c]));
    A[r][r] += damping;
  }
  return solve_positive_definite<kRow>(n, A, d);
}

}  // namespace

// Along the point's own chain only, and without velocities: multibody::forward_kinematics does more than
// a tick can afford here.
void locate(const MachineModel& model, const LinkPoint& point, const double* q, PointPose& out) {
  int chain[kMaxLinks];
  int length = 0;
  out.carries.fill(false);
  for (int i = point.link; i != multibody::kBase; i = model.tree.link(i).parent)
    chain[length++] = i;
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();
  Vec3 origin[kMaxLinks], axis[kMaxLinks];
  for (int k = length - 1; k >= 0; --k) {
    const int i = chain[k];
    const multibody::Link& link = model.tree.link(i);
    p += R * link.in_parent.p;
    if (!link.aligned) R = R * link.in_parent.R;
    axis[i] = R.col(2);
    if (link.revolute) {
      const SinCos t = sin_cos(q[i]);
      const Vec3 x = R.col(0);
      R.col(0) = t.cos * x + t.sin * R.col(1);
      R.col(1) = t.cos * R.col(1) - t.sin * x;
    } else {
      p += q[i] * axis[i];
    }
    origin[i] = p;
    nth(out.carries, i) = true;
  }
  out.p_W = p + R * point.p_L;
  for (int k = 0; k < length; ++k) {
    const int i = chain[k];
    nth(out.J_W, i) =
        model.tree.link(i).revolute ? Vec3(axis[i].cross(out.p_W - origin[i])) : axis[i];
  }
  if (!model.loop_system.empty()) [[unlikely]]
    through_loops(model, q, out);
}

Vec3 tip_position(const MachineModel& model, const double* q) {
  PointPose tip;
  locate(model, tip_point(model), q, tip);
  return tip.p_W;
}

bool solve_tip(const MachineModel& model, const Vec3& target_W, const bool* used, double* q) {
  constexpr int kMaxIterations = 60;
  constexpr double kTolerance = 1e-11;  // m
  const int n = model.joint_count();
  const LinkPoint point = tip_point(model);
  PointPose room[2];
  PointPose *tip = &room[0], *moved = &room[1];
  if (!model.loop_system.empty()) [[unlikely]]
    follow(model, used, q);
  locate(model, point, q, *tip);
  double damping = 1e-12;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const Vec3 error = target_W - tip->p_W;
    if (error.norm() < kTolerance) return true;
    int joint[kMaxLinks];
    int count = 0;
    for (int i = 0; i < n; ++i)
      if (used[i] && nth(tip->carries, i)) joint[count++] = i;
    double d[kMaxLinks];
    if (!(count == 3 ? newton_step<3>(3, joint, *tip, error, damping, d)
                     : newton_step<0>(count, joint, *tip, error, damping, d))) {
      damping = damping * 100.0 + 1e-9;
      continue;
    }
    double trial[kMaxLinks];
    std::copy(q, q + n, trial);
    for (int r = 0; r < count; ++r) trial[joint[r]] += std::clamp(d[r], -0.3, 0.3);
    for (int i = 0; i < n; ++i) {
      const multibody::Body& body = model.tree.body(model.tree.link(i).body);
      if (body.upper > body.lower) trial[i] = std::clamp(trial[i], body.lower, body.upper);
    }
    if (!model.loop_system.empty()) [[unlikely]]
      follow(model, used, trial);
    locate(model, point, trial, *moved);
    if ((target_W - moved->p_W).norm() < error.norm()) {
      std::copy(trial, trial + n, q);
      std::swap(tip, moved);
      damping = std::max(1e-12, damping * 0.01);
    } else if (error.norm() < 1e-9) {
      return true;  // at the resolution of the numbers
    } else {
      damping = damping * 100.0 + 1e-9;
      if (damping > 1e6) break;
    }
  }
  return (target_W - tip->p_W).norm() < 1e-9;
}

}  // namespace knuckleboom::machine
