// One page: the keys, and the present function of each lever.
#pragma once

#include <string>
#include <vector>

#include "view/panels/painter.hpp"

namespace knuckleboom::view::panels {

struct KeyHelp {
  std::string key, what;
};

// Functions of the ends of a lever; empty: none. away: pushed away from the operator.
struct StickHelp {
  std::string left, right, away, towards;
  std::string key_left, key_right, key_away, key_towards;
};
// Twist, rocker, pedal.
struct AxisHelp {
  std::string axis, negative, positive;
  std::string key_negative, key_positive;
};

// A button or the like: its key, and what it does.
struct ButtonHelp {
  std::string button, key, what;
};

struct Help {
  std::string pattern;  // name of the lever layout
  std::string devices;  // "No levers are plugged in; the keyboard stands in."
  StickHelp left, right;
  std::vector<AxisHelp> others;
  std::vector<ButtonHelp> buttons;
  std::vector<KeyHelp> keys;
};

void draw_help(Painter& painter, const Help& help);

// A page of keys only.
void draw_key_page(Painter& painter, const std::string& title, const std::string& note,
                   const std::vector<KeyHelp>& keys);

}  // namespace knuckleboom::view::panels
