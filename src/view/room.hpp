// The room that machines are shown in without a forest: its floor and air, and marks in it: axes and arrows.
#pragma once

#include <array>

#include <osg/MatrixTransform>
#include <osg/StateSet>
#include <osg/Vec4f>
#include <osg/ref_ptr>

#include "view/mesh_builder.hpp"
#include "view/poses.hpp"
#include "view/quality.hpp"

namespace knuckleboom::view {

inline constexpr Colour kRoom = {0.80, 0.83, 0.85};
inline constexpr Colour kForceColour = {0.93, 0.10, 0.45, 1.0};
inline constexpr unsigned kFromAfar = 64U;  // traversal of a distant view

osg::Vec4f room_colour(const Colour& colour);
void add_room_air(osg::StateSet& state);

// A tiled floor that fades into the room; a round piece of it for the distant view. tile: edge of a tile times 2 [m].
osg::ref_ptr<osg::Node> build_floor(const QualitySettings& quality, double tile = 1.0);

// A rod along z with colours as if lit from the side: marks are unlit.
void add_rod(MeshBuilder& mesh, const Pose& pose, double length, double radius_a, double radius_b,
             const Colour& colour, bool dashed);
osg::ref_ptr<osg::MatrixTransform> axes(double size, bool dashed);

// An arrow of any length.
class ForceArrow {
 public:
  ForceArrow() = default;
  ForceArrow(double radius, const Colour& colour);

  osg::Group* node() const { return node_; }
  // along: to its point. One shorter than least is not drawn.
  void pose(const Vec3& from, const Vec3& along, double least);

 private:
  double radius_ = 0.01;
  osg::ref_ptr<osg::Group> node_;
  osg::ref_ptr<osg::MatrixTransform> shaft_, head_;
};

FramePoses frame_poses(const std::array<Pose, kMaxLinks>& bodies);

// Force of a full arrow [N]: 10, 20, 50, 100, ..., at least the largest so far.
double full_force(double largest_N);

}  // namespace knuckleboom::view
