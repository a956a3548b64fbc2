// A quiz of the course: one question after the other, each with its answer explained.
#pragma once

#include <string>

#include "knuckleboom/io/course_file.hpp"
#include "learners/database.hpp"
#include "view/panels/question.hpp"

namespace knuckleboom::app {

enum QuizPageId : int {
  kQuizNext = 700,
  kQuizAgain,
  kQuizLeave,
  kQuizAnswer = 720,  // and the following: by place on the page
};

class QuizPage {
 public:
  // taken: how often it was answered before; each time the answers stand in another order.
  void open(io::Quiz quiz, int taken);
  const io::Quiz& quiz() const { return quiz_; }

  view::panels::Menu& menu() { return menu_; }
  const view::panels::Question& question() const { return shown_; }
  // An answer, or what comes next. True: the last question has just been left.
  bool act(int id);
  // Without its time.
  learners::QuizTaken result() const;

 private:
  const io::Question& now() const;
  int right_place() const;
  void ask();
  void answer(int place);
  void finish();

  io::Quiz quiz_;
  int taken_ = 0, index_ = 0, correct_ = 0;
  view::panels::Menu menu_;
  view::panels::Question shown_;
};

}  // namespace knuckleboom::app
