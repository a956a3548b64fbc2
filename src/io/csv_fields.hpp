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

// Calls visit(record, number of its first line) for the records of a piece of a table until it returns
// false: lines, with those that a quoted field goes on in. `number` goes on from piece to piece. Returns
// how much of the piece they take; the rest begins the next one, but at the end there is none.
template <typename Visit>
std::size_t for_each_record_of(std::string_view piece, bool end, char separator, int& number,
                               Visit visit) {
  constexpr int kMostLines = 50;  // of a field; more is a stray quote
  std::size_t begin = number == 1 && piece.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  int lines = 0;
  for (std::size_t at = begin; at < piece.size();) {
    const std::size_t found = piece.find('\n', at);
    if (found == std::string_view::npos && !end) break;
    const std::size_t stop = std::min(found, piece.size());
    at = found == std::string_view::npos ? stop : found + 1;
    const std::string_view record = piece.substr(begin, stop - begin);
    ++lines;
    const bool last = end && at == piece.size();
    if (!last && lines < kMostLines && record.find('"') != std::string_view::npos &&
        ends_in_quotes(record, separator))
      continue;
    const bool go_on = visit(record, number);
    number += lines;
    lines = 0;
    begin = at;
    if (!go_on) return piece.size();
  }
  return begin;
}

// The same of a whole table.
template <typename Visit>
void for_each_record(std::string_view text, char separator, Visit visit) {
  int number = 1;
  for_each_record_of(text, true, separator, number, visit);
}

}  // namespace knuckleboom::io
