// The instructor's card: what it asks before an attempt ends.
#include "app/trainer/instructor.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/session/load_session.hpp"

namespace knuckleboom::app {
namespace {

class Card : public testing::Test {
 protected:
  void SetUp() override {
    SessionChoice choice;
    choice.exercise = "logs";
    loaded_ = load_session(choice);
    card_.begin(*loaded_.session);
  }
  LoadedSession loaded_;
  InstructorCard card_;
};

TEST_F(Card, beginsAtItsTopAndAsksBeforeAnAttemptEnds) {
  card_.menu().selected = 9;
  card_.open(false);
  EXPECT_EQ(card_.menu().selected, 0);
  card_.ask(kInstructorMain);
  ASSERT_TRUE(card_.asking());
  view::panels::Menu& question = card_.menu();
  ASSERT_EQ(question.rows.size(), 2U);
  // Enter without a thought does no harm.
  view::panels::MenuKeys enter;
  enter.accept = true;
  EXPECT_EQ(view::panels::act(question, enter).activated, kInstructorNo);
  EXPECT_EQ(card_.take_answer(), kInstructorMain);
  EXPECT_FALSE(card_.asking());
  EXPECT_EQ(card_.menu().title, "Instructor");
  card_.ask(kInstructorAgain);
  card_.open(false);
  EXPECT_FALSE(card_.asking());
}

TEST_F(Card, ShowsNothingBehindItsLock) {
  card_.open(true);
  EXPECT_EQ(card_.menu().find(kInstructorSwitch), nullptr);
  EXPECT_EQ(card_.menu().find(kInstructorMessage), nullptr);
  EXPECT_FALSE(card_.typing());
  for (const char digit : {'1', '2', '3', '4', '5'}) card_.type_digit(digit);
  card_.erase();
  EXPECT_EQ(card_.menu().find(kInstructorPin)->label, "PIN: ****_");
  std::vector<std::string> tried;
  const auto refuse = [&tried](const std::string& pin) {
    tried.push_back(pin);
    return std::string("no");
  };
  card_.try_pin(10.0, refuse);
  card_.try_pin(10.0, refuse);  // nothing typed
  EXPECT_EQ(card_.menu().subtitle, "no\nThe next one is taken in 2 s.");
  card_.type_digit('7');
  card_.try_pin(11.5, refuse);  // too early: not even tried, and closing does not help
  card_.open(true);
  card_.type_digit('7');
  card_.try_pin(11.9, refuse);
  EXPECT_EQ(tried, std::vector<std::string>{"1234"});
  card_.type_digit('7');
  card_.try_pin(12.0, refuse);
  EXPECT_EQ(card_.menu().subtitle, "no\nThe next one is taken in 4 s.");
  EXPECT_TRUE(card_.locked());
  card_.type_digit('7');
  card_.try_pin(16.0, [](const std::string&) { return std::string(); });
  EXPECT_NE(card_.menu().find(kInstructorSwitch), nullptr);
}

TEST_F(Card, SaysWhetherTheExerciseStandsStill) {
  const training::SessionSnapshot now = loaded_.session->snapshot(loaded_.session->initial_state());
  runtime::Published published{};
  published.paused = true;
  card_.update(now, published, "x.h5");
  EXPECT_EQ(card_.menu().find(kInstructorPause)->label, "Go on (it is paused)");
  published.paused = false;
  card_.update(now, published, "x.h5");
  EXPECT_EQ(card_.menu().find(kInstructorPause)->label, "Pause");
}

// Letters that are typed into a question are no message.
TEST_F(Card, typesNothingWhileItAsks) {
  view::panels::Menu& menu = card_.menu();
  while (menu.rows[static_cast<std::size_t>(menu.selected)].id != kInstructorMessage)
    ++menu.selected;
  EXPECT_TRUE(card_.typing());
  card_.ask(kInstructorAgain);
  EXPECT_FALSE(card_.typing());
}

}  // namespace
}  // namespace knuckleboom::app
