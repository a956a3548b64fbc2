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

namespace {

bool carries_wheels(const MachineModel& model, int link) {
  return std::any_of(model.wheels.begin(), model.wheels.end(), [&](const Wheel& wheel) {
    int i = model.tree.body(wheel.body).link;
    while (i != multibody::kBase && i != link) i = model.tree.link(i).parent;
    return i == link;
  });
}

}  // namespace

LinkPoint crane_tip(const MachineModel& model) {
  LinkPoint point = tip_point(model);
  for (int i = point.link; i != multibody::kBase && !carries_wheels(model, i);
       i = model.tree.link(i).parent) {
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

// The links from the base out to a point, and the place of each at a pose. By plain columns, and without
// velocities: multibody::forward_kinematics does more than a tick can afford here.
struct Chain {
  int link[kMaxLinks];
  int length = 0;
};
struct Along {
  Vec3 p_W;                                 // of the point
  Vec3 origin[kMaxLinks], axis[kMaxLinks];  // of each link of the chain
};

Chain chain_to(const MachineModel& model, const LinkPoint& point) {
  Chain chain;
  for (int i = point.link; i != multibody::kBase; i = model.tree.link(i).parent)
    chain.link[chain.length++] = i;
  std::reverse(chain.link, chain.link + chain.length);
  return chain;
}

void place(const MachineModel& model, const Chain& chain, const LinkPoint& point, const double* q,
           Along& out) {
  Vec3 x = Vec3::UnitX(), y = Vec3::UnitY(), z = Vec3::UnitZ(), p = Vec3::Zero();
  const auto in_world = [&](const auto& v) { return Vec3(v(0) * x + (v(1) * y + v(2) * z)); };
  for (int k = 0; k < chain.length; ++k) {
    const int i = chain.link[k];
    const multibody::Link& link = model.tree.link(i);
    p += in_world(link.in_parent.p);
    if (!link.aligned) {
      const Mat3& E = link.in_parent.R;
      const Vec3 turned[3] = {in_world(E.col(0)), in_world(E.col(1)), in_world(E.col(2))};
      x = turned[0];
      y = turned[1];
      z = turned[2];
    }
    if (link.revolute) {
      const SinCos t = sin_cos(q[i]);
      const Vec3 before = x;
      x = t.cos * before + t.sin * y;
      y = t.cos * y - t.sin * before;
    } else {
      p += q[i] * z;
    }
    out.axis[k] = z;
    out.origin[k] = p;
  }
  out.p_W = p + in_world(point.p_L);
}

// Fills in the derivatives by the joints, which need no more of the pose than its places.
void derive(const MachineModel& model, const Chain& chain, const Along& along, const double* q,
            PointPose& out) {
  out.p_W = along.p_W;
  out.carries.fill(false);
  for (int k = 0; k < chain.length; ++k) {
    const int i = chain.link[k];
    nth(out.carries, i) = true;
    nth(out.J_W, i) = model.tree.link(i).revolute
                          ? Vec3(along.axis[k].cross(along.p_W - along.origin[k]))
                          : along.axis[k];
  }
  if (!model.loop_system.empty()) [[unlikely]]
    through_loops(model, q, out);
}

}  // namespace

void locate(const MachineModel& model, const LinkPoint& point, const double* q, PointPose& out) {
  const Chain chain = chain_to(model, point);
  Along along;
  place(model, chain, point, q, along);
  derive(model, chain, along, q, out);
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
  const Chain chain = chain_to(model, point);
  const bool loops = !model.loop_system.empty();
  Along places[2];
  Along *here = &places[0], *there = &places[1];
  if (loops) [[unlikely]]
    follow(model, used, q);
  place(model, chain, point, q, *here);
  double damping = 1e-12;
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    const Vec3 error = target_W - here->p_W;
    const double apart = error.norm();
    if (apart < kTolerance) return true;
    PointPose tip;
    derive(model, chain, *here, q, tip);
    int joint[kMaxLinks];
    int count = 0;
    for (int i = 0; i < n; ++i)
      if (used[i] && nth(tip.carries, i)) joint[count++] = i;
    double d[kMaxLinks];
    if (!(count == 3 ? newton_step<3>(3, joint, tip, error, damping, d)
                     : newton_step<0>(count, joint, tip, error, damping, d))) {
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
    if (loops) [[unlikely]]
      follow(model, used, trial);
    place(model, chain, point, trial, *there);
    if ((target_W - there->p_W).norm() < apart) {
      std::copy(trial, trial + n, q);
      std::swap(here, there);
      damping = std::max(1e-12, damping * 0.01);
    } else if (apart < 1e-9) {
      return true;  // at the resolution of the numbers
    } else {
      damping = damping * 100.0 + 1e-9;
      if (damping > 1e6) break;
    }
  }
  return (target_W - here->p_W).norm() < 1e-9;
}

}  // namespace knuckleboom::machine
