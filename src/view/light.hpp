// Sun, sky and haze: the same for every shader, for baked shades and for the sky itself.
#pragma once

#include "knuckleboom/core/math/vector.hpp"
#include "view/mesh_builder.hpp"

namespace knuckleboom::view {

// Towards the sun, in the world.
inline Vec3 sun_direction() { return Vec3(-0.42, 0.56, 0.71).normalized(); }

inline constexpr Colour kSunLight = {1.10, 0.99, 0.80};
inline constexpr Colour kSkyLight = {0.46, 0.54, 0.64};
inline constexpr Colour kGroundLight = {0.24, 0.24, 0.19};
inline constexpr Colour kHaze = {0.76, 0.82, 0.85};
inline constexpr Colour kZenith = {0.30, 0.50, 0.76};
inline constexpr double kHazeLength = 105.0;  // m; share of haze is 1 - exp(-(d / length)^2)

// Light on a face; sun: unshaded share.
Colour light_on(const Vec3& normal, double sun = 1.0);

}  // namespace knuckleboom::view
