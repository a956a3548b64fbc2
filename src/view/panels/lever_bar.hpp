// A lever, what it commands, and the curve between them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "view/panels/painter.hpp"

namespace knuckleboom::view::panels {

struct LeverBar {
  std::string name;                                 // "swing"
  std::string lever_label, command_label;           // "lever 42 %"
  float lever = 0.0F, command = 0.0F;               // -1 to 1
  std::vector<std::pair<float, float>> curve = {};  // command over lever, both 0 to 1
};

// At the lower edge of the view, below a menu.
void draw_lever_bar(Painter& painter, const LeverBar& bar);

}  // namespace knuckleboom::view::panels
