// Lines and fields of CSV without quotes, for those who read it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace knuckleboom::io {

inline std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// For messages.
inline std::string shown(std::string_view field) {
  return field.size() <= 40 ? std::string(field) : std::string(field.substr(0, 40)) + "...";
}

// A remark stays one line whatever is in a name.
inline std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

// Calls visit(field, column from 1) for each field of a line; returns how many there are.
template <typename Visit>
std::size_t split_fields(std::string_view line, Visit visit, char separator = ',') {
  std::size_t count = 0;
  for (std::size_t begin = 0;; ++count) {
    const std::size_t end = std::min(line.find(separator, begin), line.size());
    visit(trimmed(line.substr(begin, end - begin)), begin + 1);
    if (end == line.size()) return count + 1;
    begin = end + 1;
  }
}

// Calls visit(line, number from 1) until it returns false. A byte order mark is skipped.
template <typename Visit>
void for_each_line(std::string_view text, Visit visit) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (!visit(text.substr(0, end), number)) return;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

}  // namespace knuckleboom::io
