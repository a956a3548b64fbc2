// How far one is behind the ghost.
#pragma once

#include <optional>

#include "view/panels/painter.hpp"

namespace knuckleboom::view::panels {

// Beside the line of the task. gap_s: later than it by so much; nothing: not known yet.
void draw_ghost_gap(Painter& painter, std::optional<double> gap_s);

}  // namespace knuckleboom::view::panels
