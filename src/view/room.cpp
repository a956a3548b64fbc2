#include "view/room.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <osg/Uniform>

#include "view/geometry.hpp"
#include "view/image.hpp"
#include "view/light.hpp"
#include "view/render.hpp"
#include "view/shaders.hpp"
#include "view/textures.hpp"

namespace knuckleboom::view {
namespace {

constexpr double kPlatform = 1.9;     // radius of the floor from afar [m]
constexpr double kRoomRadius = 14.0;  // m
constexpr double kRoomHaze = 9.0;     // m

Pose along(int axis) {
  Pose pose;
  pose.R.col(2) = Vec3::Unit(axis);
  pose.R.col(0) = Vec3::Unit((axis + 1) % 3);
  pose.R.col(1) = Vec3::Unit((axis + 2) % 3);
  return pose;
}

}  // namespace

osg::Vec4f room_colour(const Colour& c) {
  return {static_cast<float>(c.r), static_cast<float>(c.g), static_cast<float>(c.b),
          static_cast<float>(c.a)};
}

void add_room_air(osg::StateSet& state) {
  state.addUniform(new osg::Uniform(
      "u_haze", osg::Vec3f(static_cast<float>(kRoom.r), static_cast<float>(kRoom.g),
                           static_cast<float>(kRoom.b))));
  state.addUniform(new osg::Uniform("u_haze_length", static_cast<float>(kRoomHaze)));
  state.addUniform(new osg::Uniform("u_tint", osg::Vec4f(1.0F, 1.0F, 1.0F, 1.0F)));
}

void add_rod(MeshBuilder& mesh, const Pose& pose, double length, double radius_a, double radius_b,
             const Colour& colour, bool dashed) {
  constexpr int kSides = 10;
  mesh.set_pose(pose);
  const int pieces = dashed ? 5 : 1;
  for (int i = 0; i < pieces; ++i) {
    const double from = length * i / pieces;
    const double to = length * (i + (dashed ? 0.6 : 1.0)) / pieces;
    for (int k = 0; k < kSides; ++k) {
      const double a = 2.0 * std::numbers::pi * k / kSides;
      const double b = 2.0 * std::numbers::pi * (k + 1) / kSides;
      Colour shade = (0.80 + 0.20 * std::cos(a - 0.9)) * colour;
      shade.a = colour.a;
      mesh.set_colour(shade);
      const Vec3 pa(std::cos(a), std::sin(a), 0.0), pb(std::cos(b), std::sin(b), 0.0);
      const Vec3 zf = from * Vec3::UnitZ(), zt = to * Vec3::UnitZ();
      mesh.quad(zf + radius_a * pa, zf + radius_a * pb, zt + radius_b * pb, zt + radius_b * pa);
    }
  }
}

osg::ref_ptr<osg::MatrixTransform> axes(double size, bool dashed) {
  constexpr Colour kAxis[3] = {
      {0.90, 0.16, 0.12, 1.0}, {0.10, 0.66, 0.22, 1.0}, {0.12, 0.36, 0.95, 1.0}};
  MeshBuilder mesh;
  const double r = (dashed ? 0.022 : 0.036) * size;
  const double length = dashed ? 1.5 * size : size;
  for (int i = 0; i < 3; ++i) {
    Colour colour = kAxis[i];
    if (dashed) colour = mix(colour, {1.0, 1.0, 1.0, 1.0}, 0.25);
    add_rod(mesh, along(i), length, r, r, colour, dashed);
    Pose end = along(i);
    end.p = length * Vec3::Unit(i);
    add_rod(mesh, end, 5.0 * r, 2.6 * r, 0.0, colour, false);
  }
  osg::ref_ptr<osg::MatrixTransform> node = new osg::MatrixTransform;
  node->addChild(mesh.build());
  return node;
}

ForceArrow::ForceArrow(double radius, const Colour& colour)
    : radius_(radius),
      node_(new osg::Group),
      shaft_(new osg::MatrixTransform),
      head_(new osg::MatrixTransform) {
  const double r = radius;
  MeshBuilder shaft;
  add_rod(shaft, {}, 1.0, r, r, colour, false);
  shaft_->addChild(shaft.build());
  MeshBuilder head;
  add_rod(head, {}, 6.0 * r, 2.8 * r, 0.0, colour, false);
  Pose back;
  back.R.col(1) = -Vec3::UnitY();
  back.R.col(2) = -Vec3::UnitZ();
  add_rod(head, back, 0.0001, 0.0, 2.8 * r, 0.8 * colour, false);
  head_->addChild(head.build());
  node_->addChild(shaft_);
  node_->addChild(head_);
}

void ForceArrow::pose(const Vec3& from, const Vec3& along, double least) {
  const double length = along.norm();
  const bool seen = length > least;
  shaft_->setNodeMask(seen ? ~0U : 0U);
  head_->setNodeMask(seen ? ~0U : 0U);
  if (!seen) return;
  Pose pose;
  pose.R.col(2) = along / length;
  pose.R.col(0) = across(along);
  pose.R.col(1) = pose.R.col(2).cross(pose.R.col(0));
  pose.p = from;
  const double head = 6.0 * radius_;
  const double scale = std::min(1.0, length / head);
  const double shaft = std::max(1e-6, length - head * scale);
  shaft_->setMatrix(osg::Matrixd::scale(scale, scale, shaft) * to_osg(pose));
  pose.p += shaft * pose.R.col(2);
  head_->setMatrix(osg::Matrixd::scale(scale, scale, scale) * to_osg(pose));
}

osg::ref_ptr<osg::Node> build_floor(const QualitySettings& quality, double size) {
  Image tiles(128, 128, {1.0, 1.0, 1.0, 1.0});
  tiles.fill([](double u, double v) -> Colour {
    const double edge = std::min(std::min(u, 1.0 - u), std::min(v, 1.0 - v));
    const double shade = edge < 0.012 ? 0.74 : 1.0;
    return {shade, shade, shade, 0.35};
  });
  constexpr Colour kFloor = {0.60, 0.62, 0.64, 0.22};
  MeshBuilder room;
  room.set_colour(kFloor);
  const auto corner = [size](MeshBuilder& mesh, double x, double y) {
    return mesh.vertex({size * x, size * y, 0.0}, Vec3::UnitZ(), 2.0 * x, 2.0 * y);
  };
  const int half = static_cast<int>(kRoomRadius);
  for (int x = -half; x < half; ++x)
    for (int y = -half; y < half; ++y) {
      if (std::hypot(x + 0.5, y + 0.5) > kRoomRadius) continue;
      const unsigned a = corner(room, x, y), b = corner(room, x + 1, y),
                     c = corner(room, x + 1, y + 1), d = corner(room, x, y + 1);
      room.index(a, b, c);
      room.index(a, c, d);
    }
  MeshBuilder platform;
  platform.set_colour(kFloor);
  constexpr int kSides = 48;
  const unsigned middle = corner(platform, 0.0, 0.0);
  for (int k = 0; k <= kSides; ++k) {
    const double angle = 2.0 * std::numbers::pi * k / kSides;
    corner(platform, kPlatform * std::cos(angle), kPlatform * std::sin(angle));
    const auto v = middle + static_cast<unsigned>(k);
    if (k > 0) platform.index(middle, v, v + 1);
  }
  platform.set_colour(0.6 * kFloor);
  platform.cylinder({0.0, 0.0, -0.08}, {0.0, 0.0, -0.001}, kPlatform, kPlatform, false, kSides);
  auto state = solid_state(quality, tiles.texture(true));
  state->setRenderBinDetails(static_cast<int>(Layer::kGround), "RenderBin");
  osg::ref_ptr<osg::Group> both = new osg::Group;
  both->setStateSet(state);
  add_layer(*both, nullptr, kDecoration)->addChild(room.build());
  add_layer(*both, nullptr, kFromAfar)->addChild(platform.build());
  return both;
}

FramePoses frame_poses(const std::array<Pose, kMaxLinks>& bodies) {
  FramePoses poses;
  poses.body = bodies;
  return poses;
}

double full_force(double largest_N) {
  double full = 10.0;
  for (int step = 0; full < largest_N && step < 30; ++step) full *= step % 3 == 1 ? 2.5 : 2.0;
  return full;
}

}  // namespace knuckleboom::view
