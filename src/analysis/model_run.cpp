#include "knuckleboom/analysis/model_run.hpp"

#include <algorithm>
#include <stdexcept>

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

// --- Recording ----------------------------------------------------------------

Recording::Recording(const machine::MachineModel& model, std::size_t expected_rows)
    : channels_(sim::all_channels(model)) {
  columns_.resize(channels_.size());
  for (std::vector<double>& column : columns_) column.reserve(expected_rows);
}

void Recording::add(const sim::Snapshot& snapshot) {
  for (std::size_t i = 0; i < channels_.size(); ++i)
    columns_[i].push_back(channels_[i].value(snapshot));
}

const std::vector<double>& Recording::column(std::string_view name) const {
  for (std::size_t i = 0; i < channels_.size(); ++i)
    if (channels_[i].name == name) return columns_[i];
  throw std::out_of_range("no channel is called '" + std::string(name) + "'");
}

io::Trace Recording::to_trace(const std::string& title) const {
  io::Trace trace;
  for (const sim::Channel& channel : channels_) trace.columns.push_back(channel.name);
  trace.data = columns_;
  trace.file = title;
  return trace;
}

std::int64_t recording_stride(std::int64_t ticks, std::int64_t limit) {
  return std::max<std::int64_t>(1, (ticks + limit - 1) / limit);
}

}  // namespace knuckleboom::analysis
