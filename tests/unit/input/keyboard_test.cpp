// Keys as levers.

#include "input/keyboard.hpp"

#include <cmath>
#include <set>
#include <string>

#include <SDL2/SDL.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace knuckleboom::input {
namespace {

using command::LeverAxis;

SDL_Event key(Uint32 type, SDL_Scancode code, int modifiers = KMOD_NONE) {
  SDL_Event event{};
  event.type = type;
  event.key.keysym.scancode = code;
  event.key.keysym.mod = static_cast<Uint16>(modifiers);
  return event;
}

double value(const KeyboardLevers& keys, LeverAxis axis) {
  return keys.input().axis[static_cast<std::size_t>(axis)];
}

TEST(KeyboardLevers, reachTheEndInAQuarterAndReturnInAnEighthOfASecond) {
  KeyboardLevers keys;
  keys.advance(0.0);
  keys.handle(key(SDL_KEYDOWN, SDL_SCANCODE_W));
  for (int i = 1; i <= 10; ++i) {
    keys.advance(i * 0.025);
    EXPECT_NEAR(value(keys, LeverAxis::kLeftY), i * 0.1, 1e-12);
  }
  keys.advance(1.0);
  EXPECT_EQ(value(keys, LeverAxis::kLeftY), 1.0);
  keys.handle(key(SDL_KEYUP, SDL_SCANCODE_W));
  keys.advance(1.0625);
  EXPECT_NEAR(value(keys, LeverAxis::kLeftY), 0.5, 1e-12);
  keys.advance(1.125);
  EXPECT_EQ(value(keys, LeverAxis::kLeftY), 0.0);
}

TEST(KeyboardLevers, areOneLeverForTwoKeysAndNeutralForOpposites) {
  KeyboardLevers keys;
  keys.advance(0.0);
  keys.handle(key(SDL_KEYDOWN, SDL_SCANCODE_RIGHT));
  keys.handle(key(SDL_KEYDOWN, SDL_SCANCODE_L));
  for (int i = 1; i < 10; ++i) keys.advance(i * 0.1);
  EXPECT_EQ(value(keys, LeverAxis::kRightX), 1.0);
  keys.handle(key(SDL_KEYUP, SDL_SCANCODE_L));
  keys.handle(key(SDL_KEYDOWN, SDL_SCANCODE_J));
  for (int i = 10; i < 20; ++i) keys.advance(i * 0.1);
  EXPECT_EQ(value(keys, LeverAxis::kRightX), 0.0);
}

TEST(KeyboardLevers, reachHalfWithShift) {
  KeyboardLevers keys;
  keys.advance(0.0);
  keys.handle(key(SDL_KEYDOWN, SDL_SCANCODE_D, KMOD_LSHIFT));
  for (int i = 1; i < 10; ++i) keys.advance(i * 0.1);
  EXPECT_DOUBLE_EQ(value(keys, LeverAxis::kLeftX), kFineShare);
}

TEST(KeyboardLevers, leaveShortcutsAlone) {
  KeyboardLevers keys;
  keys.advance(0.0);
  keys.handle(key(SDL_KEYDOWN, SDL_SCANCODE_S, KMOD_LCTRL));
  keys.advance(0.1);
  EXPECT_EQ(value(keys, LeverAxis::kLeftY), 0.0);
}

TEST(KeyboardLevers, letGoWhenTheWindowLosesTheKeyboard) {
  KeyboardLevers keys;
  keys.advance(0.0);
  keys.handle(key(SDL_KEYDOWN, SDL_SCANCODE_D));
  keys.advance(0.1);
  EXPECT_TRUE(keys.any_held());
  SDL_Event lost{};
  lost.type = SDL_WINDOWEVENT;
  lost.window.event = SDL_WINDOWEVENT_FOCUS_LOST;
  keys.handle(lost);
  EXPECT_FALSE(keys.any_held());
  keys.advance(0.2);
  EXPECT_EQ(value(keys, LeverAxis::kLeftX), 0.0);
}

TEST(KeyboardLevers, doNotJumpAfterAStall) {
  KeyboardLevers keys;
  keys.advance(0.0);
  keys.handle(key(SDL_KEYDOWN, SDL_SCANCODE_D));
  keys.advance(5.0);
  EXPECT_LE(value(keys, LeverAxis::kLeftX), 0.4 + 1e-12);
}

TEST(KeyboardLevers, haveKeysForAllAxesAndNoneTwice) {
  std::set<LeverAxis> axes;
  std::set<int> keys;
  for (const LeverKeys& row : keyboard_layout()) {
    axes.insert(row.axis);
    EXPECT_TRUE(keys.insert(row.negative).second);
    EXPECT_TRUE(keys.insert(row.positive).second);
  }
  EXPECT_EQ(axes.size(), static_cast<std::size_t>(command::kLeverAxes));
  std::set<command::LeverButton> buttons;
  for (const ButtonKey& row : keyboard_buttons()) {
    EXPECT_TRUE(buttons.insert(row.button).second);
    EXPECT_TRUE(keys.insert(row.scancode).second);
    EXPECT_TRUE(is_lever_key(row.scancode));
  }
  EXPECT_EQ(buttons.size(), static_cast<std::size_t>(command::kLeverButtons));
  EXPECT_TRUE(is_lever_key(SDL_SCANCODE_W));
  EXPECT_FALSE(is_lever_key(SDL_SCANCODE_ESCAPE));
  for (const KeyHelp& row : keyboard_help()) {
    EXPECT_FALSE(row.negative.empty());
    EXPECT_FALSE(row.positive.empty());
  }
}

TEST(KeyboardLevers, fillUpWhatTheLeverLeaves) {
  EXPECT_EQ(joined(0.0, -1.0), -1.0);
  EXPECT_EQ(joined(1.0, -1.0), 1.0);
  EXPECT_EQ(joined(0.5, 1.0), 1.0);
  for (double lever = -1.0; lever <= 1.0; lever += 0.125)
    for (double press = -1.0; press <= 1.0; press += 0.125)
      EXPECT_LE(std::abs(joined(lever, press)), 1.0);
}

}  // namespace
}  // namespace knuckleboom::input
