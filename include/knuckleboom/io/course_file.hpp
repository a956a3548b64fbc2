// Courses and quizzes, from files: docs/reference/course_file.md.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/training/exercise.hpp"
#include "knuckleboom/io/diagnostic.hpp"

namespace knuckleboom::io {

// An exercise of a lesson, and what is wanted in it.
struct LessonExercise {
  std::string name;
  int passes = 2, within = 3;           // so many of so many attempts in a row
  std::vector<training::Limit> limits;  // on top of the exercise's own
  int line = 0;                         // of the file, where it is named
};

struct Lesson {
  std::string name, title, text;
  double hours = 0.0;
  std::vector<std::string> needs;  // names of lessons
  std::string quiz;                // empty: none
  int quiz_line = 0;
  std::vector<LessonExercise> exercises;
};

struct Course {
  std::string name, title, description;
  std::vector<Lesson> lessons;
};

struct Question {
  std::string text;
  std::vector<std::string> answers;  // the right one first
  std::string because;
};

struct Quiz {
  std::string name, title, text;
  int least_right = 0;
  std::vector<Question> questions;
};

// Each throws FileError with all that is wrong in the file. That exercises and quizzes are there is not
// checked.
Course read_course_text(std::string_view text, const std::string& file_name);
Course read_course(const std::filesystem::path& path);
Quiz read_quiz_text(std::string_view text, const std::string& file_name);
Quiz read_quiz(const std::filesystem::path& path);

}  // namespace knuckleboom::io
