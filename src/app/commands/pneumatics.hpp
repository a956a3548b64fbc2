// knuckleboom pneumatics: a machine on air, by its air.toml.
#pragma once

#include <string>
#include <vector>

namespace knuckleboom::app {

struct PneumaticsOptions {
  std::string machine;
  std::vector<std::string> cases;        // empty: all
  std::vector<std::string> friction;     // models, or "all"; empty: as in the file
  std::vector<double> exchange_ms;       // late by so much; empty: one program
  std::vector<std::string> assignments;  // of air.toml
  std::string plot, delay_plot, trace;   // empty: none
};

// Returns an ExitStatus.
int pneumatics(const PneumaticsOptions& options);

}  // namespace knuckleboom::app
