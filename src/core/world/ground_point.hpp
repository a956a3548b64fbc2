// Height and normal of the ground at once.
#pragma once

#include "knuckleboom/core/world/world.hpp"

namespace knuckleboom::world {

struct GroundPoint {
  double z;
  Vec3 normal;
};

GroundPoint ground_point(const Ground& ground, double x, double y);

// The normal interpolated between those of the grid's points: it does not jump from cell to cell;
// otherwise a lying log would rattle on their edges without end.
GroundPoint smooth_ground_point(const Ground& ground, double x, double y);

// All ground within this distance of the origin is at z = 0 [m].
double level_within(const GroundRecipe& recipe);

}  // namespace knuckleboom::world
