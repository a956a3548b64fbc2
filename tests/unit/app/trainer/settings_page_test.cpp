// The pages on which a learner sets up the machine.
#include "app/trainer/settings_page.hpp"

#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/io/lever_file.hpp"

namespace knuckleboom::app {
namespace {

// Chooses a value, as the arrow keys would.
void choose(SettingsPage& page, view::panels::Menu& menu, int id, const std::string& value) {
  view::panels::MenuRow* row = menu.find(id);
  ASSERT_NE(row, nullptr);
  for (std::size_t i = 0; i < row->choices.size(); ++i)
    if (row->choices[i].value == value) row->chosen = static_cast<int>(i);
  ASSERT_EQ(row->choices[static_cast<std::size_t>(row->chosen)].value, value);
  page.change(id);
}

command::LeverPattern two_levers() {
  return io::read_levers_text(
             "name = \"t\"\n[[function]]\njoint = \"swing\"\naxis = \"left_x\"\nfull_V = 5\n"
             "dead_zone = 0.1\ninvert = true\n[[function]]\nwheels = \"drive\"\naxis = "
             "\"right_pedal\"\nfull = 1\n",
             "t.toml")
      .pattern;
}

TEST(SettingsPage, TakesWhatIsChosen) {
  SettingsPage page;
  page.open({{"crane_speed", 0.65}}, "Anna", false);
  EXPECT_EQ(page.menu().find(kSettingsSpeed)->choices.back().name, "65 %");  // from elsewhere
  choose(page, page.menu(), kSettingsEase, "1.5");
  choose(page, page.menu(), kSettingsRamps, "0.6");
  EXPECT_EQ(text_of(page.settings()), "crane_speed=0.65 ease=1.5 ramps=0.6");
  choose(page, page.menu(), kSettingsSpeed, "");
  EXPECT_EQ(text_of(page.settings()), "ease=1.5 ramps=0.6");
  page.open_levers(two_levers());
  choose(page, page.levers(), kSettingsDeadZone, "0.2");
  choose(page, page.levers(), kSettingsStart, "0.6");
  page.levers().find(kSettingsFunction)->chosen = 1;
  page.change(kSettingsFunction);
  EXPECT_EQ(page.levers().find(kSettingsStart), nullptr);  // no valve
  choose(page, page.levers(), kSettingsLargest, "0.5");
  EXPECT_EQ(text_of(page.settings()),
            "drive.largest=0.5 ease=1.5 ramps=0.6 swing.dead_zone=0.2 swing.start_V=0.6");
  page.forget(true);
  EXPECT_EQ(text_of(page.settings()), "ease=1.5 ramps=0.6 swing.dead_zone=0.2 swing.start_V=0.6");
  page.forget(false);
  EXPECT_TRUE(page.settings().empty());
}

TEST(SettingsPage, ShowsWhatALeverDoes) {
  SettingsPage page;
  page.open({{"swing.dead_zone", 0.2}, {"swing.curve", 2.0}, {"crane_speed", 0.4}}, "", true);
  page.open_levers(two_levers());
  command::OperatorInput input{};
  input.axis[static_cast<int>(command::LeverAxis::kLeftX)] = -0.6;
  // Half of the way beyond the dead zone, squared, at 40 % of the speed; on the side of the lever.
  const view::panels::LeverBar bar = page.bar(input);
  EXPECT_FLOAT_EQ(bar.lever, -0.6F);
  EXPECT_FLOAT_EQ(bar.command, -0.1F);
  EXPECT_EQ(bar.command_label, "command 10 %");
  EXPECT_FLOAT_EQ(bar.curve.back().second, 0.4F);
}

}  // namespace
}  // namespace knuckleboom::app
