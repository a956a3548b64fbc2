// Worksite of a peg, and the peg: a plate, or a block with a hole that is cut open to show its
// inside.
#pragma once

#include <osg/Group>
#include <osg/ref_ptr>

#include "view/geometry.hpp"
#include "view/quality.hpp"

namespace knuckleboom::view {

struct WorksiteLook {
  Pose site_W;                 // origin on the surface, z into the material
  bool hole = false;           // otherwise a plane
  double hole_radius = 0.021;  // m
  double chamfer = 0.0;        // width and depth [m]
  double depth = 0.05;         // m
  double peg_radius = 0.02, peg_length = 0.1;
};

// Horizontal direction in the world towards which the block is cut open, and from which it is
// viewed.
Vec3 open_side(const WorksiteLook& look);

// In the world, on a column that stands on the floor at z = 0.
osg::ref_ptr<osg::Node> build_worksite(const WorksiteLook& look, const QualitySettings& quality);

// Lines on a plane, 50 mm apart, to show the sliding of the peg.
osg::ref_ptr<osg::Node> build_grid(const WorksiteLook& look);

// In the peg's frame: its end face at the origin, z out of it. Rings are 10 mm apart. Behind it the sensor.
osg::ref_ptr<osg::Node> build_peg(const WorksiteLook& look, const QualitySettings& quality);
inline constexpr double kSensorLength = 0.035;  // m

}  // namespace knuckleboom::view
