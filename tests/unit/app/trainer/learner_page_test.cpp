// The page on which somebody says who drives.
#include "app/trainer/learner_page.hpp"

#include <string>

#include <gtest/gtest.h>

#include "app/trainer/menus.hpp"

namespace knuckleboom::app {
namespace {

void select(LearnerPage& page, int id) {
  view::panels::Menu& menu = page.menu();
  for (std::size_t i = 0; i < menu.rows.size(); ++i)
    if (menu.rows[i].id == id) menu.selected = static_cast<int>(i);
}

TEST(LearnerPage, BeginsWithANameWhereNobodyIsKnown) {
  LearnerPage page;
  page.open({}, "");
  EXPECT_TRUE(page.types_name());
  page.type("Änn");
  page.erase();
  page.type("i 7");
  EXPECT_EQ(page.name(), "Äni 7");
  EXPECT_EQ(page.menu().find(kLearnerName)->label, "New learner: Äni 7_");
  for (int i = 0; i < 6; ++i) page.erase();
  page.erase();
  EXPECT_EQ(page.name(), "");
  select(page, kLearnerNewPin);
  EXPECT_TRUE(page.types_digits() && !page.types_name());
  for (const char digit : {'4', '7', '1', '1', '9'}) page.type_digit(digit);
  page.erase();
  EXPECT_EQ(page.new_pin(), "4711");
  EXPECT_EQ(page.chosen(), nullptr);
}

TEST(LearnerPage, WantsThePinOfWhoHasOne) {
  LearnerPage page;
  page.open({{{1, "Anna", "aa"}, ""}, {{2, "Bo", "bb"}, "hash"}}, "aa");
  const auto refuse = [](const std::string& pin) {
    return pin == "1234" ? std::string() : std::string("no");
  };
  EXPECT_EQ(page.chosen()->learner.name, "Anna");
  EXPECT_TRUE(page.opens(0.0, refuse));
  EXPECT_EQ(page.menu().find(kLearnerPin), nullptr);
  page.menu().rows.front().chosen = 2;
  page.change();
  ASSERT_NE(page.menu().find(kLearnerPin), nullptr);
  EXPECT_FALSE(page.opens(0.0, refuse));  // nothing typed: no attempt
  select(page, kLearnerPin);
  page.type_digit('9');
  EXPECT_FALSE(page.opens(0.0, refuse));
  // Too early, even for the right one.
  for (const char digit : {'1', '2', '3', '4'}) page.type_digit(digit);
  EXPECT_FALSE(page.opens(1.0, refuse));
  for (const char digit : {'1', '2', '3', '4'}) page.type_digit(digit);
  EXPECT_TRUE(page.opens(2.0, refuse));
}

}  // namespace
}  // namespace knuckleboom::app
