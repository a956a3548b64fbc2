// Closest points of two straight segments.
#pragma once

#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom::world {

inline double clamp_to_unit(double x) { return x < 0.0 ? 0.0 : (x > 1.0 ? 1.0 : x); }

// Parameters 0..1 along the segments and the points there.
struct ClosestPoints {
  double s, t;
  Vec3 a, b;
};

// C. Ericson, Real-Time Collision Detection (2005), section 5.1.9. For parallel segments, the
// middle of their overlap. Segments may be points.
inline ClosestPoints closest_points(const Vec3& a0, const Vec3& a1, const Vec3& b0,
                                    const Vec3& b1) {
  constexpr double kPoint = 1e-18;     // m^2
  constexpr double kParallel = 1e-12;  // sine squared
  const Vec3 da = a1 - a0;
  const Vec3 db = b1 - b0;
  const Vec3 r = a0 - b0;
  const double aa = da.squaredNorm();
  const double bb = db.squaredNorm();
  const double br = db.dot(r);
  double s = 0.0;
  double t = 0.0;
  if (aa > kPoint && bb <= kPoint) {
    s = clamp_to_unit(-da.dot(r) / aa);
  } else if (aa <= kPoint && bb > kPoint) {
    t = clamp_to_unit(br / bb);
  } else if (aa > kPoint) {
    const double ar = da.dot(r);
    const double ab = da.dot(db);
    const double denominator = aa * bb - ab * ab;
    if (denominator > kParallel * aa * bb) {
      s = clamp_to_unit((ab * br - ar * bb) / denominator);
    } else {
      const double s0 = clamp_to_unit(-ar / aa);
      const double s1 = clamp_to_unit((ab - ar) / aa);
      s = 0.5 * (s0 + s1);
    }
    t = (ab * s + br) / bb;
    if (t < 0.0) {
      t = 0.0;
      s = clamp_to_unit(-ar / aa);
    } else if (t > 1.0) {
      t = 1.0;
      s = clamp_to_unit((ab - ar) / aa);
    }
  }
  return {s, t, a0 + s * da, b0 + t * db};
}

// The point of a segment closest to p.
inline Vec3 closest_on_segment(const Vec3& a0, const Vec3& a1, const Vec3& p) {
  const Vec3 d = a1 - a0;
  const double dd = d.squaredNorm();
  if (dd <= 0.0) return a0;
  return a0 + clamp_to_unit(d.dot(p - a0) / dd) * d;
}

}  // namespace knuckleboom::world
