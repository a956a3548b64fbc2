// Conversion between the project's vectors and OpenSceneGraph's, and geometry of curves.
#pragma once

#include <vector>

#include <osg/Matrixd>
#include <osg/Vec3f>

#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom::view {

struct Pose {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();
  Vec3 operator*(const Vec3& x) const { return R * x + p; }
};

osg::Vec3f to_osg(const Vec3& v);
osg::Matrixd to_osg(const Pose& pose);

// Rotation whose x axis is x and whose y axis is as close to y as possible.
Mat3 frame_from_x(const Vec3& x, const Vec3& y);
// Any unit vector perpendicular to v.
Vec3 across(const Vec3& v);

// Cubic Bezier curve from a to b that leaves along da and arrives along db (unit vectors that point
// away from the ends), with handles chosen for the given length; a straight line if the ends are
// too far apart.
std::vector<Vec3> curve_of_length(const Vec3& a, const Vec3& da, const Vec3& b, const Vec3& db,
                                  double length, int segments);
double length(const std::vector<Vec3>& path);

}  // namespace knuckleboom::view
