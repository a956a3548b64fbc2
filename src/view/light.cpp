#include "view/light.hpp"

#include <algorithm>

namespace knuckleboom::view {

Colour light_on(const Vec3& normal, double sun) {
  const Colour ambient = mix(kGroundLight, kSkyLight, 0.5 + 0.5 * normal.z());
  const double share = sun * std::max(0.0, normal.dot(sun_direction()));
  return {ambient.r + share * kSunLight.r, ambient.g + share * kSunLight.g,
          ambient.b + share * kSunLight.b, 1.0};
}

}  // namespace knuckleboom::view
