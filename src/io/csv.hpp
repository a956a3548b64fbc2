// Numeric CSV: '#' lines, one line of column names, lines of numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace knuckleboom::io {

struct Csv {
  std::vector<std::string> comments;  // without the '#'
  std::vector<std::string> notes;     // what was not as it should be, and left out; a sentence each
  std::vector<std::string> columns;
  std::vector<std::vector<double>> data;  // by column
  std::vector<int> lines;                 // line of each row in the file
};

struct CsvDialect {
  bool non_finite = false;     // `nan` and `inf` are numbers
  bool gaps = false;           // an empty field is a number that is missing, and read as nan
  char separator = ',';        // of fields: a comma, a semicolon or a tabulator
  bool decimal_comma = false;  // 0,5 is a half
  // Columns to be read; others may hold anything, and are left out. Empty: all.
  std::vector<std::string> only{};
  // As another program's logger writes: rows begin at a line of their own under these names; fields may
  // be quoted, missing at the end of a row, marks that are no number; one column may be times of a clock.
  bool foreign = false;
  bool strict = false;  // but then what is left out is refused
  int header_line = 0, first_line = 0;
  std::vector<std::string> columns{};
  std::string clock{};  // that column, or empty
};

// Throws FileError with the line and column of everything that is wrong.
Csv parse_csv(std::string_view text, const std::string& file, const CsvDialect& dialect);

}  // namespace knuckleboom::io
