#include "view/logs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "view/machine_parts.hpp"
#include "view/noise.hpp"
#include "view/render.hpp"
#include "view/shaders.hpp"
#include "view/terrain.hpp"
#include "view/turn.hpp"
#include "view/way_marks.hpp"

namespace knuckleboom::view {
namespace {

Colour paint_of(int colour) {
  if (colour == 1) return {0.86, 0.10, 0.06, 0.25};
  if (colour == 2) return {0.08, 0.26, 0.82, 0.25};
  return {0.80, 0.80, 0.78, 0.25};
}

// Bark with knots and a slight bend; its radius stays within a few per cent of the contact radius.
void add_bark(MeshBuilder& mesh, const world::Log& log, std::uint32_t seed) {
  const int sides = std::max(10, mesh.sides(log.radius));
  const int rings = std::max(6, static_cast<int>(log.length / 0.4));
  Random random(seed);
  const Colour bark = {0.62 * random.in(0.85, 1.15), 0.50 * random.in(0.9, 1.1), 0.40, 0.06};
  const double band = std::min(0.16, 0.1 * log.length);  // painted, at both ends
  std::vector<double> places;
  if (log.colour != 0)
    places = {0.0, band};
  else
    places = {0.0};
  for (int i = 1; i < rings; ++i) {
    const double x = log.length * i / rings;
    if (log.colour == 0 || (x > band + 0.05 && x < log.length - band - 0.05)) places.push_back(x);
  }
  if (log.colour != 0) places.push_back(log.length - band);
  places.push_back(log.length);
  unsigned last = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double x = places[i];
    const bool painted_edge = log.colour != 0 && (i == 1 || i + 2 == places.size());
    // Colours change hard where the paint ends: a double ring there.
    for (int copy = 0; copy < (painted_edge ? 2 : 1); ++copy) {
      const bool is_painted = log.colour != 0 && (x < band - 1e-6 || x > log.length - band + 1e-6 ||
                                                  (painted_edge && (i == 1) == (copy == 0)));
      mesh.set_colour(is_painted ? mix(paint_of(log.colour), bark, 0.12) : bark);
      unsigned first = 0;
      for (int k = 0; k <= sides; ++k) {
        const double angle = kTwoPi * k / sides;
        const double bump =
            1.0 + 0.06 * (noise(1.7 * x + 20.0, 3.0 * std::cos(angle) + 20.0, 0, seed) - 0.5) +
            0.05 * (noise(3.0 * std::sin(angle) + 9.0, 0.9 * x, 0, seed + 1) - 0.5);
        const Vec3 out(0.0, std::cos(angle), std::sin(angle));
        const unsigned v =
            mesh.vertex(Vec3(x - 0.5 * log.length, 0.0, 0.0) + log.radius * bump * out, out,
                        2.0 * k / sides, 0.8 * x);
        if (k == 0) first = v;
      }
      if (i > 0 && copy == 0)
        for (unsigned k = 0; k < static_cast<unsigned>(sides); ++k) {
          mesh.index(last + k, last + k + 1, first + k + 1);
          mesh.index(last + k, first + k + 1, first + k);
        }
      last = first;
    }
  }
}

void add_ends(MeshBuilder& mesh, const world::Log& log) {
  const int sides = std::max(14, mesh.sides(log.radius));
  const Colour paint = log.colour == 0
                           ? Colour{1.0, 1.0, 1.0, 0.05}
                           : mix(1.25 * paint_of(log.colour), {1.0, 0.9, 0.8, 0.1}, 0.10);
  mesh.set_colour(paint);
  for (const double side : {-1.0, 1.0}) {
    const Vec3 n(side, 0.0, 0.0);
    const Vec3 centre = 0.5 * log.length * n;
    const unsigned middle = mesh.vertex(centre, n, 0.5, 0.5);
    for (int k = 0; k <= sides; ++k) {
      const double angle = side * kTwoPi * k / sides;
      const double c = std::cos(angle);
      const double s = std::sin(angle);
      mesh.vertex(centre + 1.0 * log.radius * Vec3(0.0, c, s), n, 0.5 + 0.49 * c, 0.5 + 0.49 * s);
    }
    for (unsigned k = 0; k < static_cast<unsigned>(sides); ++k)
      mesh.index(middle, middle + 1 + k, middle + 2 + k);
  }
}

void add_bunk(MeshBuilder& mesh, const world::Bunk& bunk, const world::Ground& ground) {
  Pose pose;
  pose.R = Eigen::AngleAxisd(bunk.heading, Vec3::UnitZ()).toRotationMatrix();
  pose.p = Vec3(bunk.x, bunk.y, 0.0);
  for (const double end : {-1.0, 1.0}) {
    const double x = 0.5 * end * bunk.length;
    const Vec3 middle = pose * Vec3(x, 0.0, 0.0);
    const double z = surface_height(ground, middle.x(), middle.y());
    Pose here = pose;
    here.p = Vec3(middle.x(), middle.y(), z);
    mesh.set_pose(here);
    mesh.set_colour(kDarkPaint);
    const double half = 0.5 * bunk.width;
    mesh.box({-0.07, -half - 0.07, -0.12}, {0.07, half + 0.07, 0.0}, 0.012);
    mesh.box({-0.16, -half - 0.02, -0.16}, {0.16, -half + 0.25, -0.11}, 0.01);
    mesh.box({-0.16, half - 0.25, -0.16}, {0.16, half + 0.02, -0.11}, 0.01);
    for (const double side : {-1.0, 1.0}) {
      const double y = side * (half + 0.02);
      mesh.set_colour(kDarkPaint);
      mesh.box({-0.045, y - 0.045, 0.0}, {0.045, y + 0.045, bunk.height}, 0.008);
      mesh.set_colour(paint_of(bunk.colour));
      mesh.box({-0.052, y - 0.052, 0.62 * bunk.height}, {0.052, y + 0.052, bunk.height - 0.04},
               0.008);
      mesh.set_colour(kSteel);
      mesh.box({-0.055, y - 0.055, 0.0}, {0.055, y + 0.055, 0.06}, 0.008);
      // A strut on the outer side.
      mesh.set_colour(kDarkPaint);
      mesh.cylinder({0.0, y + side * 0.02, 0.38 * bunk.height},
                    {end * 0.28, y + side * 0.02, -0.08}, 0.022, 0.022, true, 8);
    }
  }
  // A coloured board, visible from afar.
  if (bunk.colour != 0) {
    Pose here = pose;
    here.p.z() = surface_height(ground, bunk.x, bunk.y);
    mesh.set_pose(here);
    mesh.set_colour(paint_of(bunk.colour));
    const double x = 0.5 * bunk.length;
    const double y = 0.5 * bunk.width + 0.07;
    for (const double end : {-1.0, 1.0})
      mesh.box({end * x - 0.012 + end * 0.09, -0.3 * y, -0.11},
               {end * x + 0.012 + end * 0.09, 0.3 * y, 0.0}, 0.004);
  }
}

}  // namespace

