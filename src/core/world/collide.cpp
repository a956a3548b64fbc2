// Contact points of capsules and ground.
#include "collide.hpp"

#include <algorithm>
#include <cmath>

#include "ground_point.hpp"

namespace knuckleboom::world {

namespace {

constexpr double kSampleDistance = 1.3;       // along a capsule on the ground [m]
constexpr double kParallelSine = 0.3;         // above it two capsules touch in one point
constexpr double kExcess = 1e-6;              // m
constexpr int kUnevenPlaces = kFeatures / 2;  // along a capsule on uneven ground, at most
constexpr double kHigh = 2.0;  // radii over the ground; an axis that is as high does not touch it
constexpr int kMostLines = 1024;  // of the ground's grid that a capsule crosses

// Middle of the overlap, from a point on a's axis.
Vec3 touching_point(const Vec3& on_axis, const Vec3& normal, double radius, double depth) {
  return on_axis - (radius - 0.5 * depth) * normal;
}

// Depth at a point of a's axis; adds the contact if there is one.
double touch_at(const Moving& a, const Moving& b, double s, int feature, Touches& out) {
  const Vec3 on_a = a.a + s * (a.b - a.a);
  const Vec3 d = on_a - closest_on_segment(b.a, b.b, on_a);
  const double distance = d.norm();
  const double depth = a.radius + b.radius - distance;
  if (depth <= 0.0 || distance < 1e-9) return 0.0;
  const Vec3 normal = d / distance;
  out.add(normal, touching_point(on_a, normal, a.radius, depth), depth, feature);
  return depth;
}

// A place of a capsule's axis over the ground.
struct OverGround {
  Vec3 p;
  GroundPoint under;
  double depth;
};

OverGround over_ground(const Moving& m, const Ground& ground, double t) {
  const Vec3 p = m.a + t * (m.b - m.a);
  const GroundPoint under = smooth_ground_point(ground, p.x(), p.y());
  return {p, under, m.radius - (p.z() - under.z) * under.normal.z()};
}

void add_ground(const OverGround& at, double radius, double depth, int feature, double share,
                Touches& out) {
  out.add(at.under.normal, touching_point(at.p, at.under.normal, radius, at.depth), depth, feature,
          share);
}

// Shares t of a line from `from` over `way` at which it crosses the lines of a grid, one after the other.
struct Crossings {
  double next = 2.0, step = 2.0;
  Crossings(double from, double way, double first, double spacing, double t) {
    if (!(std::fabs(way) > 1e-9)) return;
    step = spacing / std::fabs(way);
    const double at = (from + t * way - first) / spacing;
    const double line = way > 0.0 ? std::floor(at) + 1.0 : std::ceil(at) - 1.0;
    next = (first + line * spacing - from) / way;
  }
};

// Where the ground between two places reaches deeper into a capsule than a straight line between their depths. The
// deepest place is at a line of the grid or between two of them; the mean place, where there are several.
struct Excess {
  double depth = 0.0, at = 0.0;
};

Excess excess_between(const Moving& m, const Ground& ground, double from, double to,
                      double from_depth, double to_depth) {
  const Vec3 way = m.b - m.a;
  Crossings x(m.a.x(), way.x(), ground.x0, ground.spacing, from);
  Crossings y(m.a.y(), way.y(), ground.y0, ground.spacing, from);
  double sum = 0.0, sum_at = 0.0;
  Excess out;
  const auto look = [&](double t) {
    const Vec3 p = m.a + t * way;
    if (p.z() - height(ground, p.x(), p.y()) > kHigh * m.radius) return;
    const double line = from_depth + (t - from) / (to - from) * (to_depth - from_depth);
    const double beyond = over_ground(m, ground, t).depth - line;
    if (!(beyond > 0.0)) return;
    out.depth = std::max(out.depth, beyond);
    const double weight = beyond * beyond * beyond * beyond;
    sum += weight;
    sum_at += weight * t;
  };
  double t = from;
  for (int i = 0; i < kMostLines && t < to; ++i) {
    const double next = std::min({x.next, y.next, to});
    if (x.next <= next) x.next += x.step;
    if (y.next <= next) y.next += y.step;
    if (!(next > t)) continue;
    look(0.5 * (t + next));
    if (next < to) look(next);
    t = next;
  }
  if (sum > 0.0) out.at = sum_at / sum;
  return out;
}

}  // namespace

// The places at regular distances share the whole stiffness as Simpson's rule does, so that a capsule resists tilting
// as if it lay on its whole length, whatever their number. In between, what exceeds them has that of one distance.
void touches_along_ground(const Moving& m, const Ground& ground, double top, Touches& out) {
  if (std::min(m.a.z(), m.b.z()) - m.radius >= top) return;
  const int places = ground_samples(m);
  const int n = std::clamp(places, 3, kUnevenPlaces), distances = n - 1;
  const double end = 0.5 / (distances + 1), share = (1.0 - 2.0 * end) / (distances - 1);
  OverGround last{};
  for (int i = 0; i < n; ++i) {
    const double t = static_cast<double>(i) / distances;
    const OverGround at = over_ground(m, ground, t);
    if (at.depth > 0.0)
      add_ground(at, m.radius, at.depth, i, places * (i == 0 || i == distances ? end : share), out);
    if (i > 0) {
      const double before = static_cast<double>(i - 1) / distances;
      const Excess excess =
          excess_between(m, ground, before, t, std::max(0.0, last.depth), std::max(0.0, at.depth));
      if (excess.depth > kExcess)
        add_ground(over_ground(m, ground, excess.at), m.radius, excess.depth, kFeatures - i,
                   static_cast<double>(places) / distances, out);
    }
    last = at;
  }
}

// Rounding must not change the number from tick to tick, hence the slack.
int ground_samples(const Moving& m) {
  const double pieces = std::ceil((m.b - m.a).norm() / kSampleDistance - 1e-6);
  if (!(pieces < kFeatures - 1)) return kFeatures;  // also for NaN
  return std::max(static_cast<int>(pieces), 1) + 1;
}

void touches_with_ground(const Moving& m, const Ground& ground, double top, Touches& out) {
  if (std::min(m.a.z(), m.b.z()) - m.radius >= top) return;
  const int n = ground_samples(m);
  for (int i = 0; i < n; ++i) {
    const Vec3 p = m.a + (static_cast<double>(i) / (n - 1)) * (m.b - m.a);
    if (p.z() - m.radius >= top) continue;
    const GroundPoint under = smooth_ground_point(ground, p.x(), p.y());
    const double depth = m.radius - (p.z() - under.z) * under.normal.z();
    if (depth > 0.0)
      out.add(under.normal, touching_point(p, under.normal, m.radius, depth), depth, i);
  }
}

// The closest point carries only its depth beyond that of the ends, so the force changes smoothly
// from crossed to parallel.
void touches_side_by_side(const Moving& a, const Moving& b, const ClosestPoints& closest,
                          const Vec3& normal, double depth, Touches& out) {
  double deeper = depth;
  const Vec3 da = a.b - a.a;
  const Vec3 db = b.b - b.a;
  const double aa = da.squaredNorm();
  if (depth < 0.7 * (a.radius + b.radius) && aa > 0.0 &&
      da.cross(db).squaredNorm() < kParallelSine * kParallelSine * aa * db.squaredNorm()) {
    const double s0 = clamp_to_unit(da.dot(b.a - a.a) / aa);
    const double s1 = clamp_to_unit(da.dot(b.b - a.a) / aa);
    const double low = std::min(s0, s1);
    const double high = std::max(s0, s1);
    if ((high - low) * (high - low) * aa > 1e-4) {
      const double low_depth = touch_at(a, b, low, 0, out);
      const double high_depth = touch_at(a, b, high, 1, out);
      deeper = depth - std::max(low_depth, high_depth);
    }
  }
  if (deeper > kExcess)
    out.add(normal, touching_point(closest.a, normal, a.radius, depth), deeper, 2);
}

bool crossed(const Moving& a, const Moving& b, const ClosestPoints& closest, const Vec3& step,
             Vec3& side) {
  const double reach = a.radius + b.radius;
  const Vec3 d = closest.a - closest.b;
  const ClosestPoints before = closest_points(a.a - step, a.b - step, b.a, b.b);
  const Vec3 e = before.a - before.b;
  const double e_norm = e.norm();
  const bool is_on_axis = d.norm() < 1e-9;
  if (e_norm < 1e-9 || (e.dot(d) >= 0.0 && !is_on_axis)) return false;
  const Vec3 back = (d.norm() / (d.norm() + e_norm)) * step;
  const ClosestPoints between = closest_points(a.a - back, a.b - back, b.a, b.b);
  if ((between.a - between.b).squaredNorm() >= reach * reach) return false;
  side = e / e_norm;
  return true;
}

}  // namespace knuckleboom::world
