// Arrays of numbers as MATLAB and HDF5 files hold them, on their way to columns of a log.
// docs/reference/log_map.md
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace knuckleboom::io {

struct NumberArray {
  std::string name;                // with the structs or groups it is in: "log/boom/angle"
  std::string unit;                // as the file tells it, mostly empty
  std::vector<std::size_t> shape;  // each at least 1; empty: one number
  bool first_fastest =
      false;  // in memory: the first index runs fastest, as in MATLAB; else the last
  std::vector<double> values;
  std::vector<std::string> texts;  // instead of values; shape tells how many
};

struct NumberArrays {
  std::string kind;  // "a MATLAB file"
  std::vector<NumberArray> arrays;
  std::vector<std::string> notes;  // what is in the file and could not be taken, a sentence each
};

}  // namespace knuckleboom::io
