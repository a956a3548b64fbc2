#include "view/way_marks.hpp"

#include <algorithm>

#include "view/terrain.hpp"

namespace knuckleboom::view {
namespace {

constexpr double kStickEvery = 5.0, kStickHeight = 1.4, kStickRadius = 0.03;  // m
constexpr double kPoleHeight = 2.0, kPoleRadius = 0.035;                      // m
constexpr double kBand = 0.12, kBandLift = 0.025, kBandPiece = 0.25;          // m
constexpr double kEdge = 0.10, kEdgePiece = 0.5;                              // m
constexpr Colour kStickWhite = {0.85, 0.85, 0.80, 0.10};
constexpr Colour kEdgeOrange = {0.85, 0.30, 0.05, 0.10};
constexpr Colour kStopYellow = {0.90, 0.70, 0.05, 0.10};

}  // namespace

void add_way(MeshBuilder& mesh, const SceneDescription& scene) {
  const world::Way way(scene.world.way);
  if (!way.present()) return;
  const double half = 0.5 * scene.world.way.width;
  const auto beside = [&](double along, double left) {
    const world::WayPoint at = way.at(along);
    const double x = at.x - left * at.ahead_y, y = at.y + left * at.ahead_x;
    return Vec3(x, y, surface_height(scene.ground, x, y));
  };
  mesh.set_pose({});
  for (double along = 0.0; along <= way.length(); along += kStickEvery)
    for (const double side : {-1.0, 1.0}) {
      const Vec3 foot = beside(along, side * half);
      const Vec3 neck = foot + 0.7 * kStickHeight * Vec3::UnitZ();
      mesh.set_colour(kStickWhite);
      mesh.cylinder(foot - 0.1 * Vec3::UnitZ(), neck, kStickRadius, kStickRadius, false, 6);
      mesh.set_colour(kEdgeOrange);
      mesh.cylinder(neck, foot + kStickHeight * Vec3::UnitZ(), kStickRadius, kStickRadius, true, 6);
    }
  mesh.set_colour(kEdgeOrange);
  const Vec3 lift = kBandLift * Vec3::UnitZ();
  for (double along = 0.0; along < way.length(); along += kEdgePiece)
    for (const double side : {-1.0, 1.0}) {
      const double right = side * half - 0.5 * kEdge, left = side * half + 0.5 * kEdge;
      const double next = along + kEdgePiece;
      mesh.quad(beside(along, right) + lift, beside(next, right) + lift, beside(next, left) + lift,
                beside(along, left) + lift);
    }
  mesh.set_colour(kStopYellow);
  for (const double stop : scene.world.way.stops) {
    for (const double side : {-1.0, 1.0}) {
      const Vec3 foot = beside(stop, side * (half + 0.15));
      mesh.cylinder(foot, foot + kPoleHeight * Vec3::UnitZ(), kPoleRadius, kPoleRadius, true, 10);
    }
    for (double y = -half; y < half - 1e-6; y += kBandPiece) {
      const double z = std::min(half, y + kBandPiece);
      mesh.quad(beside(stop - kBand, y) + lift, beside(stop + kBand, y) + lift,
                beside(stop + kBand, z) + lift, beside(stop - kBand, z) + lift);
    }
  }
}

}  // namespace knuckleboom::view
