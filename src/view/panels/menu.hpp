// Menus: a list of rows of which one is selected. Works with four directions, accept and back, or a
// mouse.
#pragma once

#include <string>
#include <vector>

#include "view/panels/painter.hpp"

namespace knuckleboom::view::panels {

struct MenuChoice {
  std::string name = {};
  std::string detail = {};  // shown beside the list while selected
  std::string value = {};   // value of the choice
};

struct MenuRow {
  int id = 0;
  std::string label = {};
  std::vector<MenuChoice> choices = {};  // empty: the row is an action
  int chosen = 0;
  std::string detail = {};  // of an action
  std::string note = {};    // of an action, at the right
  bool enabled = true;
  bool gap_above = false;

  bool is_choice() const { return !choices.empty(); }
};

struct Menu {
  std::string title, subtitle;
  std::vector<MenuRow> rows;
  int selected = 0;
  float label_width = 150.0F, row_height = 30.0F;  // points
  bool wrapped = false;                            // labels may have several lines

  MenuRow* find(int id);
  const MenuRow* find(int id) const;
};

// Each true for one action.
struct MenuKeys {
  bool up = false, down = false, left = false, right = false, accept = false, back = false;
};

// The user's choice: ids of rows, -1: none.
struct MenuIntent {
  int activated = -1;  // an action
  int changed = -1;    // a choice was changed
  bool back = false;
};

MenuIntent act(Menu& menu, const MenuKeys& keys);

// A menu on its own card, over a dimmed view.
MenuIntent draw_menu(Painter& painter, Menu& menu, const Pointer& pointer);
// On a narrow card with its upper left corner at (x, y), over a running view. The subtitle may have
// several lines.
MenuIntent draw_side_menu(Painter& painter, Menu& menu, const Pointer& pointer, float x, float y);
float rows_height(const Painter& painter, const Menu& menu, float width);
// Only its rows, from (x, y) down; bottom receives their end.
MenuIntent draw_rows(Painter& painter, Menu& menu, const Pointer& pointer, float x, float y,
                     float width, float& bottom);
// Darkens the view behind a card.
void dim(Painter& painter);
// Instructions for menus, at the lower edge of the view.
void draw_menu_footer(Painter& painter);

}  // namespace knuckleboom::view::panels
