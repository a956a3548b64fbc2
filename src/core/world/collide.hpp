// Contact points of capsules and ground. docs/theory/contact.md, eq. 4 and 5.
#pragma once

#include "contact_keys.hpp"
#include "knuckleboom/core/world/closest_points.hpp"

namespace knuckleboom::world {

// A moving capsule. p: a point of the body, v its velocity.
struct Moving {
  Vec3 a, b;
  double radius;
  Vec3 p, v, omega;
  Vec3 velocity_at(const Vec3& x) const { return v + omega.cross(x - p); }
};

inline Moving at_rest(const Capsule& shape) {
  return {shape.a, shape.b, shape.radius, shape.a, Vec3::Zero(), Vec3::Zero()};
}

// Contact of two bodies; the normal points from b to a.
struct Touch {
  Vec3 normal, point;
  double depth;
  int feature;
  double share;  // of the pair's stiffness
};

struct Touches {
  int count = 0;
  Touch touch[kFeatures];
  void add(const Vec3& normal, const Vec3& point, double depth, int feature, double share = 1.0) {
    if (count < kFeatures) touch[count++] = {normal, point, depth, feature, share};
  }
};

// Places at which a capsule may touch the ground: its ends, and others between them.
int ground_samples(const Moving& m);
// top: highest ground.
void touches_with_ground(const Moving& m, const Ground& ground, double top, Touches& out);
// The same where the ground is uneven, along the whole capsule: what lies deeper between two places than these do is a
// place of its own.
void touches_along_ground(const Moving& m, const Ground& ground, double top, Touches& out);

// Features: 0 and 1 the ends of the length over which nearly parallel capsules lie along each other, 2
// where they are closest. closest, normal, depth: of the latter.
void touches_side_by_side(const Moving& a, const Moving& b, const ClosestPoints& closest,
                          const Vec3& normal, double depth, Touches& out);

// Whether a crossed b's axis in its last step; side: where it came from.
bool crossed(const Moving& a, const Moving& b, const ClosestPoints& closest, const Vec3& step,
             Vec3& side);

}  // namespace knuckleboom::world
