#include "knuckleboom/analysis/execute.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "knuckleboom/analysis/paper_conditions.hpp"
#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/io/user_error.hpp"
#include "knuckleboom/runtime/pacer.hpp"
#include "knuckleboom/runtime/realtime_request.hpp"

namespace knuckleboom::analysis {
namespace {

using SteadyClock = std::chrono::steady_clock;

// Ticks between checks of the interrupt and the progress.
constexpr std::int64_t kBlock = 100;

std::int64_t nanoseconds(SteadyClock::duration d) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(d).count();
}

double measure_clock_read_ns() {
  constexpr int kReadings = 1000;
  const auto start = SteadyClock::now();
  auto end = start;
  for (int i = 0; i < kReadings; ++i) end = SteadyClock::now();
  return static_cast<double>(nanoseconds(end - start)) / kReadings;
}

void look_at_loops(const sim::Simulation& simulation, const sim::SimState& state,
                   std::int64_t singular_before, RunResult& result) {
  const machine::Health& health = state.machine.health;
  if (health.singular_ticks == singular_before || !result.singular.empty()) return;
  result.singular = machine::singular_sentence(
      simulation.model(), static_cast<int>(health.singular_loop), state.machine.q);
  result.singular_at_s = simulation.time(state);
}

}  // namespace

RunResult execute(const sim::Simulation& simulation, Engine& engine, const sim::SimState& start,
                  const ExecuteOptions& options) {
  RunResult result;
  result.state = start;
  result.first_tick = start.tick;
  result.clock_read_ns = measure_clock_read_ns();
  sim::SimState& state = result.state;
  const std::int64_t end = simulation.tick_count();
  const double tick_s = simulation.tick_s();
  const multibody::LoopSystem& loops = simulation.model().loop_system;
  const auto stop_is_asked = [&options] { return options.stop && options.stop(); };

  std::optional<runtime::RealtimeRequest> privileges;
  std::optional<runtime::Pacer> pacer;
  if (options.realtime) {
    privileges.emplace();
    result.realtime_sentence = privileges->sentence();
    pacer.emplace(tick_s);
    pacer->start();
  }

  for (;;) {
    if (options.sample_ticks > 0 && state.tick % options.sample_ticks == 0)
      options.sample(sim::take_snapshot(simulation, state));
    if (state.tick == options.save_tick) options.save(state);
    if (!loops.empty())
      result.loop_gap_m =
          std::max(result.loop_gap_m, loops.gap(simulation.model().tree, state.machine.q));
    result.interrupted = stop_is_asked();
    if (state.tick >= end || result.interrupted || result.non_finite) break;
    if (options.progress)
      options.progress(simulation.time(state), result.wall_s,
                       static_cast<double>(result.tick_count()) * tick_s);

    std::int64_t stop = std::min(end, state.tick + kBlock);
    if (options.sample_ticks > 0)
      stop = std::min(stop, (state.tick / options.sample_ticks + 1) * options.sample_ticks);
    if (options.save_tick > state.tick) stop = std::min(stop, options.save_tick);

    std::int64_t block_ns = 0;
    auto before = SteadyClock::now();
    while (state.tick < stop) {
      if (pacer) {
        pacer->wait();
        before = SteadyClock::now();
      }
      engine.step(state);
      const auto after = SteadyClock::now();
      const std::int64_t spent = nanoseconds(after - before);
      result.ticks.add(spent);
      block_ns += spent;
      before = after;
      if (pacer) pacer->tick_finished();
      look_at_loops(simulation, state, start.machine.health.singular_ticks, result);
      if (state.fidelity == machine::Fidelity::kPaper) {
        if (outside_paper_conditions(simulation.model(), state.machine))
          ++result.outside_conditions;
        before = SteadyClock::now();  // costs as much as the tick, which it is no part of
      }
      if (state.machine.health.non_finite > start.machine.health.non_finite) {
        result.non_finite = true;
        break;
      }
      if (pacer && stop_is_asked()) break;
    }
    result.wall_s += static_cast<double>(block_ns) * 1e-9;
  }

  if (pacer) {
    result.elapsed_s = pacer->elapsed_s();
    result.overruns = pacer->overruns();
    result.lost_s = pacer->lost_s();
    result.worst_lateness_s = pacer->worst_lateness_s();
  }
  return result;
}

bool mostly_unconverged(const machine::Health& health) {
  constexpr double kLimit = 0.1, kStages = 2.0;  // of a tick
  return static_cast<double>(health.newton_unconverged) >
         kLimit * kStages * static_cast<double>(health.ticks);
}

std::int64_t default_ticks_per_sample(double tick_s) {
  constexpr double kPeriod = 0.01;  // s
  return std::max<std::int64_t>(1, std::llround(std::ceil(kPeriod / tick_s * (1.0 - 1e-9))));
}

std::int64_t ticks_per_sample(double rate_Hz, double tick_s) {
  const double tick_rate = 1.0 / tick_s;
  if (!(rate_Hz > 0.0))
    throw UserError(fmt::format("--trace-rate is {:g} Hz; it must be above zero", rate_Hz));
  constexpr double kRateSlack = 1e-5;  // rates are written with a few digits
  const double exact = tick_rate / rate_Hz;
  const double whole = std::round(exact);
  if (whole >= 1.0 && std::fabs(exact - whole) <= kRateSlack * whole && whole < 1e15)
    return static_cast<std::int64_t>(whole);
  throw UserError(
      fmt::format("a trace rate of {:g} Hz does not divide the tick rate of {:g} Hz; "
                  "choose {:g} divided by a whole number",
                  rate_Hz, tick_rate, tick_rate));
}

}  // namespace knuckleboom::analysis
