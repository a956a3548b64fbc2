// knuckleboom judge: the figures of logs, traces and recorded sessions. docs/reference/figures.md
#pragma once

#include <string>
#include <vector>

namespace knuckleboom::app {

struct JudgeOptions {
  std::vector<std::string> files;
  std::string map;       // a log map; empty: columns by our names
  std::string machine;   // of logs that have joints instead of the tip
  std::string exercise;  // whose limits are shown
  std::string summary;   // JSON; empty: none
};

// Returns an ExitStatus.
int judge(const JudgeOptions& options);

}  // namespace knuckleboom::app
