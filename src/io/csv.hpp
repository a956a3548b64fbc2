// Numeric CSV: '#' lines, one line of column names, lines of numbers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace knuckleboom::io {

struct Csv {
  std::vector<std::string> comments;  // without the '#'
  std::vector<std::string> columns;
  std::vector<std::vector<double>> data;  // by column
  std::vector<int> lines;                 // line of each row in the file
};

// Throws FileError with the line and column of everything that is wrong. `nan` and `inf` are
// accepted only if non_finite is true.
Csv parse_csv(std::string_view text, const std::string& file, bool non_finite);

}  // namespace knuckleboom::io
