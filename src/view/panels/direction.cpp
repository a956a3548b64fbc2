#include "view/panels/direction.hpp"

#include <utility>

namespace knuckleboom::view::panels {
namespace {

constexpr float kAcross = 0.27F, kUp = 0.31F, kDown = 0.42F;  // of the view, from its middle
constexpr float kShaft = 34.0F, kBarb = 17.0F;                // points

}  // namespace

Place direction_place(const Painter& painter, float right, float down) {
  return {painter.width() * (0.5F + kAcross * right),
          painter.height() * (0.5F + (down > 0.0F ? kDown : kUp) * down)};
}

void draw_direction(Painter& painter, const Place& place, float right, float down) {
  const Place tail{place.x - kShaft * right, place.y - kShaft * down};
  // Dark below bright: seen before sky and ground.
  for (const auto& [colour, thickness] :
       {std::pair{Colour{0, 0, 0, 200}, 9.0F}, std::pair{kAccent, 5.0F}}) {
    painter.line(tail.x, tail.y, place.x, place.y, colour, thickness);
    for (const float side : {-1.0F, 1.0F})
      painter.line(place.x, place.y, place.x - kBarb * (right - 0.8F * side * down),
                   place.y - kBarb * (down + 0.8F * side * right), colour, thickness);
  }
}

}  // namespace knuckleboom::view::panels
