// Uneven ground: a height field made of value noise. docs/theory/contact.md, eq. 1 to 3.
#include <algorithm>
#include <cmath>

#include "ground_point.hpp"
#include "knuckleboom/core/math/trig.hpp"

namespace knuckleboom::world {

namespace {

constexpr double kTurn = 6.283185307179586;

// Well mixed bits of a lattice point: the finaliser of MurmurHash3 (A. Appleby, public domain).
std::uint32_t mixed(std::uint32_t h) {
  h ^= h >> 16;
  h *= 0x85ebca6bU;
  h ^= h >> 13;
  h *= 0xc2b2ae35U;
  h ^= h >> 16;
  return h;
}

// -1 to 1.
double lattice_value(std::uint32_t seed, int ix, int iy) {
  const std::uint32_t h = mixed(mixed(mixed(seed + 0x9e3779b9U) + static_cast<std::uint32_t>(ix)) +
                                static_cast<std::uint32_t>(iy));
  return static_cast<double>(h) / 2147483647.5 - 1.0;
}

// Slope and curvature vanish at both ends, so the noise is smooth across lattice lines.
double smooth(double t) { return t * t * t * (t * (6.0 * t - 15.0) + 10.0); }

double noise(std::uint32_t seed, double x, double y) {
  const double fx = std::floor(x);
  const double fy = std::floor(y);
  const int ix = static_cast<int>(fx);
  const int iy = static_cast<int>(fy);
  const double u = smooth(x - fx);
  const double v = smooth(y - fy);
  const double low = (1.0 - u) * lattice_value(seed, ix, iy) + u * lattice_value(seed, ix + 1, iy);
  const double high =
      (1.0 - u) * lattice_value(seed, ix, iy + 1) + u * lattice_value(seed, ix + 1, iy + 1);
  return (1.0 - v) * low + v * high;
}

// The distance between bumps is about two lattice spacings. A weaker layer of half the spacing
// breaks the pattern.
double bumps(std::uint32_t seed, double x, double y, double length) {
  const double a = 2.0 / length;
  return noise(seed, a * x, a * y) + 0.35 * noise(seed + 1U, 2.0 * a * x, 2.0 * a * y);
}

double fade(double x, double y, double level_radius) {
  if (level_radius <= 0.0) return 1.0;
  const double t = std::sqrt(x * x + y * y) / level_radius - 1.0;
  return smooth(std::clamp(t, 0.0, 1.0));
}

double depth_at(const Ditch& ditch, double x, double y) {
  const SinCos heading = sin_cos(ditch.heading);
  const double across = (y - ditch.y) * heading.cos - (x - ditch.x) * heading.sin;
  if (std::fabs(across) >= 0.5 * ditch.width) return 0.0;
  return 0.5 * ditch.depth * (1.0 + sin_cos(kTurn * across / ditch.width).cos);
}

// Removes the mean and scales to the requested rms.
void normalise(std::vector<double>& values, double rms) {
  double mean = 0.0;
  for (const double value : values) mean += value;
  mean /= static_cast<double>(values.size());
  double squares = 0.0;
  for (double& value : values) {
    value -= mean;
    squares += value * value;
  }
  const double now = std::sqrt(squares / static_cast<double>(values.size()));
  const double scale = now > 0.0 ? rms / now : 0.0;
  for (double& value : values) value *= scale;
}

struct Cell {
  int i;
  double u;  // 0..1 within it
  bool inside;
};

Cell cell_of(double f, int n) {
  if (!(f > 0.0)) return {0, 0.0, false};
  if (f >= n - 1) return {n - 2, 1.0, false};
  const int i = static_cast<int>(f);
  return {i, f - i, true};
}

// The grid's square at a place: heights at its corners, and between them on its two sides along y.
struct Square {
  Cell cx, cy;
  double h00, h10, h01, h11;
  double low = h00 + cx.u * (h10 - h00);
  double high = h01 + cx.u * (h11 - h01);

