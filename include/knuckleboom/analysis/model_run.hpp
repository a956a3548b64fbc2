// A scenario by one model, recorded in memory.
#pragma once

#include <cstdint>
#include <optional>

#include "knuckleboom/analysis/execute.hpp"
#include "knuckleboom/analysis/fidelity.hpp"
#include "knuckleboom/analysis/recording.hpp"

namespace knuckleboom::analysis {

// Rows of a recording for comparison: every tick of runs up to 200 s.
inline constexpr std::int64_t kCompareRows = 200'000;

struct ModelRun {
  Method method;
  RunResult result;
  Recording recording;
  std::int64_t sample_ticks = 1;  // ticks between its rows
};

ModelRun run_model(const sim::Simulation& simulation, const Method& method,
                   std::optional<double> relative_tolerance, std::int64_t row_limit,
                   const RunWatch& watch = {});

}  // namespace knuckleboom::analysis
