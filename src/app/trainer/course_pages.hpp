// Pages of the menu that show the course and one of its lessons.
#pragma once

#include <string>
#include <vector>

#include "app/trainer/course.hpp"
#include "view/panels/menu.hpp"

namespace knuckleboom::app {

enum CoursePageId : int {
  kCourseLesson = 400,  // and the following: by number, from 0
  kLessonPart = 500,    // the same
  kLessonShow = 600,    // the same
};

// learner: empty: nobody, so that nothing is locked.
view::panels::Menu course_menu(const io::Course& course, const std::vector<LessonStanding>& lessons,
                               const std::string& learner);
// number: from 0.
view::panels::Menu lesson_menu(const io::Course& course, int number, const LessonStanding& lesson);
// "lesson 2, Path"; empty: all is done.
std::string next_words(const std::vector<LessonStanding>& lessons);

// For people: of its file, or the name where that cannot be read.
std::string exercise_title(const std::string& name);

}  // namespace knuckleboom::app
