#include "app/trainer/screens.hpp"

#include <gtest/gtest.h>

namespace knuckleboom::app {
namespace {

TEST(Screens, goBackTheWayTheyCame) {
  Screens screens;
  EXPECT_TRUE(screens.open(Screen::kPause));
  EXPECT_TRUE(screens.open(Screen::kDevices));
  EXPECT_FALSE(screens.open(Screen::kDevices));  // once
  screens.back();
  EXPECT_EQ(screens.now(), Screen::kPause);
  screens.back();
  EXPECT_EQ(screens.now(), Screen::kDriving);
  screens.back();
  EXPECT_EQ(screens.now(), Screen::kDriving);
}

TEST(Screens, haveNothingBehindTheMainMenu) {
  Screens screens;
  screens.open(Screen::kInstructor);
  screens.begin_with(Screen::kMain);
  screens.back();
  EXPECT_EQ(screens.now(), Screen::kMain);
  screens.open(Screen::kHelp);
  screens.back();
  EXPECT_EQ(screens.now(), Screen::kMain);
}

// The machine is only moved by who can see it.
TEST(Screens, letLeversThroughBesideTheInstructorsCardOnly) {
  for (const Screen screen :
       {Screen::kMain, Screen::kPause, Screen::kResult, Screen::kDevices, Screen::kHelp})
    EXPECT_FALSE(rule_of(screen).driven);
  EXPECT_TRUE(rule_of(Screen::kDriving).driven && rule_of(Screen::kDriving).keys);
  EXPECT_TRUE(rule_of(Screen::kInstructor).driven && !rule_of(Screen::kInstructor).keys);
  EXPECT_FALSE(rule_of(Screen::kResult).pauses || rule_of(Screen::kInstructor).pauses);
  EXPECT_TRUE(rule_of(Screen::kPause).pauses && rule_of(Screen::kHelp).pauses);
}

}  // namespace
}  // namespace knuckleboom::app
