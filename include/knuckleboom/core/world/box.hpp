// Boxes along the axes, around what may touch.
#pragma once

#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom::world {

struct Box {
  Vec3 low, high;
};

// Overlaps none, and includes nothing yet.
inline Box no_box() { return {Vec3::Constant(1e30), Vec3::Constant(-1e30)}; }

// Around a capsule: ends a and b of its axis, and a radius.
template <class Shape>
Box box_of(const Shape& shape, double margin) {
  const Vec3 r = Vec3::Constant(shape.radius + margin);
  return {shape.a.cwiseMin(shape.b) - r, shape.a.cwiseMax(shape.b) + r};
}

inline bool overlap(const Box& a, const Box& b) {
  return (a.low.array() <= b.high.array()).all() && (b.low.array() <= a.high.array()).all();
}

inline void include(const Box& box, Box& in) {
  in.low = in.low.cwiseMin(box.low);
  in.high = in.high.cwiseMax(box.high);
}

}  // namespace knuckleboom::world
