#include "knuckleboom/core/command/tip_path.hpp"

#include <algorithm>

#include "knuckleboom/core/math/trig.hpp"

namespace knuckleboom::command {
namespace {

constexpr double kTwoPi = 6.283185307179586;

double blend(double s) {
  const double c = std::clamp(s, 0.0, 1.0);
  return c * c * c * (10.0 + c * (-15.0 + 6.0 * c));
}

Vec3 displacement(const Segment& segment, double progress) {
  const double s = blend(progress);
  switch (segment.kind) {
    case SegmentKind::kHold:
      return Vec3::Zero();
    case SegmentKind::kLine:
      return s * segment.delta_W;
    case SegmentKind::kCircle: {
      const Vec3 axis = segment.axis_W.normalized();
      const SinCos angle = sin_cos(kTwoPi * segment.turns * s);
      const Vec3 r = -segment.center_W;  // from the centre to the first point
      const Vec3 along = axis.dot(r) * axis;
      const Vec3 across = r - along;
      return segment.center_W + along + angle.cos * across + angle.sin * axis.cross(across);
    }
  }
  return Vec3::Zero();
}

}  // namespace

Vec3 offset(const TipPath& path, double t) {
  Vec3 sum = Vec3::Zero();
  double start = 0.0;
  for (const Segment& segment : path.segments) {
    if (t <= start) break;
    const double progress = segment.duration_s > 0.0 ? (t - start) / segment.duration_s : 1.0;
    sum += displacement(segment, std::min(1.0, progress));
    start += segment.duration_s;
  }
  return sum;
}

double duration(const TipPath& path) {
  double sum = 0.0;
  for (const Segment& segment : path.segments) sum += segment.duration_s;
  return sum;
}

}  // namespace knuckleboom::command
