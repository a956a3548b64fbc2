// Runs another program without a shell.
#pragma once

#include <string>
#include <vector>

namespace knuckleboom::app {

struct ChildResult {
  int start_error = 0;                          // of errno; 0: it was started
  int status = 0;                               // exit status
  int signal = 0;                               // that ended it; 0: none
  bool timed_out = false, interrupted = false;  // and therefore killed
  std::string output;
  std::string errors;
};

// arguments[0] is looked up in PATH. input becomes its standard input. After limit_s, or when the
// program itself must stop, the child and its own children are killed. Throws std::runtime_error if
// the system refuses files in memory.
ChildResult run_child(const std::vector<std::string>& arguments, const std::string& input,
                      double limit_s);

// Failure, to follow the program's name: "ended with status 2". Empty if none.
std::string failure_of(const ChildResult& result);

}  // namespace knuckleboom::app
