// Cost of live telemetry for the thread that ticks: the same session with and without somebody who listens,
// alternating in one process.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "app/telemetry/session_feed.hpp"
#include "knuckleboom/runtime/session_ticker.hpp"
#include "support/thread_time.hpp"
#include "support/trainer.hpp"

namespace knuckleboom::app {
namespace {

void telemetry(benchmark::State& state, const char* exercise) {
  constexpr std::int64_t kStretch = 500,
                         kStretches = 200;  // a stretch has fewer rows than the queue has places
  const std::unique_ptr<training::Session> session = test::shipped_session(exercise);
  SessionFeed feed(*session);
  feed.want(true);
  std::vector<double> row(training::session_channels(*session).size());
  for (auto _ : state) {
    runtime::SessionTicker off(*session), on(*session);
    on.show_to(&feed);
    training::SessionSnapshot snapshot{};
    off.observe(snapshot);
    const auto us = [&](runtime::SessionTicker& ticker, std::int64_t stretch) {
      const double begin = test::thread_seconds();
      for (std::int64_t i = 0; i < kStretch; ++i) {
        command::OperatorInput input{};
        input.axis[(stretch + i / 100) % command::kLeverAxes] = 0.6;
        ticker.tick(input, snapshot);
      }
      return (test::thread_seconds() - begin) * 1e6 / kStretch;
    };
    std::vector<double> ratios;
    double sum = 0.0;
    std::int64_t rows = 0;
    std::uint64_t time_ns = 0;
    for (std::int64_t i = 0; i < kStretches; ++i) {
      const bool first = i % 2 == 0;
      const double a = us(first ? off : on, i), b = us(first ? on : off, i);
      ratios.push_back(first ? b / a : a / b);
      sum += first ? a : b;
      while (feed.take(time_ns, row)) ++rows;  // the server's thread does it
    }
    std::nth_element(ratios.begin(), ratios.begin() + kStretches / 2, ratios.end());
    state.counters["channels"] = static_cast<double>(row.size());
    state.counters["rows"] = static_cast<double>(rows);
    state.counters["off_us"] = sum / kStretches;
    state.counters["median_ratio"] = ratios[kStretches / 2];
  }
}
BENCHMARK_CAPTURE(telemetry, logs, "logs")->Iterations(3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(telemetry, free_play, "free_play")->Iterations(3)->Unit(benchmark::kMillisecond);

// A row by itself.
void telemetry_row(benchmark::State& state) {
  const std::unique_ptr<training::Session> session = test::shipped_session("logs");
  SessionFeed feed(*session);
  feed.want(true);
  const training::SessionSnapshot snapshot = session->snapshot(session->initial_state());
  std::vector<double> row(training::session_channels(*session).size());
  std::uint64_t time_ns = 0;
  std::int64_t tick = 0;
  for (auto _ : state) {
    feed.after_tick(tick += feed.period_ticks(), snapshot);
    if (tick / feed.period_ticks() % 16 != 0) continue;
    state.PauseTiming();
    while (feed.take(time_ns, row)) {
    }
    state.ResumeTiming();
  }
}
BENCHMARK(telemetry_row);

}  // namespace
}  // namespace knuckleboom::app
