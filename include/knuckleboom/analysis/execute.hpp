// Runs a simulation to its end, or to a stop, and measures the cost of stepping.
//
// Stepping means the calls of Engine::step only. The clock is read once after each tick, which
// gives the time of that tick and the start of the next; wall_s is their sum. Such a reading costs
// about 20 ns (measured in the same run, clock_read_ns), so that wall_s is too large by a few
// percent. Samples, files, progress and waiting are between blocks of ticks and are not counted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "knuckleboom/analysis/fidelity.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"
#include "knuckleboom/runtime/tick_times.hpp"

namespace knuckleboom::analysis {

// Observers of a run; either may be empty. Both are called between blocks of ticks.
struct RunWatch {
  // True: the run ends here. In real time it is called after every tick.
  std::function<bool()> stop;
  // Time of the state, time spent stepping and time simulated [s].
  std::function<void(double t_s, double wall_s, double simulated_s)> progress;
};

struct ExecuteOptions : RunWatch {
  bool realtime = false;
  // Called with the state at every sample_ticks-th tick of the scenario, the first and last included
  // if they are such; 0: never.
  std::int64_t sample_ticks = 0;
  std::function<void(const sim::Snapshot&)> sample;
  // Called once with the state at this tick; below 0: never.
  std::int64_t save_tick = -1;
  std::function<void(const sim::SimState&)> save;
};

struct RunResult {
  sim::SimState state;
  std::int64_t first_tick = 0;
  double wall_s = 0.0;
  runtime::TickTimes ticks;
  double clock_read_ns = 0.0;
  bool interrupted = false;
  bool non_finite = false;  // stopped at the first such tick
  // The first singular position of a loop: a sentence, and when.
  std::string singular;
  double singular_at_s = 0.0;
  double loop_gap_m = 0.0;              // largest; checked every 100 ticks
  std::int64_t outside_conditions = 0;  // ticks of the paper's model outside its own conditions
  // For a paced run.
  std::int64_t overruns = 0;
  double elapsed_s = 0.0, lost_s = 0.0, worst_lateness_s = 0.0;
  std::string realtime_sentence;

  std::int64_t tick_count() const { return state.tick - first_tick; }
};

RunResult execute(const sim::Simulation& simulation, Engine& engine, const sim::SimState& start,
                  const ExecuteOptions& options);

// More than a tenth of the stages: the results are not to be used.
bool mostly_unconverged(const machine::Health& health);

// Ticks between samples of the given rate. Throws UserError if the rate does not divide the tick rate.
std::int64_t ticks_per_sample(double rate_Hz, double tick_s);
// Default for traces: the nearest rate at or below 100 Hz.
std::int64_t default_ticks_per_sample(double tick_s);

}  // namespace knuckleboom::analysis
