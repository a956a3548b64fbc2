#include "app/trainer/course.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "app/session/trust.hpp"
#include "language/text.hpp"

namespace knuckleboom::app {
namespace {

bool keeps(const learners::Result& result, const training::Limit& limit) {
  const double value = learners::figure_of(result, limit.figure);
  return !std::isnan(value) && (!limit.has_most || value <= limit.most) &&
         (!limit.has_least || value >= limit.least);
}

// Each attempt that counts, in the order of time: whether it was passed.
std::vector<bool> passes(const io::LessonExercise& wanted,
                         const std::vector<learners::FiledSession>& sessions) {
  std::vector<bool> out;
  for (const learners::FiledSession& session : sessions) {
    if (session.exercise != wanted.name || session.trust < kComputedHere) continue;
    for (const learners::Result& result : session.results)
      out.push_back(result.passed &&
                    std::all_of(wanted.limits.begin(), wanted.limits.end(),
                                [&result](const auto& limit) { return keeps(result, limit); }));
  }
  return out;
}

PartStanding standing_of(const io::LessonExercise& wanted,
                         const std::vector<learners::FiledSession>& sessions) {
  const std::vector<bool> all = passes(wanted, sessions);
  const auto within = static_cast<std::size_t>(wanted.within);
  std::ptrdiff_t now = 0;
  PartStanding out{false, false, wanted.name, {}};
  for (std::size_t end = 1; end <= all.size() && !out.done; ++end) {
    const std::size_t begin = end > within ? end - within : 0;
    now = std::count(all.begin() + static_cast<std::ptrdiff_t>(begin),
                     all.begin() + static_cast<std::ptrdiff_t>(end), true);
    out.done = now >= wanted.passes;
  }
  const std::string aim = wanted.passes == wanted.within
                              ? tr_format("{} in a row", wanted.passes)
                              : tr_format("{} of {} in a row", wanted.passes, wanted.within);
  if (out.done)
    out.words = tr("done");
  else if (all.empty())
    out.words = tr_format("not tried yet; to pass: {}", aim);
  else
    out.words = tr_format("passed in {} of the last {}; to pass: {}", now,
                          std::min(all.size(), within), aim);
  return out;
}

PartStanding standing_of(const std::string& quiz, const std::vector<learners::QuizTaken>& taken) {
  PartStanding out{true, false, quiz, tr("not answered yet")};
  for (const learners::QuizTaken& one : taken) {
    if (one.quiz != quiz || out.done) continue;
    if (!one.believed) {
      out.words = tr("answered, but not as it is filed: once more");
      continue;
    }
    out.done = one.passed;
    out.words =
        out.done ? tr("done") : tr_format("{} of {} right, too few", one.correct, one.questions);
  }
  return out;
}

// The first part that is to be done.
auto first_open(const LessonStanding& lesson) {
  return std::find_if(lesson.parts.begin(), lesson.parts.end(),
                      [](const PartStanding& one) { return !one.done; });
}

}  // namespace

std::vector<LessonStanding> standing_in(const io::Course& course,
                                        const std::vector<learners::FiledSession>& sessions,
                                        const std::vector<learners::QuizTaken>& quizzes) {
  std::vector<LessonStanding> out;
  for (const io::Lesson& lesson : course.lessons) {
    LessonStanding now;
    if (!lesson.quiz.empty()) now.parts.push_back(standing_of(lesson.quiz, quizzes));
    for (const io::LessonExercise& exercise : lesson.exercises)
      now.parts.push_back(standing_of(exercise, sessions));
    now.done = std::all_of(now.parts.begin(), now.parts.end(),
                           [](const PartStanding& part) { return part.done; });
    for (std::size_t i = 0; i < out.size(); ++i)
      if (!out[i].done && std::find(lesson.needs.begin(), lesson.needs.end(),
                                    course.lessons[i].name) != lesson.needs.end())
        now.waits_for.push_back(static_cast<int>(i));
    out.push_back(std::move(now));
  }
  return out;
}

CoursePlace next_in(const std::vector<LessonStanding>& lessons) {
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    if (lessons[i].done || lessons[i].locked()) continue;
    return {static_cast<int>(i),
            static_cast<int>(first_open(lessons[i]) - lessons[i].parts.begin())};
  }
  return {};
}

bool goes_on_with(const std::vector<LessonStanding>& lessons, const std::string& exercise) {
  return std::any_of(lessons.begin(), lessons.end(), [&](const LessonStanding& lesson) {
    if (lesson.done || lesson.locked()) return false;
    const auto part = first_open(lesson);
    return part != lesson.parts.end() && !part->quiz && part->name == exercise;
  });
}

int lessons_done(const std::vector<LessonStanding>& lessons) {
  return static_cast<int>(std::count_if(lessons.begin(), lessons.end(),
                                        [](const LessonStanding& one) { return one.done; }));
}

}  // namespace knuckleboom::app
