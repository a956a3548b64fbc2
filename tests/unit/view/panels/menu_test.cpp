// Menus by keys and levers; drawing and the mouse are in layout_test.cpp.
#include "view/panels/menu.hpp"

#include <gtest/gtest.h>

namespace knuckleboom::view::panels {
namespace {

constexpr int kStart = 10, kMachine = 11, kLocked = 12, kQuit = 13;

Menu make_menu() {
  Menu menu;
  menu.rows.push_back({.id = kStart, .label = "Start"});
  menu.rows.push_back({.id = kMachine, .label = "Machine", .choices = {{"a"}, {"b"}, {"c"}}});
  menu.rows.push_back({.id = kLocked, .label = "Locked", .enabled = false});
  menu.rows.push_back({.id = kQuit, .label = "Quit"});
  return menu;
}

TEST(Menu, goesRoundAndPassesLockedRows) {
  Menu menu = make_menu();
  act(menu, {.down = true});
  EXPECT_EQ(menu.selected, 1);
  act(menu, {.down = true});
  EXPECT_EQ(menu.selected, 3);
  act(menu, {.down = true});
  EXPECT_EQ(menu.selected, 0);
  act(menu, {.up = true});
  EXPECT_EQ(menu.selected, 3);
  act(menu, {.up = true});
  EXPECT_EQ(menu.selected, 1);
}

TEST(Menu, changesAChoiceAndSaysWhich) {
  Menu menu = make_menu();
  menu.selected = 1;
  EXPECT_EQ(act(menu, {.left = true}).changed, kMachine);
  EXPECT_EQ(menu.find(kMachine)->chosen, 2);
  EXPECT_EQ(act(menu, {.right = true}).changed, kMachine);
  EXPECT_EQ(menu.find(kMachine)->chosen, 0);
  const MenuIntent accepted = act(menu, {.accept = true});
  EXPECT_EQ(accepted.changed, kMachine);
  EXPECT_EQ(accepted.activated, -1);
  EXPECT_EQ(menu.find(kMachine)->chosen, 1);
}

TEST(Menu, activatesOnAcceptOnly) {
  Menu menu = make_menu();
  EXPECT_EQ(act(menu, {.right = true}).activated, -1);
  EXPECT_EQ(act(menu, {.accept = true}).activated, kStart);
  EXPECT_TRUE(act(menu, {.back = true}).back);
}

// The same lever movement may mean "to the right" and "accept".
TEST(Menu, takesAcceptAndRightTogetherAsOneStep) {
  Menu menu = make_menu();
  menu.selected = 1;
  act(menu, {.right = true, .accept = true});
  EXPECT_EQ(menu.find(kMachine)->chosen, 1);
}

TEST(Menu, standsOnARowThatCanBeUsed) {
  Menu menu = make_menu();
  menu.selected = 2;
  EXPECT_EQ(act(menu, {.accept = true}).activated, kQuit);
  menu.selected = 99;
  EXPECT_EQ(act(menu, {.accept = true}).activated, kQuit);
  Menu none;
  EXPECT_EQ(act(none, {.down = true, .accept = true}).activated, -1);
}

TEST(Menu, leavesAnOnlyChoiceAlone) {
  Menu menu;
  menu.rows.push_back({.id = kMachine, .label = "Machine", .choices = {{"a"}}});
  EXPECT_EQ(act(menu, {.right = true}).changed, -1);
}

}  // namespace
}  // namespace knuckleboom::view::panels
