// Runs another program without a shell.
#pragma once

#include <string>
#include <vector>

namespace knuckleboom::app {

struct ChildResult {
  bool started = false;  // false: there is no such program
  int status = 0;        // exit status, or 128 + signal
  std::string output;
  std::string errors;
};

// arguments[0] is looked up in PATH. input becomes its standard input. Throws std::runtime_error if the
// system refuses pipes or processes.
ChildResult run_child(const std::vector<std::string>& arguments, const std::string& input);

}  // namespace knuckleboom::app
