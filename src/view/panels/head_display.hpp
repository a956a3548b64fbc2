// The operator's display of a harvester's head: what it has measured, what it feeds to, and by which prices.
#pragma once

#include <string>
#include <vector>

#include "view/panels/painter.hpp"

namespace knuckleboom::view::panels {

struct HeadDisplay {
  struct Product {
    std::string name, price, logs;  // logs: cut so far
    bool wanted = false;
  };
  struct Preset {
    std::string button, length;
    bool wanted = false;
  };
  bool present = false;          // the head cuts by a price list here
  std::string length, diameter;  // of the stem in it; empty: there is none off its stump
  std::string wanted;            // product and length that it feeds to; empty: none
  double fed = 0.0;              // share of that length
  bool right = false;            // near enough to it to be cut
  bool saw = false;              // not at home
  std::vector<Preset> presets;
  std::vector<Product> products;
};

// In the lower part of the picture, right of the view of the tip.
void draw_head_display(Painter& painter, const HeadDisplay& display);

}  // namespace knuckleboom::view::panels
