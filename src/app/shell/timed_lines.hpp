// Lines that a user types or gives in a file, split into words, and such a file with times.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/io/diagnostic.hpp"

namespace knuckleboom::app {

// Between blanks.
std::vector<std::string> split_words(std::string_view text);
// The whole text as a finite number; false: it is none.
bool read_number(std::string_view text, double& value);

// A file of lines "SECONDS command", '#' begins a comment; times do not decrease.
struct TimedLine {
  double seconds = 0.0;
  std::string command;
  int line = 0;
};
// faults: receives what is wrong, line by line; such lines are left out.
std::vector<TimedLine> timed_lines(std::string_view text, const std::string& file,
                                   std::vector<io::Diagnostic>& faults);

}  // namespace knuckleboom::app
