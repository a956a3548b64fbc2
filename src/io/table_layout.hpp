// How a table of somebody else's logger is written: its separator and decimal sign, where its names and
// rows are, and the units it tells. docs/reference/log_map.md
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace knuckleboom::io {

// As far as it is told; the rest is found out.
struct LayoutWish {
  char separator = 0;  // ' ': blanks; 0: not told
  std::optional<bool> decimal_comma;
  int header_row = 0;  // line of the names; 0: not told
  int skip_rows = -1;  // lines between the names and the first row; below 0: not told
  bool guess = true;   // false: what is not told is as in a trace
};

struct TableLayout {
  char separator = ',';
  bool decimal_comma = false;
  int header_line = 0;                           // 0: the table has no names
  int first_line = 1;                            // of the rows
  std::vector<std::string> columns;              // each once
  std::vector<std::string> units;                // as the table tells them, by column; mostly empty
  std::vector<std::vector<std::string>> sample;  // the first rows, as written
  std::vector<std::string> notes;                // what was not told but found, a sentence each
};

// Throws FileError where there are no rows of numbers, or what is told cannot be.
TableLayout find_layout(std::string_view text, const std::string& file, const LayoutWish& wish);

// A logger's line that is no row, as "# made by ...".
bool is_comment(std::string_view content);

// An empty field, nan, n/a, null, a dash.
bool is_missing_mark(std::string_view field);

// A number as tables have it, a switch (on, true) as 1 or 0; nothing: it is none.
std::optional<double> table_number(std::string_view field, bool decimal_comma);

// As the key has it: ",", "tab", "space".
std::string separator_name(char separator);

// Text as UTF-8 with lines that end in \n, whatever the file has: UTF-16, Latin-1, lines that end in \r
// alone. A note for each. Throws FileError for files that are no table, with the way to make one.
std::string table_text(std::string bytes, const std::string& file, std::vector<std::string>& notes);

}  // namespace knuckleboom::io
