// Where to look for something that is not in the picture.
#pragma once

#include "view/cameras.hpp"

namespace knuckleboom::view {

struct Pointing {
  bool inside = true;              // the point is in the picture
  double right = 0.0, down = 0.0;  // direction towards it in the picture's plane, of length 1
};
// aspect: width over height. margin: a share of the picture at each edge that does not count as inside.
Pointing pointing_to(const CameraView& view, const Vec3& p_W, double aspect, double margin);

}  // namespace knuckleboom::view
