#include "knuckleboom/analysis/model_run.hpp"

namespace knuckleboom::analysis {

ModelRun run_model(const sim::Simulation& simulation, const Method& method,
                   std::optional<double> relative_tolerance, std::int64_t row_limit,
                   const RunWatch& watch) {
  const std::int64_t ticks = simulation.tick_count();
  const std::int64_t stride = recording_stride(ticks, row_limit);
  ModelRun run{method,
               {},
               Recording(simulation.model(), static_cast<std::size_t>(ticks / stride) + 1),
               stride};
  const auto engine = make_engine(simulation, method, relative_tolerance);
  ExecuteOptions options;
  static_cast<RunWatch&>(options) = watch;
  options.sample_ticks = stride;
  options.sample = [&run](const sim::Snapshot& snapshot) { run.recording.add(snapshot); };
  run.result = execute(simulation, *engine, simulation.initial_state(method.fidelity), options);
  return run;
}

}  // namespace knuckleboom::analysis
