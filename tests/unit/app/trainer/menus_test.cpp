// Presets of the menu.
#include "app/trainer/menus.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace knuckleboom::app {
namespace {

// Choices without a menu row follow the command line.
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

// The easiest first, and what is chosen is what is shown.
TEST(Menus, ListTheExercisesAsTheyAreLearned) {
  io::TrainerSettings settings;
  settings.exercise = "logs";
  view::panels::Menu menu = main_menu(settings);
  view::panels::MenuRow& row = *menu.find(kMenuExercise);
  std::vector<std::string> names;
  for (const view::panels::MenuChoice& choice : row.choices) names.push_back(choice.value);
  EXPECT_EQ(names, (std::vector<std::string>{"reach",        "path",
                                             "approach",     "calm_head",
                                             "head_to_stem", "tank",
                                             "felling",      "logs",
                                             "red_blue",     "fault_hunt",
                                             "grid",         "tower",
                                             "feed",         "sorting",
                                             "strip_road",   "bucking",
                                             "racks",        "strip_road_loaded",
                                             "roadside",     "clear_cut",
                                             "thinning",     "free_play",
                                             "lab_reach",    "one_load",
                                             "passers_by",   "passers_by_loading",
                                             "piles"}));
  EXPECT_EQ(row.chosen, 7);
  EXPECT_NE(row.choices[7].detail.find("To pass\n  Done within 25:00"), std::string::npos)
      << row.choices[7].detail;
  row.chosen = 1;
  take_choices(menu, settings);
  EXPECT_EQ(settings.exercise, "path");
  EXPECT_EQ(settings.machine, "");
}

// Demonstrations can be replayed like the operator's own attempts.
TEST(Menus, OfferAReplayAfterEveryExercise) {
  for (const bool passed : {false, true})
    for (const bool demonstrated : {false, true})
      EXPECT_NE(result_menu({passed, demonstrated}).find(kMenuReplay), nullptr);
  EXPECT_EQ(result_menu({true, true}).rows.front().id, kMenuStart);
}

// A diagnosis can be given only where it is asked.
TEST(Menus, AskWhatIsWrong) {
  EXPECT_EQ(pause_menu("Reach", true).find(kMenuDiagnose), nullptr);
  const view::panels::Menu menu =
      pause_menu("Something is wrong", true, {{"worn pump", {}, "3"}, {"lever delay", {}, "5"}});
  ASSERT_NE(menu.find(kMenuSuspect), nullptr);
  EXPECT_EQ(menu.find(kMenuSuspect)->choices[1].value, "5");
  EXPECT_NE(menu.find(kMenuDiagnose), nullptr);
  EXPECT_NE(menu.find(kMenuAgain), nullptr);
}

}  // namespace
}  // namespace knuckleboom::app
