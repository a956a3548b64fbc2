// knuckleboom run: one scenario on one machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace knuckleboom::app {

struct RunOptions {
  std::string scenario, machine;
  std::string fidelity;  // empty: that of the resumed state, else reduced
  std::vector<std::string> assignments;
  std::optional<double> relative_tolerance;
  bool realtime = false;
  std::string trace, plot, summary, save, resume;  // files; empty: none
  std::optional<double> trace_rate_Hz;             // nothing: about 100
  std::optional<double> save_at_s;                 // nothing: at the end
};

// Returns an ExitStatus. Throws UserError, io::FileError or, for failures of ours, others.
int run(const RunOptions& options);

}  // namespace knuckleboom::app
