#include "app/trainer/course_pages.hpp"

#include <cstddef>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "app/session/session_texts.hpp"
#include "app/shell/config_paths.hpp"
#include "app/trainer/menus.hpp"
#include "knuckleboom/io/exercise_file.hpp"
#include "language/text.hpp"

namespace knuckleboom::app {
namespace {

using view::panels::Menu;
using view::panels::MenuRow;

MenuRow with_note(MenuRow row, std::string note) {
  row.note = std::move(note);
  return row;
}

std::string part_title(const PartStanding& part) {
  if (!part.quiz) return exercise_title(part.name);
  try {
    return tr_format("Questions: {}", tr(io::read_quiz(io::find_quiz(part.name)).title));
  } catch (const std::exception&) {
    return part.name;
  }
}

std::string part_text(const PartStanding& part) {
  try {
    if (part.quiz) return tr(io::read_quiz(io::find_quiz(part.name)).text);
    std::string text;
    for (const std::string& paragraph :
         io::read_exercise(find_exercise(part.name)).exercise.briefing)
      text += (text.empty() ? "" : "\n\n") + tr(paragraph);
    return text;
  } catch (const std::exception& error) {
    return error.what();
  }
}

std::string limits_text(const io::Lesson& lesson, const PartStanding& part) {
  std::string text;
  for (const io::LessonExercise& exercise : lesson.exercises) {
    if (part.quiz || exercise.name != part.name) continue;
    for (const training::Limit& limit : exercise.limits)
      if (const training::Figure* figure = training::find_figure(limit.figure))
        text += "\n\n" + tr_format("In this lesson also: {} {}.", tr(figure->label),
                                   limit_text(*figure, limit));
  }
  return text;
}

std::string lesson_note(const LessonStanding& lesson, bool next) {
  if (lesson.done) return tr("done");
  if (next) return tr("next");
  std::string text;
  for (const int number : lesson.waits_for)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", number + 1);
  return text.empty() ? text : tr_format("after {}", text);
}

}  // namespace

std::string exercise_title(const std::string& name) {
  try {
    const training::Exercise exercise = io::read_exercise(find_exercise(name)).exercise;
    return exercise.title.empty() ? name : tr(exercise.title);
  } catch (const std::exception&) {
    return name;
  }
}

Menu course_menu(const io::Course& course, const std::vector<LessonStanding>& lessons,
                 const std::string& learner) {
  const bool nobody = learner.empty();
  const int next = nobody ? -1 : next_in(lessons).lesson;
  Menu menu;
  menu.title = tr(course.title);
  menu.subtitle =
      nobody
          ? tr("Nobody is chosen: say who drives in the main menu, and what is done is kept.")
          : tr_format("{}: {} of {} lessons done", learner, lessons_done(lessons), lessons.size());
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    const io::Lesson& lesson = course.lessons[i];
    const int number = static_cast<int>(i);
    std::string detail = tr(lesson.text);
    if (lesson.hours > 0.0) detail += "\n\n" + tr_format("About {:g} h.", lesson.hours);
    menu.rows.push_back(
        with_note(action_row(kCourseLesson + number,
                             fmt::format("{}   {}", i + 1, tr(lesson.title)), std::move(detail)),
                  nobody ? "" : lesson_note(lessons[i], number == next)));
    menu.rows.back().enabled = nobody || !lessons[i].locked();
    if (number == next) menu.selected = number;
  }
  menu.rows.push_back(action_row(kMenuBack, tr("Back"), {}, true));
  return menu;
}

Menu lesson_menu(const io::Course& course, int number, const LessonStanding& standing) {
  const io::Lesson& lesson = course.lessons.at(static_cast<std::size_t>(number));
  Menu menu;
  menu.title = fmt::format("{}  {}", number + 1, tr(lesson.title));
  menu.subtitle =
      standing.done ? tr("This lesson is done.") : tr("The lesson is done when all of it is.");
  bool found = false;
  for (std::size_t i = 0; i < standing.parts.size(); ++i) {
    const PartStanding& part = standing.parts[i];
    menu.rows.push_back(with_note(action_row(kLessonPart + static_cast<int>(i), part_title(part),
                                             part_text(part) + limits_text(lesson, part) + "\n\n" +
                                                 tr_format("So far: {}.", part.words)),
                                  part.done ? tr("done") : ""));
    if (!part.done && !found) menu.selected = static_cast<int>(i);
    found = found || !part.done;
  }
  bool first = true;
  for (std::size_t i = 0; i < standing.parts.size(); ++i) {
    if (standing.parts[i].quiz) continue;
    menu.rows.push_back(action_row(
        kLessonShow + static_cast<int>(i), tr_format("Show me: {}", part_title(standing.parts[i])),
        tr("The computer does the exercise, by the same levers; you watch. Esc ends it."),
        std::exchange(first, false)));
  }
  menu.rows.push_back(action_row(kMenuBack, tr("Back"), {}, true));
  return menu;
}

std::string next_words(const std::vector<LessonStanding>& lessons) {
  const CoursePlace next = next_in(lessons);
  if (!next.any()) return {};
  return tr_format("lesson {}, {}", next.lesson + 1,
                   part_title(lessons[static_cast<std::size_t>(next.lesson)]
                                  .parts[static_cast<std::size_t>(next.part)]));
}

}  // namespace knuckleboom::app
