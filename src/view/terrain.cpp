#include "view/terrain.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "view/light.hpp"
#include "view/noise.hpp"
#include "view/render.hpp"
#include "view/shaders.hpp"
#include "view/textures.hpp"

namespace knuckleboom::view {
namespace {

constexpr double kFarEdge = 230.0;    // of the drawn ground [m]
constexpr double kFineWithin = 18.0;  // every grid point is drawn [m]
constexpr int kChunk = 16;            // grid squares
constexpr double kDefaultHalf = 40.0;

struct Extent {
  double x0, y0, x1, y1;
};

Extent extent(const world::Ground& ground) {
  if (ground.nx < 2 || ground.ny < 2)
    return {-kDefaultHalf, -kDefaultHalf, kDefaultHalf, kDefaultHalf};
  return {ground.x0, ground.y0, ground.x0 + ground.spacing * (ground.nx - 1),
          ground.y0 + ground.spacing * (ground.ny - 1)};
}

double outside(const Extent& e, double x, double y) {
  return std::hypot(std::max({0.0, e.x0 - x, x - e.x1}), std::max({0.0, e.y0 - y, y - e.y1}));
}

Vec3 surface_normal(const world::Ground& ground, double x, double y) {
  constexpr double h = 0.35;
  const double dx = surface_height(ground, x + h, y) - surface_height(ground, x - h, y);
  const double dy = surface_height(ground, x, y + h) - surface_height(ground, x, y - h);
  return Vec3(-dx, -dy, 2.0 * h).normalized();
}

// --- Colours ------------------------------------------------------------------

// Sunlight on the plot, 1 where no tree shades it.
class SunMap {
 public:
  SunMap(int size, double half)
      : size_(size),
        half_(half),
        sun_(static_cast<std::size_t>(size) * static_cast<std::size_t>(size), 1.0F) {}

  void shade(double x, double y, double radius, double strength) {
    const double scale = size_ / (2.0 * half_);
    const double cx = (x + half_) * scale;
    const double cy = (y + half_) * scale;
    const double r = std::max(0.7, radius * scale);
    const int x0 = std::max(0, static_cast<int>(cx - r));
    const int x1 = std::min(size_ - 1, static_cast<int>(cx + r) + 1);
    const int y0 = std::max(0, static_cast<int>(cy - r));
    const int y1 = std::min(size_ - 1, static_cast<int>(cy + r) + 1);
    for (int iy = y0; iy <= y1; ++iy)
      for (int ix = x0; ix <= x1; ++ix) {
        const double d = std::hypot(ix + 0.5 - cx, iy + 0.5 - cy) / r;
        if (d >= 1.0) continue;
        auto& value = sun_[static_cast<std::size_t>(iy) * static_cast<std::size_t>(size_) +
                           static_cast<std::size_t>(ix)];
        value =
            std::min(value, static_cast<float>(1.0 - strength * std::min(1.0, 2.2 * (1.0 - d))));
      }
  }
  double at(int ix, int iy) const {
    return sun_[static_cast<std::size_t>(iy) * static_cast<std::size_t>(size_) +
                static_cast<std::size_t>(ix)];
  }

 private:
  int size_;
  double half_;
  std::vector<float> sun_;
};

void shade_by(const Tree& tree, SunMap& map) {
  const Vec3 sun = sun_direction();
  const double dx = -sun.x() / sun.z();
  const double dy = -sun.y() / sun.z();
  const double crown = tree.species == Species::kSpruce ? 0.15 : 0.13;
  constexpr double kStep = 0.45;
  Random random(tree.seed);
  for (double z = 0.0; z < tree.height; z += kStep) {
    const double t = z / tree.height;
    const double c = (t - tree.crown_from) / (1.0 - tree.crown_from);
    double radius = tree.radius * (1.0 - 0.7 * t);
    double strength = 0.9;
    if (c > 0.0) {
      const double shape = tree.species == Species::kSpruce
                               ? std::pow(1.0 - c, 0.8)
                               : std::sqrt(std::max(0.02, 1.0 - (2.0 * c - 1.0) * (2.0 * c - 1.0)));
      radius = std::max(radius, crown * tree.height * shape * random.in(0.7, 1.1));
      strength = 0.80;
    }
    const double x =
        tree.x + t * tree.lean_x + dx * z + (c > 0.0 ? random.around(0.0, 0.25 * radius) : 0.0);
    const double y =
        tree.y + t * tree.lean_y + dy * z + (c > 0.0 ? random.around(0.0, 0.25 * radius) : 0.0);
    map.shade(x, y, radius, strength);
  }
}

// Share of torn-up ground: along the track of the machine and around it.
double mud_at(double x, double y) {
  const double way = x < 3.2 ? std::max(0.0, std::abs(y) - 1.75) : std::hypot(x - 3.2, y);
  const double ragged = 1.1 * (fractal(0.6 * x, 0.6 * y, 3, 0, 43) - 0.5);
  return std::clamp(1.0 - (way + ragged) / 1.3, 0.0, 1.0);
}

// --- Mesh ---------------------------------------------------------------------

class GroundMesh {
 public:
  GroundMesh(const world::Ground& ground, double plot_half)
      : ground_(ground), plot_half_(plot_half) {}

