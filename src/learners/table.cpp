#include "learners/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>

#include <fmt/format.h>

namespace knuckleboom::learners {
namespace {

constexpr const char* kEnd = "\r\n";
// Who, when and at what; how it ended; then the figures; then where that comes from.
constexpr const char* kHeads[] = {"learner", "started", "exercise", "machine",
                                  "attempt", "passed",  "finished", "trust"};
constexpr const char* kOrigin[] = {"why",        "session_s", "file",     "station",
                                   "instructor", "key",       "curve_key"};

bool looks_like_a_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
}

// Those of the order first, the others by name.
std::vector<std::string> figure_keys(const std::vector<LearnerSessions>& learners,
                                     const std::vector<std::string>& order) {
  std::set<std::string> there;
  for (const auto& [learner, sessions] : learners)
    for (const FiledSession& session : sessions)
      for (const Result& result : session.results)
        for (const auto& [key, value] : result.figures) there.insert(key);
  std::vector<std::string> keys;
  for (const std::string& key : order)
    if (there.erase(key) > 0) keys.push_back(key);
  keys.insert(keys.end(), there.begin(), there.end());
  return keys;
}

Cell value_of(const Result& result, const std::string& key) {
  for (const auto& [name, value] : result.figures)
    if (name == key && std::isfinite(value)) return value;
  return std::string();
}

// result: null: there is none.
std::vector<Cell> row_of(const Learner& learner, const FiledSession& session, const Result* result,
                         const std::vector<std::string>& keys) {
  const Result none{0, false, false, {}};
  const Result& shown = result != nullptr ? *result : none;
  std::vector<Cell> row = {learner.name,
                           session.started,
                           session.exercise,
                           session.machine,
                           result != nullptr ? Cell(1.0 * shown.attempt) : Cell(std::string()),
                           shown.passed ? 1.0 : 0.0,
                           shown.finished ? 1.0 : 0.0,
                           1.0 * session.trust};
  for (const std::string& key : keys) row.push_back(value_of(shown, key));
  row.insert(row.end(), {session.why, session.duration_s, session.file.string(), session.station,
                         session.instructor, shown.key, shown.curve_key});
  return row;
}

}  // namespace

std::vector<std::vector<Cell>> table_of(const std::vector<LearnerSessions>& learners,
                                        const std::vector<std::string>& order) {
  const std::vector<std::string> keys = figure_keys(learners, order);
  std::vector<std::vector<Cell>> rows(1);
  for (const char* head : kHeads) rows[0].emplace_back(std::string(head));
  for (const std::string& key : keys) rows[0].emplace_back(key);
  for (const char* head : kOrigin) rows[0].emplace_back(std::string(head));
  for (const auto& [learner, sessions] : learners)
    for (const FiledSession& session : sessions) {
      for (const Result& result : session.results)
        rows.push_back(row_of(learner, session, &result, keys));
      if (session.results.empty()) rows.push_back(row_of(learner, session, nullptr, keys));
    }
  return rows;
}

std::string csv_text(std::string_view text, char separator) {
  std::string out(text);
  if (looks_like_a_formula(text)) out.insert(out.begin(), '\'');
  // In quotes also for another separator: read by that one, what follows it would begin a cell.
  if (out.find_first_of(std::string("\"\r\n,;\t") + separator) == std::string::npos) return out;
  for (std::size_t i = 0; (i = out.find('"', i)) != std::string::npos; i += 2)
    out.insert(i, 1, '"');
  return fmt::format("\"{}\"", out);
}

std::string csv_table(const std::vector<LearnerSessions>& learners,
                      const std::vector<std::string>& order, CsvStyle style) {
  std::string out;
  for (const std::vector<Cell>& row : table_of(learners, order)) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) out += style.separator;
      if (const auto* text = std::get_if<std::string>(&row[i])) {
        out += csv_text(*text, style.separator);
        continue;
      }
      std::string number = fmt::format("{}", std::get<double>(row[i]));
      std::replace(number.begin(), number.end(), '.', style.decimal);
      out += number;
    }
    out += kEnd;
  }
  return out;
}

}  // namespace knuckleboom::learners
