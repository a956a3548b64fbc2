#include "knuckleboom/analysis/free_run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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

void pass_through(const Logger& logger, std::span<const double> t, std::span<double> y) {
  if (y.size() < 2) return;
  if (logger.lag_s > 0.0) {
    double u = y[0], x = y[0];
    for (std::size_t i = 1; i < y.size(); ++i) {
      // Exact for a straight line from one row to the next.
      const double dt = t[i] - t[i - 1];
      const double behind = (y[i] - u) / dt * logger.lag_s;
      x = y[i] - behind + (x - u + behind) * std::exp(-dt / logger.lag_s);
      u = std::exchange(y[i], x);
    }
  }
  if (logger.dead_s != 0.0 || logger.hold_s > 0.0) {
    const std::vector<double> from(y.begin(), y.end());
    std::size_t i = 1;
    for (std::size_t row = 0; row < y.size(); ++row) {
      const double since = t[row] - t[0];
      const double read =
          logger.hold_s > 0.0 ? logger.hold_s * std::floor(since / logger.hold_s + 1e-9) : since;
      const double at = std::clamp(t[0] + read - logger.dead_s, t[0], t[y.size() - 1]);
      while (i + 1 < y.size() && t[i] < at) ++i;
      y[row] = from[i - 1] + (from[i] - from[i - 1]) * (at - t[i - 1]) / (t[i] - t[i - 1]);
    }
  }
  if (logger.dead_band > 0.0)
    for (std::size_t i = 1; i < y.size(); ++i)
      if (std::fabs(y[i] - y[i - 1]) <= logger.dead_band) y[i] = y[i - 1];
}

std::vector<std::vector<double>> free_run(const machine::MachineModel& model, const io::Trace& log,
                                          const FreeRunSetup& setup, machine::Watch* watch) {
  const io::Trace ours = corrected(model, log, setup);
  const sim::Simulation simulation(model, log_scenario(model, ours, setup.log));
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
  set_in_motion(simulation, ours, setup.log, state);
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
      out[c][row] = from + share * (channels[c].value(now) - from);
    }
    if (state.machine.health.non_finite > 0) return {};
  }
  for (std::size_t c = 0; c < channels.size(); ++c) {
    pass_through(by[c].logger, std::span(t).first(rows), std::span(out[c]).first(rows));
    for (double& y : out[c]) y = by[c].scale * y + by[c].offset;
  }
  if (watch != nullptr) *watch = state.machine.watch;
  return out;
}

}  // namespace knuckleboom::analysis
