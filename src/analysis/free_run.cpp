#include "knuckleboom/analysis/free_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/sim/channels.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"

namespace knuckleboom::analysis {
namespace {

const Correction* find(const std::vector<Correction>& all, const std::string& column) {
  const auto at = std::find_if(all.begin(), all.end(),
                               [&](const Correction& one) { return one.column == column; });
  return at == all.end() ? nullptr : &*at;
}

// Inputs are corrected in the log; outputs are not.
io::Trace corrected(const machine::MachineModel& model, const io::Trace& log,
                    const FreeRunSetup& setup) {
  io::Trace out = log;
  for (const io::KnownColumn& drive : drive_columns(model)) {
    const Correction* by = find(setup.corrections, drive.name);
    const int column = out.find(drive.name);
    if (by == nullptr || column < 0) continue;
    for (double& y : out.data[static_cast<std::size_t>(column)]) y = by->scale * y + by->offset;
  }
  // The start is read from the log: there the correction is inverted.
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
                                          const FreeRunSetup& setup, machine::Watch* watch) {
  const sim::Simulation simulation(model,
                                   log_scenario(model, corrected(model, log, setup), setup.log));
  const std::vector<sim::Channel> all = sim::all_channels(model);
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
  const std::size_t rows = std::min(setup.rows, t.size());
  std::vector<std::vector<double>> out(
      channels.size(), std::vector<double>(t.size(), std::numeric_limits<double>::quiet_NaN()));
  sim::SimState state = simulation.initial_state(setup.fidelity);
  sim::Snapshot now = sim::take_snapshot(simulation, state);
  sim::Snapshot before = now;  // a tick earlier
  // Linear between two ticks, as in a comparison of traces.
  for (std::size_t row = 0; row < rows; ++row) {
    const double at = (t[row] - t.front()) / h;
    const auto tick = static_cast<std::int64_t>(std::ceil(at - 1e-6));
    if (state.tick < tick) {
      while (state.tick < tick - 1) simulation.step(state);
      before = sim::take_snapshot(simulation, state);
      simulation.step(state);
      now = sim::take_snapshot(simulation, state);
    }
    const double share = std::clamp(at - static_cast<double>(tick - 1), 0.0, 1.0);
    for (std::size_t c = 0; c < channels.size(); ++c) {
      const double from = channels[c].value(before);
      out[c][row] = by[c].scale * (from + share * (channels[c].value(now) - from)) + by[c].offset;
    }
    if (state.machine.health.non_finite > 0) return {};
  }
  if (watch != nullptr) *watch = state.machine.watch;
  return out;
}

}  // namespace knuckleboom::analysis
