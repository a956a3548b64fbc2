// A linear model in files: JSON, one table as CSV, variables of MATLAB, a picture.
#pragma once

#include <string>
#include <vector>

#include "app/shell/plot.hpp"
#include "knuckleboom/analysis/linear_loops.hpp"

namespace knuckleboom::app {

// A response that somebody asked for.
struct NamedResponse {
  std::string input, output, unit;
  bool closed = false;  // of the closed loops, or of the machine alone
  std::vector<analysis::Response> points;
};

struct LinearReport {
  std::string title, scenario, machine, fidelity;
  std::string note, caution;  // of the machine: what its pictures and what all its results bear
  analysis::LinearModel model;
  std::vector<analysis::LinearMode> modes;
  std::vector<analysis::LoopMargins> loops;
  std::vector<std::complex<double>> closed_roots;  // with controllers at work
  double controller_dt = 0.0;
  std::vector<std::string> remarks;
  std::vector<NamedResponse> responses;
};

std::string linear_json(const LinearReport& report);
std::string linear_csv(const LinearReport& report);
Figure linear_figure(const LinearReport& report);
// Bytes of a MAT-file of level 5. Throws RunFailure if there is no room for it.
std::string linear_mat(const LinearReport& report);

}  // namespace knuckleboom::app