  unsigned corner(double x, double y, double drop = 0.0) {
    const Vec3 p(x, y, surface_height(ground_, x, y) - drop);
    const double u = 0.5 + 0.5 * x / plot_half_;
    const double v = 0.5 + 0.5 * y / plot_half_;
    return mesh_.vertex(p, surface_normal(ground_, x, y), u, v);
  }
  void square(unsigned a, unsigned b, unsigned c, unsigned d) {
    mesh_.index(a, b, c);
    mesh_.index(a, c, d);
  }
  MeshBuilder& mesh() { return mesh_; }

 private:
  const world::Ground& ground_;
  double plot_half_;
  MeshBuilder mesh_;
};

// Squares of a chunk every `step` grid points, with a skirt that closes gaps to coarser neighbours.
void add_chunk(GroundMesh& mesh, double x0, double y0, double spacing, int nx, int ny, int step) {
  std::vector<int> ix;
  std::vector<int> iy;
  for (int i = 0; i < nx; i += step) ix.push_back(i);
  ix.push_back(nx);
  for (int i = 0; i < ny; i += step) iy.push_back(i);
  iy.push_back(ny);
  const std::size_t columns = ix.size();
  const std::size_t rows = iy.size();
  std::vector<unsigned> grid;
  for (const int k : iy)
    for (const int i : ix) grid.push_back(mesh.corner(x0 + spacing * i, y0 + spacing * k));
  for (std::size_t k = 0; k + 1 < rows; ++k)
    for (std::size_t i = 0; i + 1 < columns; ++i) {
      const std::size_t a = k * columns + i;
      mesh.square(grid[a], grid[a + 1], grid[a + columns + 1], grid[a + columns]);
    }
  if (step == 1) return;
  constexpr double kSkirt = 0.35;
  const auto skirt = [&](int i0, int k0, int i1, int k1) {
    const unsigned a = mesh.corner(x0 + spacing * i0, y0 + spacing * k0);
    const unsigned b = mesh.corner(x0 + spacing * i1, y0 + spacing * k1);
    const unsigned c = mesh.corner(x0 + spacing * i1, y0 + spacing * k1, kSkirt);
    const unsigned d = mesh.corner(x0 + spacing * i0, y0 + spacing * k0, kSkirt);
    mesh.square(a, d, c, b);
    mesh.square(a, b, c, d);
  };
  for (std::size_t i = 0; i + 1 < columns; ++i) {
    skirt(ix[i], 0, ix[i + 1], 0);
    skirt(ix[i], ny, ix[i + 1], ny);
  }
  for (std::size_t k = 0; k + 1 < rows; ++k) {
    skirt(0, iy[k], 0, iy[k + 1]);
    skirt(nx, iy[k], nx, iy[k + 1]);
  }
}

// Square rings from the edge of the plot outwards.
void add_hills(GroundMesh& mesh, const Extent& e) {
  constexpr int kPerSide = 20;
  const double cx = 0.5 * (e.x0 + e.x1);
  const double cy = 0.5 * (e.y0 + e.y1);
  const double hx = 0.5 * (e.x1 - e.x0);
  const double hy = 0.5 * (e.y1 - e.y0);
  std::vector<unsigned> last;
  double grow = 0.0;
  for (int ring = 0; ring < 12; ++ring) {
    std::vector<unsigned> now;
    for (int k = 0; k < 4 * kPerSide; ++k) {
      const int side = k / kPerSide;
      const double t = -1.0 + 2.0 * (k % kPerSide) / kPerSide;
      const double sx = side == 0 ? t : side == 1 ? 1.0 : side == 2 ? -t : -1.0;
      const double sy = side == 0 ? -1.0 : side == 1 ? t : side == 2 ? 1.0 : -t;
      const double inwards = ring == 0 ? -0.6 : grow;
      now.push_back(
          mesh.corner(cx + sx * (hx + inwards), cy + sy * (hy + inwards), ring == 0 ? 0.12 : 0.0));
    }
    for (std::size_t k = 0; ring > 0 && k < now.size(); ++k) {
      const std::size_t m = (k + 1) % now.size();
      mesh.square(last[k], now[k], now[m], last[m]);
    }
    last = now;
    grow = ring == 0 ? 0.5 : 1.5 * grow + 4.0;
    if (hx + grow > kFarEdge) break;
  }
}

// Two bands of torn earth with the prints of the shoes.
osg::ref_ptr<osg::Geometry> build_tracks(const SceneDescription& scene, const TrackGauge& tracks) {
  MeshBuilder mesh;
  constexpr double kFrom = -46.0;
  constexpr double kStep = 0.5;
  for (const double side : {-1.0, 1.0}) {
    const double to = 0.5 * tracks.length + 0.1;
    unsigned last = 0;
    for (double x = kFrom; x <= to + 1e-9; x += kStep) {
      const double bend = 0.010 * (x < -6.0 ? (x + 6.0) * (x + 6.0) : 0.0) * 0.25;
      unsigned first = 0;
      for (int k = 0; k < 4; ++k) {
        const double across = tracks.width * 1.12 * (k / 3.0 - 0.5);
        const double y = bend + side * tracks.centre + across;
        const double z = surface_height(scene.ground, x, y) + 0.02;
        const unsigned v =
            mesh.vertex({x, y, z}, surface_normal(scene.ground, x, y), x / 1.2, k / 3.0);
        if (k == 0) first = v;
      }
      if (x > kFrom)
        for (unsigned k = 0; k < 3; ++k) {
          mesh.index(last + k, first + k, first + k + 1);
          mesh.index(last + k, first + k + 1, last + k + 1);
        }
      last = first;
    }
  }
  return mesh.build();
}

Image paint_track(int size) {
  Image image(size, size, {0.3, 0.24, 0.18, 0.1});
  image.fill([](double u, double v) {
    const double rough = fractal(9.0 * u, 9.0 * v, 4, 9, 301);
    const double bar = std::abs(std::remainder(6.0 * u + 0.15 * rough, 1.0));
    const double edge = std::min(v, 1.0 - v) + 0.22 * (fractal(7.0 * u, 7.0 * v, 3, 7, 307) - 0.5);
    const double print = bar < 0.13 && edge > 0.12 ? 0.55 : 1.0;
    const double ridge = bar > 0.13 && bar < 0.22 ? 1.25 : 1.0;
    const double tone = print * ridge * (0.6 + 0.8 * rough);
    return Colour{0.27 * tone, 0.205 * tone, 0.145 * tone, edge > 0.10 ? 0.45 : 0.0};
  });
  return image;
}

}  // namespace

double surface_height(const world::Ground& ground, double x, double y) {
  const double d = outside(extent(ground), x, y);
  const double base = world::height(ground, x, y);
  if (d <= 0.0) return base;
  const double rise = std::min(1.0, d / 70.0);
  const double hill = fractal(0.016 * x + 3.0, 0.016 * y + 7.0, 3, 0, 51) - 0.42;
  return base + rise * rise * (3.0 - 2.0 * rise) * 22.0 * hill;
}

double plot_half_edge(const world::Ground& ground) {
  const Extent e = extent(ground);
  return std::clamp(std::max({-e.x0, e.x1, -e.y0, e.y1}), 20.0, 60.0);
}

Image paint_plot(const SceneDescription& scene, const ForestPlan& plan, int size) {
  const double half = plot_half_edge(scene.ground);
  SunMap sun(size, half);
  for (const Tree& tree : plan.trees) shade_by(tree, sun);
  Image image(size, size, {});
  for (int iy = 0; iy < size; ++iy)
    for (int ix = 0; ix < size; ++ix) {
      const double x = half * (2.0 * (ix + 0.5) / size - 1.0);
      const double y = half * (2.0 * (iy + 0.5) / size - 1.0);
      const double moss = fractal(0.16 * x, 0.16 * y, 4, 0, 21);
      const double bare = fractal(0.31 * x + 50.0, 0.31 * y, 3, 0, 29);
      Colour c = mix({0.60, 0.50, 0.36, 1.0}, {0.50, 0.60, 0.33, 1.0},
                     std::clamp(3.2 * (moss - 0.36), 0.0, 1.0));
      c = mix(c, {0.66, 0.58, 0.40, 1.0}, std::clamp(2.5 * (bare - 0.58), 0.0, 0.7));
      const double mud = mud_at(x, y);
      c = mix(c, {0.40, 0.31, 0.22, 1.0}, 0.85 * mud);
      const double leaves = 0.75 + 0.5 * fractal(1.7 * x, 1.7 * y, 2, 0, 37);
      const double light = sun.at(ix, iy);
      c = leaves * c;
      // Shade is uneven, with flecks of sunlight.
      const double fleck = fractal(2.1 * x, 2.1 * y, 2, 0, 33) > 0.66 ? 0.30 : 0.0;
      c.a = std::min(1.0, light + (light < 0.9 ? fleck : 0.0));
      image.set(ix, iy, c);
    }
  // Darker around objects on the ground.
  const double scale = size / (2.0 * half);
  const auto darken = [&](double x, double y, double radius, double depth) {
    const double cx = (x + half) * scale;
    const double cy = (y + half) * scale;
    const double r = std::max(1.5, radius * scale);
    for (int iy = std::max(0, static_cast<int>(cy - r));
         iy <= std::min(size - 1, static_cast<int>(cy + r)); ++iy)
      for (int ix = std::max(0, static_cast<int>(cx - r));
           ix <= std::min(size - 1, static_cast<int>(cx + r)); ++ix) {
        const double d = std::hypot(ix + 0.5 - cx, iy + 0.5 - cy) / r;
        if (d >= 1.0) continue;
        const Colour c = image.at(ix, iy);
        image.set(ix, iy, (1.0 - depth * (1.0 - d)) * c);
      }
  };
  for (const Tree& tree : plan.trees) darken(tree.x, tree.y, 4.0 * tree.radius + 0.3, 0.55);
  for (const Stone& stone : plan.stones) darken(stone.x, stone.y, 1.5 * stone.size + 0.1, 0.5);
  return image;
}

osg::ref_ptr<osg::Group> build_terrain(const SceneDescription& scene, const ForestPlan& plan,
                                       const TrackGauge& tracks, const QualitySettings& quality) {
  const Extent e = extent(scene.ground);
  const double half = plot_half_edge(scene.ground);
  const bool flat = scene.ground.nx < 2;
  const double spacing = flat ? 2.0 : scene.ground.spacing;
  const int nx = flat ? static_cast<int>((e.x1 - e.x0) / spacing) : scene.ground.nx - 1;
  const int ny = flat ? static_cast<int>((e.y1 - e.y0) / spacing) : scene.ground.ny - 1;

  // Pieces drawn or culled together.
  std::map<std::pair<int, int>, GroundMesh> pieces;
  for (int k = 0; k < ny; k += kChunk)
    for (int i = 0; i < nx; i += kChunk) {
      const int cx = std::min(kChunk, nx - i);
      const int cy = std::min(kChunk, ny - k);
      const double x0 = e.x0 + spacing * i;
      const double y0 = e.y0 + spacing * k;
      const double x = x0 + 0.5 * spacing * cx;
      const double y = y0 + 0.5 * spacing * cy;
      const double r = std::max(std::abs(x), std::abs(y));
      const int step = flat || r < kFineWithin ? 1 : 4;
      const std::pair<int, int> key = {static_cast<int>(std::floor((x + 13.0) / 26.0)),
                                       static_cast<int>(std::floor((y + 13.0) / 26.0))};
      auto piece = pieces.try_emplace(key, scene.ground, half).first;
      add_chunk(piece->second, x0, y0, spacing, cx, cy, step);
    }
  GroundMesh hills(scene.ground, half);
  add_hills(hills, e);

  osg::ref_ptr<osg::Group> group = new osg::Group;
  const auto plot = paint_plot(scene, plan, quality.ground_texture).texture(false);
  plot->setWrap(osg::Texture::WRAP_S, osg::Texture::MIRROR);
  plot->setWrap(osg::Texture::WRAP_T, osg::Texture::MIRROR);
  const auto detail = paint_forest_floor(quality.fine_ground ? 1024 : 512).texture(true);
  const auto ground = add_layer(*group, ground_state(quality, plot, detail), kSeen);
  for (auto& [key, piece] : pieces) ground->addChild(piece.mesh().build());
  ground->addChild(hills.mesh().build());

  if (scene.machine.imported || scene.machine.on_wheels)
    return group;  // it has left no prints of tracks
  add_layer(*group, cut_solid_state(quality, paint_track(256).texture(true)), kSeen)
      ->addChild(build_tracks(scene, tracks));
  return group;
}

}  // namespace knuckleboom::view