Logs::Logs(const SceneDescription& scene, const LogStates& states) : root_(new osg::Group) {
  const auto bark = add_layer(*root_, states.bark, kSeen | kCastsShadow);
  const auto wood = add_layer(*root_, states.wood, kSeen | kCastsShadow);
  const auto steel = add_layer(*root_, states.steel, kSeen | kCastsShadow);
  std::uint32_t seed = 1;
  for (const world::Log& log : scene.world.logs) {
    Log parts{new osg::MatrixTransform, new osg::MatrixTransform, log.spare, log.length,
              log.radius};
    MeshBuilder bark_mesh(states.detail);
    add_bark(bark_mesh, log, hash(seed++));
    parts.bark->addChild(bark_mesh.build());
    bark->addChild(parts.bark);
    MeshBuilder ends(states.detail);
    add_ends(ends, log);
    parts.ends->addChild(ends.build());
    wood->addChild(parts.ends);
    logs_.push_back(parts);
  }
  MeshBuilder bunks(states.detail);
  for (const world::Bunk& bunk : scene.world.bunks) add_bunk(bunks, bunk, scene.ground);
  add_way(bunks, scene);
  if (!bunks.empty()) steel->addChild(bunks.build());
}

void Logs::pose(const FramePoses& poses) {
  std::size_t cut = 0;
  for (std::size_t i = 0; i < logs_.size() && i < static_cast<std::size_t>(poses.log_count); ++i) {
    osg::Matrixd matrix = to_osg(poses.log[i]);
    if (logs_[i].spare) {
      const bool there = cut < static_cast<std::size_t>(poses.cut_count);
      const world::LogSize size = there ? poses.cut[cut++] : world::LogSize{};
      const double thick = size.radius / logs_[i].radius;
      matrix.preMultScale(osg::Vec3d(size.length / logs_[i].length, thick, thick));
    }
    logs_[i].bark->setMatrix(matrix);
    logs_[i].ends->setMatrix(matrix);
  }
}

}  // namespace knuckleboom::view
