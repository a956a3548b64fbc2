// What the menu stands on.
#include "app/trainer/menus.hpp"

#include <gtest/gtest.h>

namespace knuckleboom::app {
namespace {

// What has no row in the menu is as the command line says.
TEST(Menus, keepWhatTheCommandLineAsksFor) {
  SessionChoice asked;
  asked.exercise = "reach";
  asked.rate_Hz = 500.0;
  asked.fault_seed = 7;
  io::TrainerSettings settings;
  settings.exercise = "fault_hunt";
  settings.control = "boom_tip";
  const SessionChoice choice = choice_of(settings, asked);
  EXPECT_EQ(choice.exercise, "fault_hunt");
  EXPECT_EQ(choice.control, command::ControlMode::kBoomTip);
  EXPECT_EQ(choice.rate_Hz, 500.0);
  EXPECT_EQ(choice.fault_seed, 7U);
}

}  // namespace
}  // namespace knuckleboom::app
