#include "learners/table.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

namespace knuckleboom::learners {
namespace {

constexpr const char* kEnd = "\r\n";

bool looks_like_a_formula(std::string_view text) {
  return !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
}

// In the order of their first occurrence.
std::vector<std::string> figure_keys(const std::vector<LearnerSessions>& learners) {
  std::vector<std::string> keys;
  for (const auto& [learner, sessions] : learners)
    for (const FiledSession& session : sessions)
      for (const Result& result : session.results)
        for (const auto& [key, value] : result.figures)
          if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  return keys;
}

std::string number(double value, CsvStyle style) {
  std::string text = fmt::format("{}", value);
  std::replace(text.begin(), text.end(), '.', style.decimal);
  return text;
}

std::string value_of(const Result& result, const std::string& key, CsvStyle style) {
  for (const auto& [name, value] : result.figures)
    if (name == key && std::isfinite(value)) return number(value, style);
  return {};
}

// Fields of a row, joined.
class Row {
 public:
  explicit Row(CsvStyle style) : style_(style) {}
  Row& text(std::string_view field) { return plain(csv_text(field, style_.separator)); }
  Row& plain(const std::string& field) {
    if (!first_) out_ += style_.separator;
    first_ = false;
    out_ += field;
    return *this;
  }
  const std::string& joined() const { return out_; }

 private:
  CsvStyle style_;
  std::string out_;
  bool first_ = true;
};

}  // namespace

std::string csv_text(std::string_view text, char separator) {
  std::string out(text);
  if (looks_like_a_formula(text)) out.insert(out.begin(), '\'');
  if (out.find_first_of(std::string("\"\r\n") + separator) == std::string::npos) return out;
  for (std::size_t i = 0; (i = out.find('"', i)) != std::string::npos; i += 2)
    out.insert(i, 1, '"');
  return fmt::format("\"{}\"", out);
}

std::string csv_table(const std::vector<LearnerSessions>& learners, CsvStyle style) {
  const std::vector<std::string> keys = figure_keys(learners);
  Row head(style);
  for (const char* name :
       {"learner", "started", "exercise", "machine", "duration_s", "file", "attempt", "passed",
        "finished", "trust", "why", "key", "curve_key", "station", "instructor"})
    head.plain(name);
  for (const std::string& key : keys) head.text(key);
  std::string out = head.joined() + kEnd;
  for (const auto& [learner, sessions] : learners)
    for (const FiledSession& session : sessions) {
      std::vector<Result> results = session.results;
      const bool none = results.empty();
      if (none) results.push_back({0, false, false, {}});
      for (const Result& result : results) {
        Row row(style);
        row.text(learner.name).text(session.started).text(session.exercise).text(session.machine);
        row.plain(number(session.duration_s, style)).text(session.file.string());
        row.plain(none ? "" : fmt::format("{}", result.attempt));
        row.plain(result.passed ? "1" : "0").plain(result.finished ? "1" : "0");
        row.plain(fmt::format("{}", session.trust)).text(session.why);
        row.text(result.key).text(result.curve_key).text(session.station).text(session.instructor);
        for (const std::string& key : keys) row.plain(value_of(result, key, style));
        out += row.joined() + kEnd;
      }
    }
  return out;
}

}  // namespace knuckleboom::learners
