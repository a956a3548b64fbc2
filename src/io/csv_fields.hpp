// Lines and fields of CSV, for those who read it.
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

// The same where fields may be quoted (RFC 4180): a separator within quotes is text, and two quotes are
// one.
template <typename Visit>
std::size_t split_quoted(std::string_view line, Visit visit, char separator) {
  std::string unquoted;
  std::size_t count = 0;
  for (std::size_t begin = 0;; ++count) {
    std::size_t at = line.find_first_not_of(separator == '\t' ? " \r" : " \t\r", begin);
    if (at == std::string_view::npos || line[at] != '"') {
      const std::size_t end = std::min(line.find(separator, begin), line.size());
      visit(trimmed(line.substr(begin, end - begin)), begin + 1);
      if (end == line.size()) return count + 1;
      begin = end + 1;
      continue;
    }
    unquoted.clear();
    for (++at; at < line.size(); ++at) {
      if (line[at] == '"' && (at + 1 == line.size() || line[at + 1] != '"')) break;
      if (line[at] == '"') ++at;
      unquoted += line[at];
    }
    visit(trimmed(unquoted), begin + 1);
    const std::size_t end = std::min(line.find(separator, std::min(at, line.size())), line.size());
    if (end == line.size()) return count + 1;
    begin = end + 1;
  }
}

// Whether a quoted field of this line goes on in the next one.
inline bool ends_in_quotes(std::string_view line, char separator) {
  bool inside = false, begins = true;
  for (const char c : line) {
    if (c == '"')
      inside = inside ? false : begins || inside;
    else if (!inside && c == separator)
      begins = true;
    else if (!inside && c != ' ' && c != '\t' && c != '\r')
      begins = false;
  }
  return inside;
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

// Fields between runs of blanks.
template <typename Visit>
std::size_t split_blanks(std::string_view line, Visit visit) {
  std::size_t count = 0;
  for (std::size_t begin = 0;; ++count) {
    begin = line.find_first_not_of(" \t\r", begin);
    if (begin == std::string_view::npos) return count;
    const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    visit(line.substr(begin, end - begin), begin + 1);
    begin = end;
  }
}

// A line of a table of any kind.
template <typename Visit>
std::size_t split_record(std::string_view line, Visit visit, char separator) {
  if (separator == ' ') return split_blanks(line, visit);
  if (line.find('"') == std::string_view::npos) return split_fields(line, visit, separator);
  return split_quoted(line, visit, separator);
}

// Lines, as for_each_line has them, with those that a quoted field goes on in.
template <typename Visit>
void for_each_record(std::string_view text, char separator, Visit visit) {
  constexpr int kMostLines = 50;  // of a field; more is a stray quote
  const bool quotes = text.find('"') != std::string_view::npos;
  std::string_view begun;
  int first = 0, lines = 0;
  bool go_on = true;
  for_each_line(text, [&](std::string_view line, int number) {
    if (lines == 0) {
      begun = line;
      first = number;
    } else {
      begun = {begun.data(), static_cast<std::size_t>(line.data() + line.size() - begun.data())};
    }
    ++lines;
    if (quotes && lines < kMostLines && ends_in_quotes(begun, separator)) return true;
    lines = 0;
    go_on = visit(begun, first);
    return go_on;
  });
  if (lines > 0 && go_on) visit(begun, first);
}

}  // namespace knuckleboom::io
