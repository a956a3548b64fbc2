#include "view/pointing.hpp"

#include <cmath>

namespace knuckleboom::view {

Pointing pointing_to(const CameraView& view, const Vec3& p_W, double aspect, double margin) {
  const Vec3 back = (view.eye - view.target).normalized();
  const Vec3 right = view.up.cross(back).normalized();
  const Vec3 up = back.cross(right);
  const Vec3 d = p_W - view.eye;
  const double depth = -d.dot(back);
  Pointing out;
  out.right = d.dot(right);
  out.down = -d.dot(up);
  const double half = std::tan(0.5 * view.fov_y) * (1.0 - 2.0 * margin) * depth;
  out.inside = depth > 0.0 && std::fabs(out.down) <= half && std::fabs(out.right) <= aspect * half;
  const double length = std::hypot(out.right, out.down);
  // Right behind: either way round is as far.
  if (length < 1e-9) return {out.inside, 1.0, 0.0};
  out.right /= length;
  out.down /= length;
  return out;
}

}  // namespace knuckleboom::view
