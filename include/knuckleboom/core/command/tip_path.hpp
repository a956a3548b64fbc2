// A path of the tip in the world frame, segment by segment.
#pragma once

#include <vector>

#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom::command {

enum class SegmentKind { kHold, kLine, kCircle };

// Runs for duration_s; progress along it follows a fifth-order blend (rest to rest, continuous
// acceleration).
struct Segment {
  SegmentKind kind = SegmentKind::kHold;
  double duration_s = 0.0;
  Vec3 delta_W = Vec3::Zero();   // line: displacement [m]
  Vec3 center_W = Vec3::Zero();  // circle: centre relative to the segment's first point [m]
  Vec3 axis_W = Vec3::UnitY();   // circle: rotation about this axis
  double turns = 1.0;            // circle: number of turns; the sign gives the direction
};

struct TipPath {
  std::vector<Segment> segments;  // empty: no tip path
};

// Position relative to the path's first point at time t after its start.
Vec3 offset(const TipPath& path, double t);
double duration(const TipPath& path);

}  // namespace knuckleboom::command
