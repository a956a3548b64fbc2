#include "app/learners/progress.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/session/filing.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/core/training/score.hpp"
#include "learners/progress.hpp"

namespace knuckleboom::app {
namespace {

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

// '+': better, '-': worse, '=': neither, '?': not enough attempts to say.
char sign_of(const training::Figure& figure, learners::Change change) {
  using learners::Change;
  if (change == Change::kTooFew) return '?';
  if (change == Change::kSame || figure.better == training::Better::kNeither) return '=';
  return (change == Change::kMore) == (figure.better == training::Better::kMore) ? '+' : '-';
}

// "82.9 > 44.7 +", and the sign.
std::pair<std::string, char> first_to_last(const OfLearner& learner,
                                           const training::Figure& figure) {
  const std::vector<double> values = values_of(learner, figure);
  const auto known = [](double value) { return !std::isnan(value); };
  const auto first = std::find_if(values.begin(), values.end(), known);
  if (first == values.end()) return {"-", ' '};
  const auto last = std::find_if(values.rbegin(), values.rend(), known);
  learners::Change change = learners::change_of(values);
  // Nobody calls that better which the table hardly shows.
  if (std::fabs(*last - *first) < 1.5 * std::pow(10.0, -figure.decimals) &&
      change != learners::Change::kTooFew)
    change = learners::Change::kSame;
  const char sign = sign_of(figure, change);
  return {
      fmt::format("{:.{}f} > {:.{}f} {}", *first, figure.decimals, *last, figure.decimals, sign),
      sign};
}

// In which way somebody changes, by all figures that are followed.
enum class Way { kBetter, kMixed, kWorse, kSame, kTooFew };
constexpr std::array<std::pair<Way, const char*>, 5> kWays = {{
    {Way::kBetter, "better"},
    {Way::kMixed, "better in one, worse in another"},
    {Way::kWorse, "worse"},
    {Way::kSame, "no change"},
    {Way::kTooFew, "too few attempts to say"},
}};

Way way_of(const std::string& signs) {
  const auto has = [&signs](char sign) { return signs.find(sign) != std::string::npos; };
  if (has('+')) return has('-') ? Way::kMixed : Way::kBetter;
  if (has('-')) return Way::kWorse;
  return has('=') ? Way::kSame : Way::kTooFew;
}

// In two lines, as the columns are narrow.
std::pair<std::string, std::string> head_of(const training::Figure& figure) {
  std::string text(figure.label);
  if (!figure.unit.empty()) text += fmt::format(" [{}]", figure.unit);
  std::size_t best = std::string::npos;
  const std::size_t half = text.size() / 2;
  const auto off = [half](std::size_t at) { return at > half ? at - half : half - at; };
  for (std::size_t at = text.find(' '); at != std::string::npos; at = text.find(' ', at + 1))
    if (best == std::string::npos || off(at) < off(best)) best = at;
  if (best == std::string::npos) return {"", text};
  return {text.substr(0, best), text.substr(best + 1)};
}

long long counts(const OfLearner& learner, bool learners::Result::*which) {
  return std::count_if(learner.attempts.begin(), learner.attempts.end(),
                       [which](const auto& one) { return one.*which; });
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
  std::vector<std::vector<std::string>> rows = {{"", "", "broken"}, {"", "passed", "off"}};
  for (const training::Figure* figure : columns) {
    const auto [first, second] = head_of(*figure);
    rows[0].push_back(first);
    rows[1].push_back(second);
  }
  std::map<Way, std::vector<std::vector<std::string>>> by_way;
  for (const OfLearner& learner : one.learners) {
    std::vector<std::string> row = {
        "  " + learner.name,
        fmt::format("{} of {}", counts(learner, &learners::Result::passed),
                    learner.attempts.size()),
        fmt::format("{}", static_cast<long long>(learner.attempts.size()) -
                              counts(learner, &learners::Result::finished))};
    std::string signs;
    for (const training::Figure* figure : columns) {
      auto [text, sign] = first_to_last(learner, *figure);
      row.push_back(std::move(text));
      signs += sign;
    }
    by_way[way_of(signs)].push_back(std::move(row));
  }
  for (const auto& [way, words] : kWays) {
    if (!by_way.contains(way)) continue;
    rows.push_back({fmt::format("{}: {}", words, by_way[way].size())});
    std::ranges::move(by_way[way], std::back_inserter(rows));
  }
  std::string out =
      fmt::format("{} on {}: {}\n", one_line(one.exercise), one_line(one.machine),
                  counted(static_cast<long long>(one.learners.size()), "learner", "learners"));
  out += in_columns(rows, "l" + std::string(columns.size() + 2, 'r'));
  std::vector<std::vector<std::string>> times = {{"time of each attempt [s]"}};
  for (const OfLearner& learner : one.learners)
    times.push_back({"  " + learner.name, attempt_times(learner.attempts)});
  return out + in_columns(times, "ll");
}

}  // namespace

std::string attempt_times(const std::vector<learners::Result>& attempts) {
  constexpr std::size_t kMostTimes = 12;
  const std::size_t first = attempts.size() - std::min(attempts.size(), kMostTimes);
  std::string out = first > 0 ? ".." : "";
  for (std::size_t i = first; i < attempts.size(); ++i) {
    out += out.empty() ? "" : " ";
    if (!attempts[i].finished)
      out += 'B';
    else
      out += fmt::format("{:.1f}{}", learners::figure_of(attempts[i], "time_s"),
                         attempts[i].passed ? "" : "*");
  }
  return out;
}

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
    throw UserError(fmt::format("nobody has begun the exercise '{}'{}", one_line(exercise),
                                names.empty() ? ", nor any other" : alternatives(exercise, names)));
  if (out.empty()) return "No attempt is filed yet.\n";
  return out +
         "\nFirst and last attempt that ended. +: better, -: worse, =: no change beyond the "
         "scatter\n"
         "from attempt to attempt (95 %), ?: fewer than three. Times from the first lever "
         "movement;\n"
         "B: broken off, *: not passed.\n";
}

}  // namespace knuckleboom::app
