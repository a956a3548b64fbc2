#include "app/learners/progress.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "app/session/filing.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/core/training/score.hpp"
#include "learners/progress.hpp"

namespace knuckleboom::app {
namespace {

constexpr std::size_t kName = 20, kCount = 12, kFigure = 19;

struct OfLearner {
  std::string name;
  std::vector<learners::Result> attempts;  // in the order of time, those broken off among them
};
// Attempts that may be compared: at one exercise, under the same conditions.
struct Class {
  std::string exercise, machine;
  std::vector<OfLearner> learners;
};

std::map<std::string, Class> classes_in(const learners::Database& database) {
  std::map<std::string, Class> out;
  for (const learners::Summary& one : database.list())
    for (const learners::FiledSession& session : filed_sessions(database, one.learner))
      for (const learners::Result& result : session.results) {
        // A row of an older program says no more than the exercise's name.
        Class& of = out[result.curve_key.empty() ? session.exercise : result.curve_key];
        of.exercise = session.exercise;
        of.machine = session.machine;
        if (of.learners.empty() || of.learners.back().name != one.learner.name)
          of.learners.push_back({one.learner.name, {}});
        of.learners.back().attempts.push_back(result);
      }
  return out;
}

std::vector<double> values_of(const OfLearner& learner, const training::Figure& figure) {
  std::vector<double> out;
  for (const learners::Result& result : learner.attempts)
    out.push_back(result.finished ? learners::figure_of(result, figure.name)
                                  : std::numeric_limits<double>::quiet_NaN());
  return out;
}

// "+": better, "-": worse, "=": neither, "?": not enough attempts to say.
const char* sign_of(const training::Figure& figure, learners::Change change) {
  using learners::Change;
  if (change == Change::kTooFew) return "?";
  if (change == Change::kSame || figure.better == training::Better::kNeither) return "=";
  return (change == Change::kMore) == (figure.better == training::Better::kMore) ? "+" : "-";
}

// "82.9 > 44.7 +"
std::string first_to_last(const OfLearner& learner, const training::Figure& figure) {
  const std::vector<double> values = values_of(learner, figure);
  const auto known = [](double value) { return !std::isnan(value); };
  const auto first = std::find_if(values.begin(), values.end(), known);
  if (first == values.end()) return "-";
  const auto last = std::find_if(values.rbegin(), values.rend(), known);
  learners::Change change = learners::change_of(values);
  // Nobody calls that better which the table hardly shows.
  if (std::fabs(*last - *first) < 1.5 * std::pow(10.0, -figure.decimals) &&
      change != learners::Change::kTooFew)
    change = learners::Change::kSame;
  return fmt::format("{:.{}f} > {:.{}f} {}", *first, figure.decimals, *last, figure.decimals,
                     sign_of(figure, change));
}

// "61.5 59.8 B 62.1*"
std::string times_of(const OfLearner& learner) {
  std::string out;
  for (const learners::Result& result : learner.attempts)
    out += fmt::format("{}{}", out.empty() ? "" : " ",
                       !result.finished
                           ? std::string("B")
                           : fmt::format("{:.1f}{}", learners::figure_of(result, "time_s"),
                                         result.passed ? "" : "*"));
  return out;
}

std::string line_of(const OfLearner& learner, const std::vector<const training::Figure*>& columns) {
  const auto count = [&learner](const auto& is) {
    return std::count_if(learner.attempts.begin(), learner.attempts.end(), is);
  };
  std::string out =
      padded(learner.name, kName) +
      padded(fmt::format("{} of {}", count([](const auto& one) { return one.passed; }),
                         learner.attempts.size()),
             kCount, true) +
      padded(fmt::format("{}", count([](const auto& one) { return !one.finished; })), kCount, true);
  for (const training::Figure* figure : columns)
    out += padded(first_to_last(learner, *figure), kFigure, true);
  return out + "  " + times_of(learner) + "\n";
}

bool is_known(const Class& one, const training::Figure& figure) {
  return std::any_of(one.learners.begin(), one.learners.end(), [&figure](const auto& learner) {
    const std::vector<double> values = values_of(learner, figure);
    return std::any_of(values.begin(), values.end(),
                       [](double value) { return !std::isnan(value); });
  });
}

std::string table_of(const Class& one) {
  std::vector<const training::Figure*> columns;
  for (const training::Figure& figure : training::figures())
    if (figure.curve && is_known(one, figure)) columns.push_back(&figure);
  std::string out =
      fmt::format("{} on {}: {}\n", printable(one.exercise), printable(one.machine),
                  counted(static_cast<long long>(one.learners.size()), "learner", "learners")) +
      padded("", kName) + padded("passed", kCount, true) + padded("broken off", kCount, true);
  for (const training::Figure* figure : columns)
    out += padded(figure->unit.empty() ? std::string(figure->label)
                                       : fmt::format("{} [{}]", figure->label, figure->unit),
                  kFigure, true);
  out += "  time of each\n";
  for (const OfLearner& learner : one.learners) out += line_of(learner, columns);
  return out;
}

}  // namespace

std::string progress_text(const learners::Database& database, const std::string& exercise) {
  std::string out;
  std::vector<std::string> names;
  for (const auto& [key, one] : classes_in(database)) {
    if (std::find(names.begin(), names.end(), one.exercise) == names.end())
      names.push_back(one.exercise);
    if (exercise.empty() || one.exercise == exercise)
      out += (out.empty() ? "" : "\n") + table_of(one);
  }
  if (!exercise.empty() && out.empty())
    throw UserError(fmt::format("nobody has begun the exercise '{}'{}", printable(exercise),
                                names.empty() ? ", nor any other" : alternatives(exercise, names)));
  if (out.empty()) return "No attempt is filed yet.\n";
  return out +
         "\nFirst and last attempt that ended. +: better, -: worse, =: no change beyond the "
         "scatter "
         "from attempt to attempt (95 %), ?: fewer than three. B: broken off, *: not passed.\n";
}

}  // namespace knuckleboom::app
