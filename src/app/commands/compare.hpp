// knuckleboom compare: one scenario by several models, or against a recorded trace.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace knuckleboom::app {

struct CompareOptions {
  std::string scenario, machine;
  std::vector<std::string> fidelities;  // empty: full and reduced; with against: reduced
  std::vector<std::string> assignments;
  std::optional<double> relative_tolerance;
  std::string plot, trace_folder, summary;  // empty: none
  std::string against;                      // a trace; empty: compare the models with each other
  std::vector<std::string> column_map;      // "ours=theirs" where the trace has other names
  std::optional<double> tolerance_rad, tolerance_Pa;
  bool partial = false;  // the trace may cover a part of the run only
};

// Returns an ExitStatus.
int compare(const CompareOptions& options);

}  // namespace knuckleboom::app
