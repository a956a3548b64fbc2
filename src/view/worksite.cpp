#include "view/worksite.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "view/machine_parts.hpp"
#include "view/mesh_builder.hpp"

namespace knuckleboom::view {
namespace {

constexpr Colour kBlock = {0.52, 0.56, 0.60, 0.30};
constexpr Colour kInside = {0.66, 0.70, 0.74, 0.30};
constexpr Colour kSection = {0.80, 0.38, 0.27, 0.02};
constexpr Colour kPegSteel = {0.86, 0.88, 0.90, 0.55};
constexpr Colour kMark = {0.10, 0.12, 0.14, 0.20};
constexpr double kPlateHalf = 0.30;  // m
constexpr double kPlateThick = 0.03;
constexpr double kBelowHole = 0.03;
constexpr int kSegments = 48;  // of three quarters of a circle; a multiple of six, to meet the
                               // corners

// A frame on the surface: z out of the material, the cut quarter is x > 0, y > 0.
Pose block_frame(const WorksiteLook& look) {
  Pose frame;
  const Vec3 z = -look.site_W.R.col(2);
  const Vec3 open = open_side(look);
  const Vec3 towards = (open - open.dot(z) * z).normalized();
  const Vec3 left = z.cross(towards);
  frame.R.col(0) = (towards - left).normalized();
  frame.R.col(1) = (towards + left).normalized();
  frame.R.col(2) = z;
  frame.p = look.site_W.p;
  return frame;
}

double block_half(const WorksiteLook& look) {
  return look.hole ? 1.9 * (look.hole_radius + look.chamfer) + 0.012 : kPlateHalf;
}
double block_thickness(const WorksiteLook& look) {
  return look.hole ? look.depth + kBelowHole : kPlateThick;
}

// Angle k of those from one side of the cut to the other.
double angle(int k) { return std::numbers::pi * (0.5 + 1.5 * static_cast<double>(k) / kSegments); }
Vec3 round(double radius, int k, double z) {
  return {radius * std::cos(angle(k)), radius * std::sin(angle(k)), z};
}
Vec3 square(double half, int k, double z) {
  const double c = std::cos(angle(k)), s = std::sin(angle(k));
  const double r = half / std::max(std::abs(c), std::abs(s));
  return {r * c, r * s, z};
}

void add_section(MeshBuilder& mesh, const WorksiteLook& look, const Pose& frame) {
  const double w = block_half(look), t = block_thickness(look);
  const double r = look.hole_radius, c = look.chamfer, d = look.depth;
  mesh.set_pose(frame);
  mesh.set_colour(kSection);
  // Each corner as (outwards along the cut, up); the two faces point into the cut, +y and +x.
  const auto part = [&](Vec2 a, Vec2 b, Vec2 g, Vec2 e) {
    const auto on_x = [](Vec2 p) { return Vec3(p.x, 0.0, p.y); };
    const auto on_y = [](Vec2 p) { return Vec3(0.0, p.x, p.y); };
    mesh.quad(on_y(a), on_y(b), on_y(g), on_y(e));
    mesh.quad(on_x(e), on_x(g), on_x(b), on_x(a));
  };
  part({0.0, -t}, {w, -t}, {w, -d}, {0.0, -d});
  part({r, -d}, {w, -d}, {w, -c}, {r, -c});
  part({r, -c}, {w, -c}, {w, 0.0}, {r + c, 0.0});
}

void add_block_with_hole(MeshBuilder& mesh, const WorksiteLook& look, const Pose& frame) {
  const double w = block_half(look), t = block_thickness(look);
  const double r = look.hole_radius, c = look.chamfer, d = look.depth;
  mesh.set_pose(frame);
  for (int k = 0; k < kSegments; ++k) {
    mesh.set_colour(kBlock);
    mesh.quad(round(r + c, k, 0.0), square(w, k, 0.0), square(w, k + 1, 0.0),
              round(r + c, k + 1, 0.0));
    mesh.quad(square(w, k, -t), square(w, k + 1, -t), square(w, k + 1, 0.0), square(w, k, 0.0));
    mesh.set_colour(1.12 * kInside);
    if (c > 0.0)
      mesh.quad(round(r, k, -c), round(r + c, k, 0.0), round(r + c, k + 1, 0.0),
                round(r, k + 1, -c));
    mesh.set_colour(kInside);
    mesh.quad(round(r, k, -d), round(r, k, -c), round(r, k + 1, -c), round(r, k + 1, -d));
    mesh.triangle({0.0, 0.0, -d}, round(r, k, -d), round(r, k + 1, -d));
  }
  add_section(mesh, look, frame);
}

void add_plate(MeshBuilder& mesh, const Pose& frame) {
  mesh.set_pose(frame);
  mesh.set_colour(kBlock);
  mesh.box({-kPlateHalf, -kPlateHalf, -kPlateThick}, {kPlateHalf, kPlateHalf, 0.0}, 0.003);
}

// Column from the floor to the worksite.
void add_column(MeshBuilder& mesh, const WorksiteLook& look, const Pose& frame) {
  const double t = block_thickness(look), w = block_half(look);
  const double foot = std::min(w, 0.11);
  mesh.set_pose(frame);
  mesh.set_colour(kDarkPaint);
  mesh.box({-w, -w, -t - 0.015}, {w, w, -t}, 0.002);
  const Vec3 top = frame * Vec3(0.0, 0.0, -t - 0.012);
  if (top.z() < 0.03) return;
  mesh.set_pose({});
  const Vec3 ground(top.x(), top.y(), 0.0);
  mesh.set_colour(1.6 * kDarkPaint);
  mesh.lathe(ground, Vec3::UnitZ(),
             {{0.0, 0.0},
              {0.0, 1.6 * foot},
              {0.02, 1.6 * foot},
              {0.025, 0.62 * foot},
              {top.z(), 0.62 * foot}});
}

}  // namespace

Vec3 open_side(const WorksiteLook&) {
  // Direction with light on the cut and without the machine in front of it.
  constexpr double kAzimuth = 1.72;  // rad
  return {std::cos(kAzimuth), std::sin(kAzimuth), 0.0};
}

osg::ref_ptr<osg::Node> build_worksite(const WorksiteLook& look, const QualitySettings& quality) {
  MeshBuilder mesh(quality.detail);
  mesh.set_texture_scale(1.0);
  const Pose frame = block_frame(look);
  if (look.hole)
    add_block_with_hole(mesh, look, frame);
  else
    add_plate(mesh, frame);
  add_column(mesh, look, frame);
  return mesh.build();
}

osg::ref_ptr<osg::Node> build_grid(const WorksiteLook& look) {
  constexpr double kStep = 0.05, kHalfWidth = 0.0010, kAbove = 0.0003, kEdge = kPlateHalf - 0.01;
  constexpr int kLines = 5;  // to each side
  MeshBuilder mesh;
  mesh.set_pose(block_frame(look));
  mesh.set_colour(0.7 * kBlock);
  for (int i = -kLines; i <= kLines; ++i) {
    const double low = kStep * i - kHalfWidth, high = kStep * i + kHalfWidth;
    mesh.quad({low, -kEdge, kAbove}, {high, -kEdge, kAbove}, {high, kEdge, kAbove},
              {low, kEdge, kAbove});
    mesh.quad({-kEdge, low, kAbove}, {kEdge, low, kAbove}, {kEdge, high, kAbove},
              {-kEdge, high, kAbove});
  }
  return mesh.build();
}

osg::ref_ptr<osg::Node> build_peg(const WorksiteLook& look, const QualitySettings&) {
  constexpr int kSides = 48;
  constexpr double kRing = 0.0008, kStep = 0.01;
  MeshBuilder mesh;
  const Vec3 z = Vec3::UnitZ();
  const double r = look.peg_radius, l = look.peg_length;
  mesh.set_colour(kPegSteel);
  mesh.cylinder(-l * z, Vec3::Zero(), r, r, true, kSides);
  mesh.set_colour(kMark);
  for (int i = 1; kStep * i < l - kRing; ++i) {
    const double width = i % 5 == 0 ? 2.0 * kRing : kRing;
    mesh.cylinder((-kStep * i - 0.5 * width) * z, (-kStep * i + 0.5 * width) * z, r + 5e-5,
                  r + 5e-5, false, kSides);
  }
  const double s = std::max(1.5 * r, 0.03);
  mesh.set_colour(kDarkPaint);
  mesh.lathe(-(l + kSensorLength) * z, z,
             {{0.0, 0.0},
              {0.0, s},
              {0.4 * kSensorLength, s},
              {0.4 * kSensorLength, 0.94 * s},
              {0.6 * kSensorLength, 0.94 * s},
              {0.6 * kSensorLength, s},
              {kSensorLength, s},
              {kSensorLength, 0.0}},
             kSides);
  mesh.set_colour({0.10, 0.55, 0.70, 0.3});
  mesh.cylinder(-(l + 0.6 * kSensorLength) * z, -(l + 0.4 * kSensorLength) * z, 0.945 * s,
                0.945 * s, false, kSides);
  return mesh.build();
}

}  // namespace knuckleboom::view
