#include "view/visitors.hpp"

#include <cstddef>

#include "view/machine_parts.hpp"
#include "view/mesh_builder.hpp"
#include "view/render.hpp"
#include "view/shaders.hpp"

namespace knuckleboom::view {
namespace {

constexpr Colour kVest = {0.95, 0.36, 0.03, 0.10};
constexpr Colour kStripe = {0.88, 0.88, 0.82, 0.60};
constexpr Colour kTrousers = {0.08, 0.10, 0.16, 0.05};
constexpr Colour kSkin = {0.72, 0.52, 0.42, 0.10};
constexpr Colour kHelmet = {0.90, 0.75, 0.06, 0.40};
constexpr Colour kBodywork = {0.70, 0.10, 0.08, 0.55};
constexpr Colour kPanes = {0.10, 0.13, 0.15, 0.80};

// 1.8 m tall, in a vest that is meant to be seen; looks along x.
void add_person(MeshBuilder& mesh) {
  for (const double side : {-1.0, 1.0}) {
    mesh.set_colour(kTrousers);
    mesh.cylinder({side * 0.07, side * 0.10, 0.08}, {0.0, side * 0.09, 0.90}, 0.065, 0.09);
    mesh.set_colour(kDarkPaint);
    mesh.box({side * 0.07 - 0.09, side * 0.10 - 0.055, 0.0},
             {side * 0.07 + 0.19, side * 0.10 + 0.055, 0.11}, 0.02);
    mesh.set_colour(kVest);
    mesh.cylinder({0.0, side * 0.23, 1.42}, {0.03, side * 0.29, 1.12}, 0.055, 0.05);
    mesh.cylinder({0.03, side * 0.29, 1.12}, {0.16, side * 0.26, 0.90}, 0.05, 0.042);
    mesh.set_colour(kSkin);
    mesh.sphere({0.18, side * 0.26, 0.87}, 0.05);
  }
  mesh.set_colour(kVest);
  mesh.cylinder({0.0, 0.0, 0.86}, {0.0, 0.0, 1.20}, 0.17, 0.19);
  mesh.cylinder({0.0, 0.0, 1.20}, {0.0, 0.0, 1.48}, 0.19, 0.15);
  mesh.set_colour(kStripe);
  for (const double z : {0.98, 1.18})
    mesh.cylinder({0.0, 0.0, z}, {0.0, 0.0, z + 0.06}, 0.195, 0.197);
  mesh.set_colour(kSkin);
  mesh.cylinder({0.0, 0.0, 1.46}, {0.01, 0.0, 1.58}, 0.06, 0.06);
  mesh.sphere({0.02, 0.0, 1.64}, 0.105);
  mesh.set_colour(kHelmet);
  mesh.sphere({0.01, 0.0, 1.69}, 0.13);
  mesh.cylinder({0.05, 0.0, 1.68}, {0.05, 0.0, 1.70}, 0.16, 0.16);
}

// A car of 4.5 m; drives along x.
void add_vehicle(MeshBuilder& mesh) {
  mesh.set_colour(kBodywork);
  mesh.box({-2.25, -0.90, 0.35}, {2.25, 0.90, 0.95}, 0.10);
  mesh.loft({{{-2.05, -0.82, 0.93}, {1.05, -0.82, 0.93}, {1.05, 0.82, 0.93}, {-2.05, 0.82, 0.93}},
             {{-1.75, -0.68, 1.66}, {0.25, -0.68, 1.66}, {0.25, 0.68, 1.66}, {-1.75, 0.68, 1.66}}},
            false);
  mesh.set_colour(kPanes);
  mesh.loft({{{-2.00, -0.84, 1.05}, {0.90, -0.84, 1.05}, {0.90, 0.84, 1.05}, {-2.00, 0.84, 1.05}},
             {{-1.80, -0.72, 1.55}, {0.36, -0.72, 1.55}, {0.36, 0.72, 1.55}, {-1.80, 0.72, 1.55}}},
            false);
  for (const double x : {-1.4, 1.4})
    for (const double side : {-1.0, 1.0}) {
      mesh.set_colour(kDarkPaint);
      mesh.cylinder({x, side * 0.68, 0.34}, {x, side * 0.92, 0.34}, 0.34, 0.34, true, 18);
      mesh.set_colour(kSteel);
      mesh.cylinder({x, side * 0.92, 0.34}, {x, side * 0.93, 0.34}, 0.19, 0.17, true, 14);
    }
  mesh.set_colour(kStripe);
  for (const double side : {-1.0, 1.0})
    mesh.box({2.22, side * 0.66 - 0.14, 0.66}, {2.27, side * 0.66 + 0.14, 0.82}, 0.01);
}

}  // namespace

Visitors::Visitors(const SceneDescription& scene, osg::StateSet* paint, double detail)
    : root_(new osg::Group) {
  const auto painted = add_layer(*root_, paint, kSeen | kCastsShadow);
  for (const VisitorLook look : scene.visitors) {
    MeshBuilder mesh(detail);
    if (look == VisitorLook::kPerson)
      add_person(mesh);
    else
      add_vehicle(mesh);
    visitors_.emplace_back(new osg::MatrixTransform);
    visitors_.back()->addChild(mesh.build());
    painted->addChild(visitors_.back());
  }
}

void Visitors::pose(const FramePoses& poses) {
  for (std::size_t i = 0; i < visitors_.size() && i < poses.visitor.size(); ++i)
    visitors_[i]->setMatrix(to_osg(poses.visitor[i]));
}

}  // namespace knuckleboom::view
