// knuckleboom bench: a workbench with a window, or without one.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace knuckleboom::app {

struct BenchOptions {
  std::string subject, machine, levers;
  std::string fidelity = "reduced";
  std::vector<std::string> assignments;
  std::string script;                       // lines "SECONDS command"
  std::string trace, scenario, screenshot;  // files that are written at the end; empty: none
  std::optional<double> at_s, duration_s;   // of the screenshot; of the run
  std::string tab;
  bool headless = false, paused = false;
};

// Throws UserError, io::FileError or RunFailure. Returns the exit status.
int run_bench(const BenchOptions& options);
std::vector<std::string> bench_tabs();

}  // namespace knuckleboom::app