  double z() const { return low + cy.u * (high - low); }
};

// The ground has a square at least.
Square square_at(const Ground& ground, double x, double y) {
  const Cell cx = cell_of((x - ground.x0) / ground.spacing, ground.nx);
  const Cell cy = cell_of((y - ground.y0) / ground.spacing, ground.ny);
  const double* row = ground.height.data() + static_cast<std::ptrdiff_t>(cy.i) * ground.nx + cx.i;
  return {cx, cy, row[0], row[1], row[ground.nx], row[ground.nx + 1]};
}

}  // namespace

GroundPoint ground_point(const Ground& ground, double x, double y) {
  if (ground.nx < 2 || ground.ny < 2) return {0.0, Vec3::UnitZ()};
  const auto [cx, cy, h00, h10, h01, h11, low, high] = square_at(ground, x, y);
  const double slope_x =
      cx.inside ? ((1.0 - cy.u) * (h10 - h00) + cy.u * (h11 - h01)) / ground.spacing : 0.0;
  const double slope_y = cy.inside ? (high - low) / ground.spacing : 0.0;
  const double scale = 1.0 / std::sqrt(1.0 + slope_x * slope_x + slope_y * slope_y);
  return {low + cy.u * (high - low), Vec3(-slope_x * scale, -slope_y * scale, scale)};
}

GroundPoint smooth_ground_point(const Ground& ground, double x, double y) {
  if (ground.nx < 2 || ground.ny < 2) return {0.0, Vec3::UnitZ()};
  const Cell cx = cell_of((x - ground.x0) / ground.spacing, ground.nx);
  const Cell cy = cell_of((y - ground.y0) / ground.spacing, ground.ny);
  const auto at = [&ground](int ix, int iy) {
    return ground.height[static_cast<std::size_t>(iy) * static_cast<std::size_t>(ground.nx) +
                         static_cast<std::size_t>(ix)];
  };
  double slope_x = 0.0;
  double slope_y = 0.0;
  for (const int dy : {0, 1})
    for (const int dx : {0, 1}) {
      const int ix = cx.i + dx;
      const int iy = cy.i + dy;
      const double share = (dx == 0 ? 1.0 - cx.u : cx.u) * (dy == 0 ? 1.0 - cy.u : cy.u);
      const int west = std::max(ix - 1, 0);
      const int east = std::min(ix + 1, ground.nx - 1);
      const int south = std::max(iy - 1, 0);
      const int north = std::min(iy + 1, ground.ny - 1);
      slope_x += share * (at(east, iy) - at(west, iy)) / (east - west);
      slope_y += share * (at(ix, north) - at(ix, south)) / (north - south);
    }
  slope_x = cx.inside ? slope_x / ground.spacing : 0.0;
  slope_y = cy.inside ? slope_y / ground.spacing : 0.0;
  const double low = (1.0 - cx.u) * at(cx.i, cy.i) + cx.u * at(cx.i + 1, cy.i);
  const double high = (1.0 - cx.u) * at(cx.i, cy.i + 1) + cx.u * at(cx.i + 1, cy.i + 1);
  const double scale = 1.0 / std::sqrt(1.0 + slope_x * slope_x + slope_y * slope_y);
  return {low + cy.u * (high - low), Vec3(-slope_x * scale, -slope_y * scale, scale)};
}

double level_within(const GroundRecipe& recipe) {
  double within = recipe.level_radius;
  for (const Ditch& ditch : recipe.ditches) {
    const SinCos heading = sin_cos(ditch.heading);
    const double away = std::fabs(ditch.x * heading.sin - ditch.y * heading.cos);
    within = std::min(within, away - 0.5 * ditch.width);
  }
  constexpr double kSlopes = 3.0;  // a height acts on the slope in the squares around
  return std::max(0.0, within - kSlopes * recipe.spacing);
}

double height(const Ground& ground, double x, double y) {
  if (ground.nx < 2 || ground.ny < 2) return 0.0;
  return square_at(ground, x, y).z();
}

Vec3 normal(const Ground& ground, double x, double y) { return ground_point(ground, x, y).normal; }

Ground make_ground(const GroundRecipe& recipe) {
  Ground ground;
  const bool is_flat = recipe.bump_height == 0.0 && recipe.slope_x == 0.0 &&
                       recipe.slope_y == 0.0 && recipe.ditches.empty();
  if (is_flat) return ground;
  const int n = static_cast<int>(std::ceil(recipe.size / recipe.spacing)) + 1;
  ground.spacing = recipe.spacing;
  ground.x0 = -0.5 * (n - 1) * recipe.spacing;
  ground.y0 = ground.x0;
  ground.nx = n;
  ground.ny = n;
  ground.height.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  const auto at = [&ground, n](int ix, int iy) -> double& {
    return ground.height[static_cast<std::size_t>(iy) * static_cast<std::size_t>(n) +
                         static_cast<std::size_t>(ix)];
  };
  const auto place = [&ground](int i) { return ground.x0 + i * ground.spacing; };
  for (int iy = 0; iy < n; ++iy)
    for (int ix = 0; ix < n; ++ix)
      at(ix, iy) = bumps(recipe.seed, place(ix), place(iy), recipe.bump_length);
  normalise(ground.height, recipe.bump_height);
  for (int iy = 0; iy < n; ++iy)
    for (int ix = 0; ix < n; ++ix) {
      const double x = place(ix);
      const double y = place(iy);
      double& z = at(ix, iy);
      z = fade(x, y, recipe.level_radius) * (z + recipe.slope_x * x + recipe.slope_y * y);
      for (const Ditch& ditch : recipe.ditches) z -= depth_at(ditch, x, y);
    }
  return ground;
}

}  // namespace knuckleboom::world
