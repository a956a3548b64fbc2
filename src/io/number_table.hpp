// Columns of a log from arrays of numbers: vectors lying and standing, matrices with names for their columns,
// structs with a time of their own.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/io/log_file.hpp"
#include "knuckleboom/io/number_table.hpp"

namespace knuckleboom::io {

struct NumberColumns {
  std::vector<std::string> names, units;
  std::vector<std::vector<double>> data;  // equally long
  std::vector<std::string> notes;         // how they were found, and what is left out
  std::string time;    // the column of the time, which is the first; empty: none is called so
  bool clock = false;  // the times were texts or days, and are seconds since 1970 or midnight
};

// Throws FileError where no column can be made, with the way to give one.
NumberColumns columns_of(NumberArrays arrays, const std::string& file, const LogMap& map);

}  // namespace knuckleboom::io
