// How far a learner has come in a course: from what is filed, and nothing else.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/io/course_file.hpp"
#include "learners/database.hpp"

namespace knuckleboom::app {

// A quiz or an exercise of a lesson.
struct PartStanding {
  bool quiz = false, done = false;
  std::string name;
  std::string words;  // "passed in 1 of the last 2 attempts, wanted are 2 of 3 in a row"
};

struct LessonStanding {
  std::vector<PartStanding> parts;  // the quiz first
  bool done = false;
  std::vector<int> waits_for;  // numbers of the lessons that lock it, from 0

  bool locked() const { return !waits_for.empty(); }
};

// Sessions in the order of time; what is not trusted does not count.
std::vector<LessonStanding> standing_in(const io::Course& course,
                                        const std::vector<learners::FiledSession>& sessions,
                                        const std::vector<learners::QuizTaken>& quizzes);

struct CoursePlace {
  int lesson = -1, part = -1;  // -1: all is done
  bool any() const { return lesson >= 0; }
};
// The first part that is to be done in the first lesson that is neither done nor locked.
CoursePlace next_in(const std::vector<LessonStanding>& lessons);
// Whether a lesson that is neither done nor locked goes on with this exercise: the first part of it that is to be done.
bool goes_on_with(const std::vector<LessonStanding>& lessons, const std::string& exercise);
int lessons_done(const std::vector<LessonStanding>& lessons);

}  // namespace knuckleboom::app
