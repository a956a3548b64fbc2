#include "app/shell/timed_lines.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace knuckleboom::app {

namespace {

constexpr double kMostTime = 1e6;  // s
constexpr const char* kBlanks = " \t\r";

}  // namespace

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> out;
  for (std::size_t at = 0;;) {
    at = text.find_first_not_of(kBlanks, at);
    if (at == std::string_view::npos) return out;
    const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
    out.emplace_back(text.substr(at, end - at));
    at = end;
  }
}

bool read_number(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

std::vector<TimedLine> timed_lines(std::string_view text, const std::string& file,
                                   std::vector<io::Diagnostic>& faults) {
  std::vector<TimedLine> out;
  double before = 0.0;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find('#'));
    const std::size_t first = line.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) continue;
    line.remove_prefix(first);
    const std::size_t gap = std::min(line.find_first_of(kBlanks), line.size());
    const std::string_view time = line.substr(0, gap);
    const auto fault = [&](std::string message) {
      faults.push_back({file, number, 0, std::move(message)});
    };
    double seconds = 0.0;
    if (!read_number(time, seconds) || seconds < 0.0 || seconds > kMostTime) {
      fault(
          fmt::format("'{}' is no time in seconds; a line is 'SECONDS command', such as "
                      "'2.5 run'",
                      time));
      continue;
    }
    if (seconds < before)
      fault(fmt::format("{} s is before the line above, {:g} s; lines are in the order of time",
                        time, before));
    before = std::max(before, seconds);
    out.push_back({seconds, std::string(line.substr(gap)), number});
  }
  return out;
}

}  // namespace knuckleboom::app
