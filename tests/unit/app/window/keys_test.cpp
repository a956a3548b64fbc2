// The trainer's keys against those that stand in for levers.
#include "app/window/keys.hpp"

#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include "app/session/lever_texts.hpp"
#include "app/window/control_table.hpp"
#include "input/keyboard.hpp"
#include "knuckleboom/io/lever_file.hpp"
#include "support/paths.hpp"

namespace knuckleboom::app {
namespace {

TEST(Keys, areNoLeverKeysAndNotTakenTwice) {
  std::set<int> seen;
  for (const KeyBinding& binding : key_bindings()) {
    EXPECT_FALSE(input::is_lever_key(binding.scancode)) << binding.scancode;
    EXPECT_TRUE(seen.insert(binding.scancode).second) << binding.scancode;
  }
}

std::vector<std::string> layouts() {
  std::vector<std::string> names;
  for (const auto& file :
       std::filesystem::directory_iterator(KNUCKLEBOOM_SOURCE_DIR "/config/levers"))
    names.push_back(file.path().string());
  return names;
}

// In every layout that ships, for two sticks, a game controller and the keyboard.
TEST(ControlTable, noPartOfADeviceHasTwoMeaningsInOneMode) {
  for (const std::string& file : layouts()) {
    const command::LeverPattern pattern = io::read_levers(file).pattern;
    const auto rows = control_rows(pattern, lever_keys(), button_keys());
    for (int mode = 0; mode < pattern.mode_count(); ++mode) {
      const std::string name = mode_name(pattern, mode);
      std::set<std::string> seen;
      for (const ControlRow& row : rows) {
        if (!row.mode.empty() && row.mode != name) continue;
        EXPECT_FALSE(row.keys.empty()) << file << row.does;
        for (const std::string& part : {"s " + row.sticks, "c " + row.controller, "k " + row.keys})
          EXPECT_TRUE(part.size() == 2 || seen.insert(part).second)
              << file << ": " << part << " does '" << row.does << "' as well in mode " << name;
      }
    }
  }
}

TEST(ControlTable, everyFunctionOfACarrierIsOnEveryDevice) {
  const command::LeverPattern pattern =
      io::read_levers(KNUCKLEBOOM_SOURCE_DIR "/config/levers/nordic_drive.toml").pattern;
  std::set<std::string> does, sticks, controller;
  for (const ControlRow& row : control_rows(pattern, lever_keys(), button_keys())) {
    does.insert(row.does);
    if (!row.sticks.empty()) sticks.insert(row.does);
    if (!row.controller.empty()) controller.insert(row.does);
  }
  EXPECT_EQ(sticks, does);
  EXPECT_EQ(controller, does);
  for (const char* what :
       {"drive ahead", "drive back", "steer left", "service brake", "direction on, off",
        "high gear on, off", "parking brake on, off", "differential lock on, off",
        "joint lock on, off", "seat on, off", "next lever mode", "grapple closes", "swing left"})
    EXPECT_TRUE(does.contains(what)) << what;
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
  const view::panels::Help help = lever_help(pattern, lever_keys(), button_keys());
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
