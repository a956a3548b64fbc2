#include "app/trainer/quiz_page.hpp"

#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "app/trainer/menus.hpp"
#include "language/text.hpp"

namespace knuckleboom::app {

void QuizPage::open(io::Quiz quiz, int taken) {
  quiz_ = std::move(quiz);
  taken_ = taken;
  index_ = correct_ = 0;
  ask();
}

const io::Question& QuizPage::now() const {
  return quiz_.questions.at(static_cast<std::size_t>(index_));
}

// Turned on by one from question to question, and from time to time.
int QuizPage::right_place() const {
  return (index_ + taken_) % static_cast<int>(now().answers.size());
}

void QuizPage::ask() {
  shown_ = {};
  shown_.title = tr(quiz_.title);
  shown_.count = tr_format("question {} of {}", index_ + 1, quiz_.questions.size());
  shown_.text = tr(now().text);
  menu_ = {};
  menu_.wrapped = true;
  const int count = static_cast<int>(now().answers.size());
  for (int place = 0; place < count; ++place) {
    const int answer = (place - right_place() + count) % count;
    menu_.rows.push_back(
        action_row(kQuizAnswer + place, tr(now().answers[static_cast<std::size_t>(answer)])));
  }
}

void QuizPage::answer(int place) {
  shown_.right = place == right_place();
  correct_ += shown_.right ? 1 : 0;
  shown_.verdict = shown_.right ? tr("Right") : tr("No");
  shown_.because = shown_.right ? "" : tr_format("Right is: {}.", tr(now().answers.front())) + "\n";
  shown_.because += tr(now().because);
  const bool last = index_ + 1 == static_cast<int>(quiz_.questions.size());
  menu_.rows = {action_row(kQuizNext, last ? tr("Result") : tr("Next question"))};
  menu_.selected = 0;
}

void QuizPage::finish() {
  const learners::QuizTaken end = result();
  shown_ = {};
  shown_.title = tr(quiz_.title);
  shown_.verdict = end.passed ? tr("PASSED") : tr("NOT PASSED");
  shown_.right = end.passed;
  shown_.text = tr_format("{} of {} right", end.correct, end.questions);
  shown_.because = end.passed ? "" : tr_format("{} right answers pass.", quiz_.least_right);
  menu_.rows = {action_row(kQuizLeave, tr("Back to the lesson")),
                action_row(kQuizAgain, tr("Once more"))};
  if (!end.passed) std::swap(menu_.rows[0], menu_.rows[1]);
  menu_.selected = 0;
}

bool QuizPage::act(int id) {
  if (id >= kQuizAnswer) {
    answer(id - kQuizAnswer);
  } else if (id == kQuizNext) {
    if (++index_ == static_cast<int>(quiz_.questions.size())) {
      finish();
      return true;
    }
    ask();
  } else if (id == kQuizAgain) {
    open(std::move(quiz_), taken_ + 1);
  }
  return false;
}

learners::QuizTaken QuizPage::result() const {
  return {quiz_.name,
          {},
          correct_,
          static_cast<int>(quiz_.questions.size()),
          correct_ >= quiz_.least_right};
}

}  // namespace knuckleboom::app
