#include "app/identify/free_run.hpp"

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/sim/snapshot.hpp"

namespace knuckleboom::app {
namespace {

const Correction* find(const std::vector<Correction>& all, const std::string& column) {
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const Correction& one) { return one.column == column; });
  return at == all.end() ? nullptr : &*at;
}

// What goes in is corrected in the log; what comes out is not.
io::Trace corrected(const machine::MachineModel& model, const io::Trace& log,
                    const FreeRunSetup& setup) {
  io::Trace out = log;
  for (const io::KnownColumn& drive : drive_columns(model)) {
    const Correction* by = find(setup.corrections, drive.name);
    const int column = out.find(drive.name);
    if (by == nullptr || column < 0) continue;
    for (double& y : out.data[static_cast<std::size_t>(column)]) y = by->scale * y + by->offset;
  }
  // The start is looked for in the log: there the correction is undone.
  for (const std::string& name : setup.channels) {
    const Correction* by = find(setup.corrections, name);
    const int column = out.find(name);
    if (by == nullptr || column < 0) continue;
    for (double& y : out.data[static_cast<std::size_t>(column)]) y = (y - by->offset) / by->scale;
  }
  return out;
}

}  // namespace

std::vector<std::vector<double>> free_run(const machine::MachineModel& model, const io::Trace& log,
                                          const FreeRunSetup& setup) {
  const sim::Simulation simulation(model,
                                   log_scenario(model, corrected(model, log, setup), setup.log));
  std::vector<sim::Channel> all = sim::channels(model);
  for (sim::Channel& channel : sim::actuator_channels(model)) all.push_back(std::move(channel));
  std::vector<sim::Channel> channels;
  std::vector<Correction> by;
  for (const std::string& name : setup.channels) {
    channels.push_back(*std::find_if(all.begin(), all.end(),
                                     [&](const sim::Channel& one) { return one.name == name; }));
    const Correction* correction = find(setup.corrections, name);
    by.push_back(correction != nullptr ? *correction : Correction{});
  }

  const std::vector<double>& t = log.data.front();
  const double h = simulation.tick_s();
  std::vector<std::vector<double>> out(channels.size(), std::vector<double>(t.size()));
  sim::SimState state = simulation.initial_state(setup.fidelity);
  std::vector<double> before(channels.size());
  const auto read = [&](std::size_t c, const sim::Snapshot& now) {
    return by[c].scale * channels[c].value(now) + by[c].offset;
  };
  // Between two ticks linearly, as in a comparison of traces.
  for (std::size_t row = 0; row < t.size(); ++row) {
    const double at = (t[row] - t.front()) / h;
    const auto upper = static_cast<std::int64_t>(std::ceil(at - 1e-6));
    while (state.tick < upper - 1) simulation.step(state);
    sim::Snapshot now = sim::take_snapshot(simulation, state);
    for (std::size_t c = 0; c < channels.size(); ++c) before[c] = read(c, now);
    if (state.tick < upper) {
      sim::SimState next = state;
      simulation.step(next);
      now = sim::take_snapshot(simulation, next);
      const double share = std::clamp(at - static_cast<double>(state.tick), 0.0, 1.0);
      for (std::size_t c = 0; c < channels.size(); ++c)
        out[c][row] = before[c] + share * (read(c, now) - before[c]);
      if (static_cast<double>(upper) - at < 1e-6) state = next;
    } else {
      for (std::size_t c = 0; c < channels.size(); ++c) out[c][row] = before[c];
    }
    if (state.machine.health.non_finite > 0) return {};
  }
  return out;
}

}  // namespace knuckleboom::app
