// The least value of a function without slopes, within bounds, by NLopt. docs/reference/sweep.md
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace knuckleboom::identification {

enum class Search { kBobyqa, kCobyla, kSimplex, kDirect };

struct Bounds {
  double low = 0.0, high = 0.0, start = 0.0;  // low < high
};

struct Minimum {
  std::vector<double> at;
  double value = 0.0;
  int evaluations = 0;
  bool converged = false;  // false: the evaluations have run out, or it was stopped
};

// The same calls in the same order for the same function. objective: finite; false: stop here. tolerance: ends where
// no step moves a value by more than this share of its range.
using Objective = std::function<bool(std::span<const double> at, double& value)>;
Minimum minimise(const std::vector<Bounds>& bounds, Search search, double tolerance,
                 int most_evaluations, const Objective& objective);

}  // namespace knuckleboom::identification
