// Which runs a sweep has: the values of its variables as a function of plan and run number alone, so that
// neither order nor shards nor processors matter. docs/reference/sweep.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "knuckleboom/io/sweep_plan.hpp"

namespace knuckleboom::analysis {

// The x below which a share of a normal distribution of mean 0 and variance 1 lies; 0 < share < 1.
// Source: M. J. Wichura, Algorithm AS 241, Appl. Statist. 37 (1988) 477-484; relative error about 1e-15.
double normal_quantile(double share);

// The value below which a share of a variable's distribution lies, 0 to 1. Not of one with `values`.
double quantile(const io::SweepVariable& variable, double share);

class SweepDesigner {
 public:
  explicit SweepDesigner(const io::SweepPlan& plan);

  std::int64_t size() const { return size_; }  // number of runs
  // For each variable, 0 to 1, as sensitivities see it; run: from 0.
  std::vector<double> shares(std::int64_t run) const;
  // For each variable, as an assignment of --set has it.
  std::vector<std::string> values(std::int64_t run) const;

 private:
  double drawn(std::int64_t run, std::size_t column) const;
  double stratified(std::int64_t row, std::size_t column) const;
  std::size_t index_in_grid(std::int64_t run, std::size_t variable) const;
  std::vector<double> on_trajectory(std::int64_t run) const;

  const io::SweepPlan& plan_;
  std::size_t variables_;
  std::int64_t size_ = 0;
  // Latin hypercubes: the part of each row, by column.
  std::vector<std::vector<std::uint32_t>> parts_;
};

// Levels of Morris's design and the step between two runs of a trajectory, as shares.
inline constexpr int kMorrisLevels = 4;
inline constexpr double kMorrisStep = kMorrisLevels / (2.0 * (kMorrisLevels - 1.0));

}  // namespace knuckleboom::analysis
