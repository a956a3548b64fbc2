// knuckleboom emulate: a host manipulator plays the tip of another machine and touches things with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "knuckleboom/core/emulation/emulation.hpp"

namespace knuckleboom::app {

struct EmulateOptions {
  std::string scenario, scheme, study;
  std::optional<int> delay_ticks;
  std::optional<double> stiffness;  // N/m
  std::vector<std::string> assignments;
  std::string plot, trace, summary;
  std::string replay;  // a recording to be run again; empty: none
};

// Returns an ExitStatus.
int emulate(const EmulateOptions& options);

}  // namespace knuckleboom::app
