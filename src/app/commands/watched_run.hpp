// Runs that show their progress on a terminal and end at Ctrl-C, and the header of their traces.
#pragma once

#include <cstdint>
#include <optional>

#include "knuckleboom/analysis/model_run.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/trace.hpp"

namespace knuckleboom::app {

// As analysis::execute and analysis::run_model.
analysis::RunResult execute_watched(const sim::Simulation& simulation, analysis::Engine& engine,
                                    const sim::SimState& start, analysis::ExecuteOptions options);
analysis::ModelRun run_watched(const sim::Simulation& simulation, const analysis::Method& method,
                               std::optional<double> relative_tolerance, std::int64_t row_limit);

io::TraceHeader trace_header(const io::LoadedCase& loaded, const sim::Simulation& simulation,
                             const analysis::Method& method);

}  // namespace knuckleboom::app
