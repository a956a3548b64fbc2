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

std::string value_of(const Result& result, const std::string& key) {
  for (const auto& [name, value] : result.figures)
    if (name == key && std::isfinite(value)) return fmt::format("{}", value);
  return {};
}

}  // namespace

std::string csv_text(std::string_view text) {
  std::string out(text);
  if (looks_like_a_formula(text)) out.insert(out.begin(), '\'');
  if (out.find_first_of(",\"\r\n") == std::string::npos) return out;
  for (std::size_t i = 0; (i = out.find('"', i)) != std::string::npos; i += 2)
    out.insert(i, 1, '"');
  return fmt::format("\"{}\"", out);
}

std::string csv_table(const std::vector<LearnerSessions>& learners) {
  const std::vector<std::string> keys = figure_keys(learners);
  std::string out = "learner,started,exercise,machine,duration_s,file,attempt,passed,finished";
  for (const std::string& key : keys) out.append(",").append(csv_text(key));
  out += kEnd;
  for (const auto& [learner, sessions] : learners)
    for (const FiledSession& session : sessions) {
      const std::string head =
          fmt::format("{},{},{},{},{},{}", csv_text(learner.name), csv_text(session.started),
                      csv_text(session.exercise), csv_text(session.machine), session.duration_s,
                      csv_text(session.file.string()));
      for (const Result& result : session.results) {
        out += fmt::format("{},{},{},{}", head, result.attempt, result.passed ? 1 : 0,
                           result.finished ? 1 : 0);
        for (const std::string& key : keys) out.append(",").append(value_of(result, key));
        out += kEnd;
      }
      if (session.results.empty()) out += head + ",,0,0" + std::string(keys.size(), ',') + kEnd;
    }
  return out;
}

}  // namespace knuckleboom::learners
