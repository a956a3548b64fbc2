// How far a learner is in a course, from what is filed.
#include "app/trainer/course.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/trainer/course_pages.hpp"
#include "app/trainer/history.hpp"
#include "app/trainer/quiz_page.hpp"

namespace knuckleboom::app {
namespace {

using learners::FiledSession;
using learners::Result;

FiledSession session(const std::string& exercise, std::vector<Result> results, int trust = 3) {
  FiledSession out;
  out.exercise = exercise;
  out.trust = trust;
  out.results = std::move(results);
  return out;
}
Result attempt(bool passed, double time_s = 60.0, double together = 0.5) {
  return {1, passed, true, {{"time_s", time_s}, {"together", together}}, "key", "curve"};
}

io::Course course() {
  io::Course out;
  out.lessons.resize(3);
  out.lessons[0].name = "a";
  out.lessons[0].quiz = "q";
  out.lessons[0].exercises = {{"reach", 2, 3, {}}};
  out.lessons[1].name = "b";
  out.lessons[1].needs = {"a"};
  training::Limit limit;
  limit.figure = "together";
  limit.has_least = true;
  limit.least = 0.4;
  out.lessons[1].exercises = {{"path", 1, 1, {limit}}};
  out.lessons[2].name = "c";
  out.lessons[2].needs = {"a", "b"};
  out.lessons[2].exercises = {{"tank", 1, 1, {}}};
  return out;
}
const std::vector<learners::QuizTaken> kQuizPassed = {
    {"q", "", 3, 10, false}, {"q", "", 9, 10, true}, {"q", "", 0, 10, false}};
bool reach_done(const std::vector<FiledSession>& sessions) {
  return standing_in(course(), sessions, {})[0].parts[1].done;
}

TEST(Course, WantsSoManyPassesOfSoManyInARow) {
  const Result good = attempt(true), bad = attempt(false);
  EXPECT_FALSE(reach_done({session("reach", {good})}));
  EXPECT_TRUE(reach_done({session("reach", {good, good})}));
  EXPECT_TRUE(reach_done({session("reach", {good}), session("reach", {bad, good})}));
  EXPECT_FALSE(reach_done({session("reach", {good, bad, bad, good})}));
  // A pass stays whatever comes later; another exercise, or one that is not believed, is none.
  EXPECT_TRUE(reach_done({session("reach", {good, good, bad, bad, bad})}));
  EXPECT_FALSE(reach_done({session("reach", {good}), session("path", {good})}));
  EXPECT_FALSE(reach_done({session("reach", {good, good}, 1)}));
  Result broken_off = bad;
  broken_off.finished = false;
  EXPECT_FALSE(reach_done({session("reach", {good, broken_off, broken_off, good})}));
}

TEST(Course, LocksWhatNeedsMore) {
  std::vector<LessonStanding> now = standing_in(course(), {}, {});
  EXPECT_FALSE(now[0].locked());
  EXPECT_EQ(now[1].waits_for, std::vector<int>{0});
  EXPECT_EQ(now[2].waits_for, (std::vector<int>{0, 1}));
  EXPECT_EQ(next_in(now).lesson, 0);
  EXPECT_EQ(next_in(now).part, 0);
  now = standing_in(course(), {}, kQuizPassed);
  EXPECT_EQ(next_in(now).part, 1);
  std::vector<learners::QuizTaken> by_hand = kQuizPassed;
  for (learners::QuizTaken& one : by_hand) one.believed = false;
  EXPECT_EQ(next_in(standing_in(course(), {}, by_hand)).part, 0);
  const FiledSession reach = session("reach", {attempt(true), attempt(true)});
  now = standing_in(course(), {reach}, kQuizPassed);
  EXPECT_TRUE(now[0].done && !now[1].locked() && now[2].locked());
  EXPECT_EQ(next_in(now).lesson, 1);
  // The lesson's own limit is not kept; then it is.
  now = standing_in(course(), {reach, session("path", {attempt(true, 60.0, 0.39)})}, kQuizPassed);
  EXPECT_EQ(lessons_done(now), 1);
  now = standing_in(course(), {reach, session("path", {attempt(true, 60.0, 0.4)})}, kQuizPassed);
  EXPECT_EQ(lessons_done(now), 2);
  EXPECT_EQ(next_in(now).lesson, 2);
  now = standing_in(course(),
                    {reach, session("path", {attempt(true)}), session("tank", {attempt(true)})},
                    kQuizPassed);
  EXPECT_FALSE(next_in(now).any());
  EXPECT_EQ(next_words(now), "");
}

// An exercise of two lessons: once the first has it, the second may begin with another part.
TEST(Course, GoesOnWithAnExerciseThatIsTheNextOfALesson) {
  io::Course c = course();
  c.lessons[1].exercises.push_back(c.lessons[0].exercises[0]);  // after "path"
  EXPECT_FALSE(goes_on_with(standing_in(c, {}, {}), "reach"));  // first the questions
  const FiledSession reach = session("reach", {attempt(true)});
  EXPECT_TRUE(goes_on_with(standing_in(c, {reach}, kQuizPassed), "reach"));
  std::vector<LessonStanding> now = standing_in(c, {reach, reach}, kQuizPassed);
  EXPECT_FALSE(goes_on_with(now, "reach"));
  EXPECT_TRUE(goes_on_with(now, "path"));
  EXPECT_FALSE(goes_on_with(now, "tank"));  // locked
  c.lessons[1].exercises[1].limits = {c.lessons[1].exercises[0].limits};
  c.lessons[1].exercises[1].limits[0].least = 0.9;
  now = standing_in(c, {reach, reach, session("path", {attempt(true)})}, kQuizPassed);
  EXPECT_TRUE(goes_on_with(now, "reach"));
}

TEST(Course, PageLocksAndPointsToWhatIsNext) {
  const io::Course c = course();
  const auto now = standing_in(c, {session("reach", {attempt(true), attempt(true)})}, kQuizPassed);
  const view::panels::Menu menu = course_menu(c, now, "Anna");
  EXPECT_EQ(menu.subtitle, "Anna: 1 of 3 lessons done");
  EXPECT_EQ(menu.rows[0].note, "done");
  EXPECT_EQ(menu.rows[1].note, "next");
  EXPECT_EQ(menu.selected, 1);
  EXPECT_EQ(menu.rows[2].note, "after 2");
  EXPECT_FALSE(menu.rows[2].enabled);
  EXPECT_TRUE(course_menu(c, standing_in(c, {}, {}), "").rows[2].enabled);  // nobody is kept out
}

// A pass by one answer too few is none; the right answer moves about.
TEST(QuizPage, CountsRightAnswersOnly) {
  io::Quiz quiz;
  quiz.name = "q";
  quiz.least_right = 2;
  for (const char* text : {"one", "two", "three"})
    quiz.questions.push_back({text, {"r", "w", "v"}, "b"});
  for (int taken = 0; taken < 4; ++taken) {
    QuizPage page;
    page.open(quiz, taken);
    bool over = false;
    for (int i = 0; i < 3; ++i) {
      ASSERT_EQ(page.menu().rows.size(), 3U);
      const int place = (taken + i) % 3;
      EXPECT_EQ(page.menu().rows[static_cast<std::size_t>(place)].label, "r");
      // The last two wrong in the last round.
      page.act(kQuizAnswer + (taken == 3 && i > 0 ? (place + 1) % 3 : place));
      EXPECT_EQ(page.question().right, taken < 3 || i == 0);
      over = page.act(kQuizNext);
    }
    EXPECT_TRUE(over);
    EXPECT_EQ(page.result().correct, taken == 3 ? 1 : 3);
    EXPECT_EQ(page.result().passed, taken < 3);
    EXPECT_EQ(page.menu().rows.front().id, taken < 3 ? kQuizLeave : kQuizAgain);
  }
}

TEST(History, TellsBestCurveAndTheLastThreeOfEqualKey) {
  training::Exercise exercise;
  Result other = attempt(true, 10.0);
  other.key = "another variant";
  Result alien = attempt(true, 1.0);
  alien.curve_key = alien.key = "another machine";
  std::vector<FiledSession> all = {
      session("reach", {attempt(true, 90.0), attempt(false, 120.0), alien}),
      session("reach", {attempt(true, 70.0), other}), session("reach", {attempt(true, 80.0)})};
  view::panels::History history = history_of(all, exercise);
  ASSERT_EQ(history.points.size(), 5U);
  EXPECT_EQ(history.points.back().value, 80.0F);
  EXPECT_FALSE(history.points[1].passed);
  EXPECT_EQ(history.lines[0], "Your best: 0:10.0.");
  EXPECT_EQ(history.lines[1], "Last attempts: 2:00.0 failed, 1:10.0 passed, 1:20.0 passed.");
  all.back().results = {attempt(true, 9.0)};
  EXPECT_EQ(history_of(all, exercise).lines[0], "This is your best so far.");
  EXPECT_EQ(history_of({session("reach", {attempt(true, 9.0)})}, exercise).lines[0],
            "Your first pass.");
  // Without a key nothing is said.
  all.back().results.front().curve_key.clear();
  EXPECT_FALSE(history_of(all, exercise).shown());
}

}  // namespace
}  // namespace knuckleboom::app
