// Numeric CSV of our own: '#' lines, one line of column names, lines of numbers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace knuckleboom::io {

inline constexpr std::size_t kMaxColumns = 1000;
inline constexpr std::size_t kMaxCsvErrors = 20;  // that are told of one file

struct Csv {
  std::vector<std::string> comments;  // without the '#'
  std::vector<std::string> columns;
  std::vector<std::vector<double>> data;  // by column
  std::vector<int> lines;                 // line of each row in the file
};

// non_finite: `nan` and `inf` are numbers. Throws FileError with the line and column of everything that
// is wrong.
Csv parse_csv(std::string_view text, const std::string& file, bool non_finite);

std::string too_many_columns(std::size_t count);

}  // namespace knuckleboom::io
