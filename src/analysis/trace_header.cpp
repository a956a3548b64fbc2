#include "knuckleboom/analysis/trace_header.hpp"

#include "knuckleboom/core/sim/channels.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::analysis {

io::TraceHeader trace_header(const io::LoadedCase& loaded, const sim::Simulation& simulation,
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

}  // namespace knuckleboom::analysis
