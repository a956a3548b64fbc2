// The trainer's keys against those that stand in for levers.
#include "app/window/keys.hpp"

#include <set>

#include <gtest/gtest.h>

#include "app/session/lever_texts.hpp"
#include "input/keyboard.hpp"

namespace knuckleboom::app {
namespace {

TEST(Keys, areNoLeverKeysAndNotTakenTwice) {
  std::set<int> seen;
  for (const KeyBinding& binding : key_bindings()) {
    EXPECT_FALSE(input::is_lever_key(binding.scancode)) << binding.scancode;
    EXPECT_TRUE(seen.insert(binding.scancode).second) << binding.scancode;
  }
}

command::LeverFunction function(command::LeverAxis axis, const char* joint, double sign) {
  command::LeverFunction out;
  out.axis = axis;
  out.joint = joint;
  out.shape.sign = sign;
  return out;
}

// A lever to the right that is inverted turns the swing to the right: positive is to the left.
TEST(LeverWords, followTheSign) {
  const auto plain = end_names(function(command::LeverAxis::kLeftX, "swing", 1.0));
  EXPECT_EQ(plain.positive, "swing left");
  const auto inverted = end_names(function(command::LeverAxis::kLeftX, "swing", -1.0));
  EXPECT_EQ(inverted.positive, "swing right");
  EXPECT_EQ(end_names(function(command::LeverAxis::kLeftX, "my_joint", 1.0)).positive,
            "my joint +");
}

TEST(LeverWords, standAtTheEndsOfTheirLever) {
  command::LeverPattern pattern;
  pattern.name = "test";
  pattern.functions = {function(command::LeverAxis::kLeftY, "stick", 1.0),
                       function(command::LeverAxis::kRightY, "boom", -1.0),
                       function(command::LeverAxis::kRightRocker, "extension", 1.0)};
  const view::panels::Help help = lever_help(pattern, lever_keys());
  EXPECT_EQ(help.left.away, "stick out");
  EXPECT_EQ(help.left.towards, "stick in");
  EXPECT_EQ(help.right.away, "boom down");
  EXPECT_EQ(help.right.towards, "boom up");
  EXPECT_TRUE(help.right.left.empty());
  ASSERT_EQ(help.others.size(), 1U);
  EXPECT_EQ(help.others[0].positive, "telescope out");
  EXPECT_EQ(help.left.key_away, "W");
}

}  // namespace
}  // namespace knuckleboom::app
