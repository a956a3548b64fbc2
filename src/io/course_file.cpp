#include "knuckleboom/io/course_file.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "content_reader.hpp"
#include "course_keys.hpp"
#include "knuckleboom/io/words.hpp"
#include "limits_table.hpp"
#include "text_file.hpp"

namespace knuckleboom::io {
namespace {

namespace course_keys = declare::keys::course_file;
namespace quiz_keys = declare::keys::quiz_file;

LessonExercise read_lesson_exercise(Report& report, const Node& node) {
  namespace k = declare::keys::lesson_exercise;
  TableReader reader(report, node, k::table, "the exercise of a lesson");
  LessonExercise out;
  reader.fill(out);
  out.line = reader.place_of(k::name).line;
  read_limits(reader, k::limits, out.limits);
  reader.done();
  if (out.passes > out.within)
    reader.error(k::passes, fmt::format("{} passed attempts of {} are more than there are; lower "
                                        "'passes' or raise 'within'",
                                        out.passes, out.within));
  return out;
}

// known: names of the lessons before it.
Lesson read_lesson(Report& report, const Node& node, std::vector<std::string>& known) {
  namespace k = declare::keys::lesson;
  TableReader reader(report, node, k::table, "a lesson");
  Lesson out;
  reader.fill(out);
  out.quiz_line = reader.place_of(k::quiz).line;
  out.needs = reader.texts(k::needs).value_or(std::vector<std::string>());
  for (const std::string& one : out.needs)
    if (std::find(known.begin(), known.end(), one) == known.end())
      reader.error(k::needs, fmt::format("there is no lesson '{}' before this one{}", one,
                                         alternatives(one, known)));
  for (const Node* exercise : reader.tables(k::exercises))
    out.exercises.push_back(read_lesson_exercise(report, *exercise));
  reader.done();
  if (out.exercises.empty() && out.quiz.empty())
    report.error(reader.place(), "a lesson needs an 'exercise' or a 'quiz'");
  if (std::find(known.begin(), known.end(), out.name) != known.end())
    reader.error(k::name, fmt::format("there are two lessons '{}'; rename one of them", out.name));
  known.push_back(out.name);
  return out;
}

Question read_question(Report& report, const Node& node) {
  namespace k = declare::keys::question;
  TableReader reader(report, node, k::table, "a question");
  Question out;
  reader.fill(out);
  out.answers = reader.texts(k::answers).value_or(std::vector<std::string>());
  reader.done();
  const std::set<std::string> different(out.answers.begin(), out.answers.end());
  if (reader.has(k::answers) && (out.answers.size() < 2 || different.size() < out.answers.size()))
    reader.error(k::answers, "a question needs two answers at least, each another one");
  return out;
}

}  // namespace

Course read_course_text(std::string_view text, const std::string& file_name) {
  return read_content<Course>(text, file_name, "course file", course_keys::table, {},
                              [](TableReader& reader, Course& out) {
                                std::vector<std::string> known;
                                for (const Node* node : reader.tables(course_keys::lessons))
                                  out.lessons.push_back(read_lesson(reader.report(), *node, known));
                                if (reader.has(course_keys::lessons) && out.lessons.empty())
                                  reader.error(course_keys::lessons, "a course needs a lesson");
                              });
}

Course read_course(const std::filesystem::path& path) {
  return read_course_text(read_text_file(path, kConfigurationLimit, "course file"), path.string());
}

Quiz read_quiz_text(std::string_view text, const std::string& file_name) {
  return read_content<Quiz>(
      text, file_name, "quiz file", quiz_keys::table, {}, [](TableReader& reader, Quiz& out) {
        for (const Node* node : reader.tables(quiz_keys::questions))
          out.questions.push_back(read_question(reader.report(), *node));
        const int count = static_cast<int>(out.questions.size());
        if (!reader.has(quiz_keys::least_right)) out.least_right = count;
        if (reader.has(quiz_keys::questions) && count == 0)
          reader.error(quiz_keys::questions, "a quiz needs a question");
        else if (out.least_right > count)
          reader.error(quiz_keys::least_right,
                       fmt::format("{} right answers cannot be given to {} questions",
                                   out.least_right, count));
      });
}

Quiz read_quiz(const std::filesystem::path& path) {
  return read_quiz_text(read_text_file(path, kConfigurationLimit, "quiz file"), path.string());
}

}  // namespace knuckleboom::io
