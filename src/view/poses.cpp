#include "view/poses.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace knuckleboom::view {
namespace {

Vec3 between(const double (&a)[3], const double (&b)[3], double t) {
  return Vec3(a[0], a[1], a[2]) * (1.0 - t) + Vec3(b[0], b[1], b[2]) * t;
}

Eigen::Quaterniond rotation(const double (&q)[4]) {
  const Eigen::Quaterniond r(q[0], q[1], q[2], q[3]);
  return r.norm() > 1e-9 ? r.normalized() : Eigen::Quaterniond::Identity();
}

Pose between(const training::PoseSnapshot& a, const training::PoseSnapshot& b, double t) {
  return {rotation(a.q).slerp(t, rotation(b.q)).toRotationMatrix(), between(a.p, b.p, t)};
}

}  // namespace

FramePoses interpolate(const training::SessionSnapshot& before,
                       const training::SessionSnapshot& after, double alpha) {
  const double t = std::clamp(alpha, 0.0, 1.0);
  FramePoses poses;
  poses.t_s = before.sim.t_s + t * (after.sim.t_s - before.sim.t_s);
  for (std::size_t i = 0; i < poses.body.size(); ++i)
    poses.body[i] = between(before.body[i], after.body[i], t);
  poses.log_count = std::clamp(after.log_count, 0, world::kMaxLogs);
  poses.held_log = after.held_log;
  for (std::size_t i = 0; i < static_cast<std::size_t>(poses.log_count); ++i) {
    const bool new_here = before.log_status[i] == world::LogStatus::kAbsent;
    poses.log[i] = between(new_here ? after.log[i] : before.log[i], after.log[i], t);
  }
  poses.cut_count = after.cut_count;
  for (int k = 0; k < after.cut_count; ++k)
    poses.cut[static_cast<std::size_t>(k)] = after.cut[k].size;
  for (std::int64_t i = 0; i < after.tree_count; ++i) {
    const training::TreeSnapshot& now = after.tree[i];
    const training::TreeSnapshot* then = &now;
    for (std::int64_t k = 0; k < before.tree_count; ++k)
      if (before.tree[k].stem == now.stem) then = &before.tree[k];
    TreePose& tree = poses.tree[static_cast<std::size_t>(poses.tree_count++)];
    tree.stem = now.stem;
    tree.butt_W = between(then->butt_W, now.butt_W, t);
    tree.towards_tip_W = between(then->n_W, now.n_W, t).normalized();
    tree.stump = now.stump;
    tree.from = now.from;
    tree.bare_to = now.bare_to;
  }
  for (int i = 0; i < after.visitor_count; ++i) {
    const training::VisitorSnapshot& now = after.visitor[i];
    const training::VisitorSnapshot& then = i < before.visitor_count ? before.visitor[i] : now;
    Pose& pose = poses.visitor[static_cast<std::size_t>(i)];
    pose.p = between(then.p_W, now.p_W, t);
    pose.R.col(0) = Vec3(now.ahead[0], now.ahead[1], 0.0);
    pose.R.col(1) = Vec3(-now.ahead[1], now.ahead[0], 0.0);
    pose.R.col(2) = Vec3::UnitZ();
  }
  poses.tip_W = between(before.sim.tip_W, after.sim.tip_W, t);
  poses.grapple_opening =
      before.grapple_opening + t * (after.grapple_opening - before.grapple_opening);
  poses.seat_turned = (after.switches >> static_cast<int>(command::Switch::kSeat) & 1) != 0;
  // The shorter way: what is given is within one turn.
  for (int i = 0; i < after.sim.wheel_count; ++i) {
    const double from = before.sim.wheel[i].turned;
    poses.wheel_turned[static_cast<std::size_t>(i)] =
        from + t * std::remainder(after.sim.wheel[i].turned - from, 2.0 * std::numbers::pi);
  }
  poses.task = after.task;
  return poses;
}

}  // namespace knuckleboom::view
