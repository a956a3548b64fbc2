#include "knuckleboom/analysis/model_run.hpp"

#include <fmt/format.h>

#include "knuckleboom/core/sim/channels.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::app {

ModelRun run_model(const sim::Simulation& simulation, const Method& method,
                   std::optional<double> relative_tolerance, std::int64_t row_limit) {
  const std::int64_t ticks = simulation.tick_count();
  const std::int64_t stride = recording_stride(ticks, row_limit);
  ModelRun run{method,
               {},
               Recording(simulation.model(), static_cast<std::size_t>(ticks / stride) + 1),
               stride};
  const auto engine = make_engine(simulation, method, relative_tolerance);
  ExecuteOptions options;
  options.progress = true;
  options.sample_ticks = stride;
  options.sample = [&run](const sim::Snapshot& snapshot) { run.recording.add(snapshot); };
  run.result = execute(simulation, *engine, simulation.initial_state(method.fidelity), options);
  return run;
}

io::TraceHeader trace_header(const LoadedCase& loaded, const sim::Simulation& simulation,
                             const Method& method) {
  io::TraceHeader header;
  header.program = io::this_program();
  header.machine = loaded.machine.model.name;
  header.machine_hash = loaded.machine.hash;
  header.scenario = loaded.scenario.scenario.name;
  header.scenario_hash = loaded.scenario.hash;
  header.fidelity = method.name;
  header.tick_s = simulation.tick_s();
  if (const std::string note = loaded.note(); !note.empty()) header.remarks.push_back(note);
  const machine::MachineModel& model = simulation.model();
  for (int i = 0; i < model.joint_count(); ++i)
    header.joints.push_back({model.joint_name(i), model.tree.link(i).revolute});
  for (const sim::Channel& channel : sim::channels(model)) header.columns.push_back(channel.name);
  return header;
}

}  // namespace knuckleboom::app
