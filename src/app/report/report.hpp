// The sub-command report: a page about an attempt.
#pragma once

#include <string>
#include <vector>

namespace knuckleboom::app {

struct ReportOptions {
  std::vector<std::string> files;  // the first is judged, the others are for comparison
  std::string expert;              // may be empty
  std::string output;
  std::string language;    // code; empty: as chosen in the trainer
  int attempt = 0;         // of the first file; 0: the last that was finished
  bool recompute = false;  // the sessions, from their inputs
};

int write_report(const ReportOptions& options);

}  // namespace knuckleboom::app
