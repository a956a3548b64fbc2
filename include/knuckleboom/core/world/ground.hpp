// The ground: a height field from a recipe, with ditches and the stumps that stand on it. World frame: z up, SI
// units. docs/theory/contact.md.
#pragma once

#include <cstdint>
#include <vector>

#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom::world {

// Left of a felled tree: upright, level on top.
struct Stump {
  double x = 0.0, y = 0.0;  // m
  double radius = 0.15;     // m
  double height = 0.2;      // of its top over the ground in its middle [m]
};

// A trough across the ground, half a cosine deep.
struct Ditch {
  double x = 0.0, y = 0.0;  // a point on its bottom [m]
  double heading = 0.0;     // direction in which it runs, about z from x [rad]
  double width = 2.0;       // between its banks [m]
  double depth = 0.5;       // m
};

// Heights on a square grid, bilinear between its points and level beyond its edge.
struct Ground {
  double x0 = 0.0, y0 = 0.0;   // first point [m]
  double spacing = 1.0;        // m
  int nx = 0, ny = 0;          // 0: flat at z = 0
  std::vector<double> height;  // [iy * nx + ix], m
};
double height(const Ground& ground, double x, double y);
Vec3 normal(const Ground& ground, double x, double y);

// Recipe of a ground: smooth bumps from a seed, level around the machine.
struct GroundRecipe {
  std::uint32_t seed = 1;
  double size = 80.0;        // edge of the square around the origin [m]
  double spacing = 0.5;      // m
  double bump_height = 0.0;  // rms of the bumps [m]
  double bump_length = 6.0;  // m
  double slope_x = 0.0, slope_y = 0.0;
  double level_radius = 3.0;  // ground is at z = 0 within it, bumps fade in over the same distance
  std::vector<Ditch> ditches;
  std::vector<Stump> stumps;  // on the ground, not in its heights
};
Ground make_ground(const GroundRecipe& recipe);

}  // namespace knuckleboom::world
