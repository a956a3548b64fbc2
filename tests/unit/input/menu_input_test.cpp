// Menus without mouse: by levers, buttons and keys.

#include "input/menu_input.hpp"

#include <SDL2/SDL.h>
#include <gtest/gtest.h>

namespace knuckleboom::input {
namespace {

using command::LeverAxis;
using command::OperatorInput;

OperatorInput levers(LeverAxis axis, double value) {
  OperatorInput input{};
  input.axis[static_cast<std::size_t>(axis)] = value;
  return input;
}

TEST(MenuInput, actsOncePerDeflectionAndRepeatsWhenHeld) {
  MenuInput menu;
  const OperatorInput up = levers(LeverAxis::kLeftY, 0.9);
  EXPECT_TRUE(menu.update(0.0, up, {}).up);
  EXPECT_FALSE(menu.update(0.1, up, {}).any());
  EXPECT_FALSE(menu.update(0.44, up, {}).any());
  EXPECT_TRUE(menu.update(0.46, up, {}).up);
  EXPECT_FALSE(menu.update(0.5, up, {}).any());
  EXPECT_TRUE(menu.update(0.62, up, {}).up);
  EXPECT_FALSE(menu.update(0.7, {}, {}).any());
  EXPECT_TRUE(menu.update(0.71, up, {}).up);
}

TEST(MenuInput, doesNotChatterAtTheThreshold) {
  MenuInput menu;
  EXPECT_TRUE(menu.update(0.00, levers(LeverAxis::kLeftX, 0.61), {}).right);
  EXPECT_FALSE(menu.update(0.01, levers(LeverAxis::kLeftX, 0.59), {}).any());
  EXPECT_FALSE(menu.update(0.02, levers(LeverAxis::kLeftX, 0.61), {}).any());
  EXPECT_FALSE(menu.update(0.03, levers(LeverAxis::kLeftX, 0.30), {}).any());
  EXPECT_TRUE(menu.update(0.04, levers(LeverAxis::kLeftX, 0.61), {}).right);
}

SDL_Event key_down(SDL_Keycode key, bool repeated = false) {
  SDL_Event event{};
  event.type = SDL_KEYDOWN;
  event.key.keysym.sym = key;
  event.key.repeat = repeated ? 1 : 0;
  return event;
}

// Two steps down and Enter between two slow frames are three actions, in that order.
TEST(MenuInput, losesNoKeyBetweenTwoPictures) {
  MenuInput menu;
  menu.handle(key_down(SDLK_DOWN));
  menu.handle(key_down(SDLK_DOWN));
  menu.handle(key_down(SDLK_RETURN));
  for (int i = 0; i < 5; ++i) menu.handle(key_down(SDLK_DOWN, true));  // these would run on
  EXPECT_EQ(menu.update(0.0, {}, {}), (MenuButtons{.down = true}));
  EXPECT_EQ(menu.update(0.1, {}, {}), (MenuButtons{.down = true}));
  EXPECT_EQ(menu.update(0.2, {}, {}), (MenuButtons{.accept = true}));
  EXPECT_FALSE(menu.update(0.3, {}, {}).any());
  menu.handle(key_down(SDLK_DOWN, true));
  EXPECT_TRUE(menu.update(0.4, {}, {}).down);
  menu.handle(key_down(SDLK_DOWN));
  menu.reset();
  EXPECT_FALSE(menu.update(0.5, {}, {}).any());
}

TEST(MenuInput, acceptsAndGoesBackWithTheRightLeverOnce) {
  MenuInput menu;
  const OperatorInput right = levers(LeverAxis::kRightX, 1.0);
  EXPECT_TRUE(menu.update(0.0, right, {}).accept);
  EXPECT_FALSE(menu.update(5.0, right, {}).any());
  EXPECT_TRUE(menu.update(5.1, levers(LeverAxis::kRightX, -1.0), {}).back);
}

TEST(MenuInput, takesADiagonalForItsLargerPart) {
  MenuInput menu;
  OperatorInput diagonal = levers(LeverAxis::kLeftY, -0.9);
  diagonal.axis[static_cast<std::size_t>(LeverAxis::kLeftX)] = 0.7;
  const MenuButtons acts = menu.update(0.0, diagonal, {});
  EXPECT_EQ(acts, (MenuButtons{.down = true}));
}

TEST(MenuInput, wantsWhatIsHeldLetGoAfterAReset) {
  MenuInput menu;
  const OperatorInput right = levers(LeverAxis::kRightX, 1.0);
  menu.reset();
  EXPECT_FALSE(menu.update(0.0, right, {.accept = true}).any());
  EXPECT_FALSE(menu.update(0.1, {}, {.accept = true}).any());
  EXPECT_FALSE(menu.update(0.2, {}, {}).any());
  EXPECT_TRUE(menu.update(0.3, {}, {.accept = true}).accept);
}

TEST(MenuInput, hearsKeysButNotTheirRepeatForAccept) {
  MenuInput menu;
  SDL_Event event{};
  event.type = SDL_KEYDOWN;
  event.key.keysym.sym = SDLK_RETURN;
  menu.handle(event);
  EXPECT_EQ(menu.update(0.0, {}, {}), (MenuButtons{.accept = true}));
  EXPECT_FALSE(menu.update(0.1, {}, {}).any());
  event.key.repeat = 1;
  menu.handle(event);
  EXPECT_FALSE(menu.update(0.2, {}, {}).any());
  event.key.keysym.sym = SDLK_DOWN;
  menu.handle(event);
  EXPECT_EQ(menu.update(0.3, {}, {}), (MenuButtons{.down = true}));
}

}  // namespace
}  // namespace knuckleboom::input
