#include "view/geometry.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace knuckleboom::view {
namespace {

constexpr int kBisections = 14;

std::vector<Vec3> bezier(const Vec3& a, const Vec3& da, const Vec3& b, const Vec3& db,
                         double handle, int segments) {
  const Vec3 c = a + handle * da;
  const Vec3 d = b + handle * db;
  std::vector<Vec3> path;
  path.reserve(static_cast<std::size_t>(segments) + 1);
  for (int i = 0; i <= segments; ++i) {
    const double t = static_cast<double>(i) / segments;
    const double u = 1.0 - t;
    path.emplace_back(u * u * u * a + 3.0 * u * u * t * c + 3.0 * u * t * t * d + t * t * t * b);
  }
  return path;
}

}  // namespace

osg::Vec3f to_osg(const Vec3& v) {
  return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}

osg::Matrixd to_osg(const Pose& pose) {
  const Mat3& R = pose.R;
  const Vec3& p = pose.p;
  // OpenSceneGraph multiplies row vectors from the left.
  return {R(0, 0), R(1, 0), R(2, 0), 0.0, R(0, 1), R(1, 1), R(2, 1), 0.0,
          R(0, 2), R(1, 2), R(2, 2), 0.0, p.x(),   p.y(),   p.z(),   1.0};
}

Vec3 across(const Vec3& v) {
  const Vec3 other = std::abs(v.z()) < 0.9 * v.norm() ? Vec3::UnitZ() : Vec3::UnitX();
  return other.cross(v).normalized();
}

Mat3 frame_from_x(const Vec3& x, const Vec3& y) {
  Mat3 R;
  R.col(0) = x.normalized();
  const Vec3 z = R.col(0).cross(y);
  R.col(2) = z.norm() > 1e-9 ? z.normalized() : R.col(0).cross(across(x)).normalized();
  R.col(1) = R.col(2).cross(R.col(0));
  return R;
}

double length(const std::vector<Vec3>& path) {
  double sum = 0.0;
  for (std::size_t i = 1; i < path.size(); ++i) sum += (path[i] - path[i - 1]).norm();
  return sum;
}

std::vector<Vec3> curve_of_length(const Vec3& a, const Vec3& da, const Vec3& b, const Vec3& db,
                                  double wanted, int segments) {
  double low = 0.0;
  double high = std::max(wanted, (b - a).norm());
  for (int i = 0; i < kBisections; ++i) {
    const double handle = 0.5 * (low + high);
    (length(bezier(a, da, b, db, handle, segments)) < wanted ? low : high) = handle;
  }
  return bezier(a, da, b, db, 0.5 * (low + high), segments);
}

}  // namespace knuckleboom::view
