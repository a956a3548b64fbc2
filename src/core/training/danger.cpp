#include "knuckleboom/core/training/danger.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "knuckleboom/core/math/arrays.hpp"

namespace knuckleboom::training {
namespace {

constexpr double kBreast = 1.2;         // m above the ground, of somebody's middle
constexpr double kSpeedOfWork = 0.05;   // m/s of the wheels
constexpr double kRollersOfWork = 0.1;  // m/s of a stem in the head

// The operator lets the machine do something: what merely swings out or falls cannot be stopped.
bool works(const SessionSnapshot& s) {
  for (const double demand : s.shaped)
    if (demand != 0.0) return true;
  return s.saw > 0.0 || std::fabs(s.feed_m_s) > kRollersOfWork ||
         std::fabs(s.sim.speed) > kSpeedOfWork;
}

bool in_plane(const Vec3& saw_W, const Vec3& normal_W, const VisitorSnapshot& visitor) {
  const Vec3 way = vec(visitor.p_W) + kBreast * Vec3::UnitZ() - saw_W;
  return std::fabs(way.dot(normal_W)) <= kChainSine * way.norm();
}

}  // namespace

VisitorPlace place_at(const Visitor& visitor, double t_s) {
  VisitorPlace out;
  const std::vector<VisitorPoint>& points = visitor.points;
  if (points.empty()) return out;
  out.x = points.front().x;
  out.y = points.front().y;
  double left_s = t_s - visitor.from_s;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const VisitorPoint &a = points[i - 1], &b = points[i];
    const double x = b.x - a.x, y = b.y - a.y, length = std::sqrt(x * x + y * y);
    left_s -= a.wait_s;
    if (i > 1 && left_s <= 0.0) return out;  // still looks where he came from
    out.ahead_x = x / length;
    out.ahead_y = y / length;
    const double along = visitor.speed * std::max(0.0, left_s);
    if (along < length) {
      out.x = a.x + along * out.ahead_x;
      out.y = a.y + along * out.ahead_y;
      return out;
    }
    left_s -= length / visitor.speed;
    out.x = b.x;
    out.y = b.y;
  }
  return out;
}

void show_visitors(const Exercise& exercise, const world::Ground& ground, const DangerZone& zone,
                   double t_s, SessionSnapshot& snapshot) {
  snapshot.visitor_count = static_cast<std::int32_t>(exercise.visitors.size());
  for (int i = 0; i < snapshot.visitor_count; ++i) {
    const Visitor& visitor = nth(exercise.visitors, i);
    const VisitorPlace at = place_at(visitor, t_s);
    VisitorSnapshot& out = snapshot.visitor[i];
    out.p_W[0] = at.x;
    out.p_W[1] = at.y;
    out.p_W[2] = world::height(ground, at.x, at.y);
    out.ahead[0] = at.ahead_x;
    out.ahead[1] = at.ahead_y;
    const double x = at.x - snapshot.foot_W[0], y = at.y - snapshot.foot_W[1];
    out.away_m = std::sqrt(x * x + y * y);
    out.kind = visitor.kind;
    out.inside = out.away_m < zone.radius ? 1 : 0;
  }
}

const VisitorSnapshot* nearest_visitor(const SessionSnapshot& snapshot) {
  const VisitorSnapshot* nearest = nullptr;
  for (int i = 0; i < snapshot.visitor_count; ++i)
    if (nearest == nullptr || snapshot.visitor[i].away_m < nearest->away_m)
      nearest = &snapshot.visitor[i];
  return nearest;
}

Endangered endangered(const SessionSnapshot& s, const DangerZone& zone, double inside_s) {
  const VisitorSnapshot* nearest = nearest_visitor(s);
  if (nearest == nullptr || nearest->inside == 0) return {};
  if (s.saw > 0.0) {
    const Vec3 axis = vec(s.grip_axis_W), saw = vec(s.grip_W) - zone.saw_distance * axis;
    for (int i = 0; i < s.visitor_count; ++i)
      if (s.visitor[i].inside != 0 && in_plane(saw, axis, s.visitor[i]))
        return {i, DangerKind::kChain};
  }
  if (inside_s > kNoticeTime && works(s))
    return {static_cast<int>(nearest - s.visitor), DangerKind::kZone};
  return {};
}

}  // namespace knuckleboom::training
