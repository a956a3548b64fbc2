// Joint rates for a velocity of the tip: docs/theory/operator_control.md.
#include <algorithm>
#include <cmath>

#include "knuckleboom/core/machine/tip.hpp"

namespace knuckleboom::machine {
namespace {

// Where the joints, all at full speed, give one direction less than kSingular of the other's speed,
// the motion towards such poses fades, and it ends at kEdge.
constexpr double kSingular = 0.1, kEdge = 0.03;
constexpr double kNearAxis = 0.05;  // m; closer to the machine's axis, reach has no direction
// Cosines of the angle to the command at which the motion begins to fade and ends.
constexpr double kStray = 0.94, kAstray = 0.77;  // 20 and 40 degrees

struct Plane {
  double reach, height;
};

// Columns of the point's Jacobian in its vertical plane.
struct Columns {
  Plane column[kMaxLinks];
};

Vec3 reach_direction(const Vec3& p_W, const Vec3& origin_W) {
  const Vec3 out(p_W.x() - origin_W.x(), p_W.y() - origin_W.y(), 0.0);
  return out / std::max(std::sqrt(out.squaredNorm()), kNearAxis);
}

Columns columns(const MachineModel& model, const PointPose& pose, const Vec3& origin_W,
                const bool* used) {
  const Vec3 out = reach_direction(pose.p_W, origin_W);
  Columns c;
  for (int i = 0; i < model.joint_count(); ++i) {
    const auto u = static_cast<std::size_t>(i);
    const bool moves = pose.carries[u] && (used == nullptr || used[i]);
    c.column[i] = moves ? Plane{out.dot(pose.J_W[u]), pose.J_W[u].z()} : Plane{0.0, 0.0};
  }
  return c;
}

// J W^2 J^T of the free joints, by its eigenvalues: squares of the point's speed, at rates equal to
// their scale, along the large direction and across it.
struct Principal {
  double big = 0.0, small = 0.0;
  Plane along{1.0, 0.0};
  double ratio() const { return big > 0.0 ? std::sqrt(small / big) : 0.0; }
};

Principal principal(int n, const Columns& c, const bool* free, const double* scale) {
  double a = 0.0, b = 0.0, d = 0.0;
  for (int i = 0; i < n; ++i) {
    if (!free[i]) continue;
    const double w = scale[i] * scale[i];
    a += w * c.column[i].reach * c.column[i].reach;
    b += w * c.column[i].reach * c.column[i].height;
    d += w * c.column[i].height * c.column[i].height;
  }
  const double half = 0.5 * (a - d);
  const double radius = std::sqrt(half * half + b * b);
  Principal p;
  p.big = 0.5 * (a + d) + radius;
  if (!(p.big > 0.0)) return p;
  // det / big: the difference would lose the digits of the small one.
  p.small = std::max(0.0, (a * d - b * b) / p.big);
  // The longer of both columns of (matrix - small 1).
  const Plane e = half >= 0.0 ? Plane{radius + half, b} : Plane{b, radius - half};
  const double length = std::sqrt(e.reach * e.reach + e.height * e.height);
  if (length > 0.0) p.along = {e.reach / length, e.height / length};
  return p;
}

// Least norm of rate / scale over the free joints. across: share of the small direction.
void solve(int n, const Columns& c, const bool* free, const double* scale, const Principal& p,
           Plane task, double across, double* rate) {
  Plane y{0.0, 0.0};
  if (p.big > 0.0) {
    const Plane& e = p.along;
    const double u = (task.reach * e.reach + task.height * e.height) / p.big;
    // Leaving a pose beyond the edge uses the joint rates of the edge.
    const double least = kEdge * std::sqrt(p.small * p.big);
    const double divisor = std::max(p.small, least);
    const double v =
        divisor > 0.0 ? across * (task.height * e.reach - task.reach * e.height) / divisor : 0.0;
    y = {u * e.reach - v * e.height, u * e.height + v * e.reach};
  }
  for (int i = 0; i < n; ++i)
    if (free[i])
      rate[i] = scale[i] * scale[i] * (c.column[i].reach * y.reach + c.column[i].height * y.height);
}

Plane velocity(int n, const Columns& c, const double* rate) {
  Plane v{0.0, 0.0};
  for (int i = 0; i < n; ++i) {
    v.reach += c.column[i].reach * rate[i];
    v.height += c.column[i].height * rate[i];
  }
  return v;
}

// 0 below 0, 1 above 1, smooth between.
double blend(double x) {
  const double s = std::clamp(x, 0.0, 1.0);
  return s * s * (3.0 - 2.0 * s);
}

// Whether motion at these rates goes towards poses with a direction out of reach.
bool nears_singularity(const MachineModel& model, const LinkPoint& point, const Vec3& origin_W,
                       const double* q, const bool* used, const RateLimits& limits,
                       const Principal& now, const double* rate) {
  constexpr double kStep = 1e-4;  // share of a second at full speed
  const int n = model.joint_count();
  double most = 0.0;
  for (int i = 0; i < n; ++i) most = std::max(most, std::fabs(rate[i]) / limits.scale[i]);
  if (!(most > 0.0)) return true;
  double next[kMaxLinks];
  for (int i = 0; i < n; ++i) next[i] = q[i] + kStep / most * rate[i];
  PointPose pose;
  locate(model, point, next, pose);
  return principal(n, columns(model, pose, origin_W, used), used, limits.scale).ratio() <
         now.ratio();
}

// Share of the rates that all actuators can follow.
double within_top(int n, const RateLimits& limits, const double* rate) {
  double share = 1.0;
  for (int i = 0; i < n; ++i) {
    const double top = rate[i] < 0.0 ? limits.down[i] : limits.up[i];
    const double speed = std::fabs(rate[i]);
    if (speed * share > top) share = top / speed;
  }
  return share;
}

}  // namespace

TipVelocity tip_velocity(const MachineModel& model, const PointPose& pose, const Vec3& origin_W,
                         const double* rate) {
  const Plane v = velocity(model.joint_count(), columns(model, pose, origin_W, nullptr), rate);
  return {v.reach, v.height};
}

TipAnswer tip_rates(const MachineModel& model, const LinkPoint& point, const Vec3& origin_W,
                    const double* q, const TipVelocity& asked, const bool* used,
                    const RateLimits& limits, double* rate) {
  const int n = model.joint_count();
  std::fill(rate, rate + n, 0.0);
  const double speed = std::sqrt(asked.reach * asked.reach + asked.height * asked.height);
  if (!(speed > 0.0)) return TipAnswer::kAsAsked;
  PointPose pose;
  locate(model, point, q, pose);
  const Columns c = columns(model, pose, origin_W, used);
  bool free[kMaxLinks] = {};
  for (int i = 0; i < n; ++i) free[i] = used[i];
  const Principal p = principal(n, c, free, limits.scale);
  const Plane wish{asked.reach, asked.height};
  solve(n, c, free, limits.scale, p, wish, 1.0, rate);
  if (p.ratio() < kSingular && nears_singularity(model, point, origin_W, q, used, limits, p, rate))
    solve(n, c, free, limits.scale, p, wish, blend((p.ratio() - kEdge) / (kSingular - kEdge)),
          rate);
  const double share = within_top(n, limits, rate);
  const Plane task{asked.reach * share, asked.height * share};
  for (int i = 0; i < n; ++i) rate[i] *= share;
  // Joints that would leave their range are limited to their allowed rate, one after the other.
  for (int round = 0; round < n; ++round) {
    int worst = -1;
    double excess = 0.0;
    for (int i = 0; i < n; ++i) {
      if (!free[i]) continue;
      const double beyond =
          std::max(rate[i] - limits.upper[i], limits.lower[i] - rate[i]) / limits.scale[i];
      if (beyond <= excess) continue;
      excess = beyond;
      worst = i;
    }
    if (worst < 0) break;
    free[worst] = false;
    rate[worst] = std::clamp(rate[worst], limits.lower[worst], limits.upper[worst]);
    Plane rest = task;
    for (int i = 0; i < n; ++i) {
      if (free[i]) continue;
      rest.reach -= c.column[i].reach * rate[i];
      rest.height -= c.column[i].height * rate[i];
    }
    // The rest of the arm may give one direction only; the other then has no share.
    const Principal left = principal(n, c, free, limits.scale);
    solve(n, c, free, limits.scale, left, rest, blend((left.ratio() - kEdge) / (kSingular - kEdge)),
          rate);
  }
  const double again = within_top(n, limits, rate);
  for (int i = 0; i < n; ++i) rate[i] *= again;

  const Plane got = velocity(n, c, rate);
  const double got_speed = std::sqrt(got.reach * got.reach + got.height * got.height);
  if (!(got_speed > 0.0)) return share > 0.0 ? TipAnswer::kLimited : TipAnswer::kAsAsked;
  const double cosine = (got.reach * asked.reach + got.height * asked.height) / (speed * got_speed);
  const double keep = blend((cosine - kAstray) / (kStray - kAstray));
  for (int i = 0; i < n; ++i) rate[i] *= keep;
  const double along = keep * cosine * got_speed;
  return cosine > 0.99 && along > 0.9 * share * again * speed ? TipAnswer::kAsAsked
                                                              : TipAnswer::kLimited;
}

}  // namespace knuckleboom::machine
