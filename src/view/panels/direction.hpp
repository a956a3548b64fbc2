// An arrow near the edge of the view, towards something outside it.
#pragma once

#include "view/panels/painter.hpp"

namespace knuckleboom::view::panels {

struct Place {
  float x = 0.0F, y = 0.0F;  // points
};
// On an ellipse between the instruments. right, down: direction of length 1.
Place direction_place(const Painter& painter, float right, float down);
void draw_direction(Painter& painter, const Place& place, float right, float down);

}  // namespace knuckleboom::view::panels
