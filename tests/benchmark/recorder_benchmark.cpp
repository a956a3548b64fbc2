// Cost of recording per tick: the same session with and without, alternating in one process.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>

#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/runtime/session_recorder.hpp"
#include "knuckleboom/runtime/session_ticker.hpp"
#include "support/session_recording.hpp"
#include "support/thread_time.hpp"

namespace knuckleboom::runtime {
namespace {

using test::thread_seconds;

struct Side {
  SessionTicker ticker;
  training::InputPlayback playback;
  std::size_t next = 0;
  training::SessionSnapshot snapshot{};
  std::vector<double> us{};  // by stretch, of a tick

  // Processor time of this thread: others on the machine do not count.
  void run(const std::vector<training::InputEvent>& input, std::int64_t from, std::int64_t ticks) {
    const double begin = thread_seconds();
    for (std::int64_t k = from; k < from + ticks; ++k) {
      for (; input[next].tick == k; ++next) ticker.record(input[next]);
      ticker.tick(playback.advance(k, [this](const auto& command) { ticker.apply(command); }),
                  snapshot);
    }
    us.push_back((thread_seconds() - begin) * 1e6 / static_cast<double>(ticks));
  }
};

// arg: ticks between two lever positions; 1: every tick.
void recording(benchmark::State& state) {
  constexpr std::int64_t kStretch = 500, kStretches = 400;
  const test::DescribedSession described = test::described_session("logs");
  const auto input = test::random_input(5, kStretch * kStretches, state.range(0));
  for (auto _ : state) {
    const test::TemporaryFolder folder;
    Side off{SessionTicker(*described.session), training::InputPlayback(input)};
    Side on{SessionTicker(*described.session), training::InputPlayback(input)};
    // The recorder's own thread is not what is measured; its work is done between the stretches.
    RecorderSettings settings;
    settings.own_thread = false;
    SessionRecorder recorder(io::SessionJournal(folder / "s.h5", described.header),
                             *described.session, on.ticker.state(), settings);
    on.ticker.record_into(&recorder);
    for (std::int64_t i = 0; i < kStretches; ++i) {
      Side* const first = i % 2 == 0 ? &off : &on;
      Side* const second = i % 2 == 0 ? &on : &off;
      first->run(input, i * kStretch, kStretch);
      second->run(input, i * kStretch, kStretch);
      recorder.drain();
    }
    // Ratio of each pair of neighbours; their median does not see what disturbed one of them.
    std::vector<double> ratios;
    double sum_on = 0.0, sum_off = 0.0;
    for (std::size_t i = 0; i < on.us.size(); ++i) {
      ratios.push_back(on.us[i] / off.us[i]);
      sum_on += on.us[i];
      sum_off += off.us[i];
    }
    std::nth_element(ratios.begin(), ratios.begin() + kStretches / 2, ratios.end());
    state.counters["off_us"] = sum_off / kStretches;
    state.counters["on_us"] = sum_on / kStretches;
    state.counters["ratio_of_sums"] = sum_on / sum_off;
    state.counters["median_ratio"] = ratios[kStretches / 2];
  }
}
BENCHMARK(recording)->Arg(8)->Arg(1)->Iterations(3)->Unit(benchmark::kMillisecond);

// A small session read by the child that opens foreign files: the first read of a batch starts it, the
// next ones do not.
void reading(benchmark::State& state) {
  const test::DescribedSession described = test::described_session("reach");
  const test::TemporaryFolder folder;
  test::record_session(described, test::random_input(5, 2000), folder / "s.h5");
  const auto ms = [](auto begin) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
        .count();
  };
  std::vector<double> first, next;
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    io::SessionFiles files;
    benchmark::DoNotOptimize(files.read(folder / "s.h5"));
    first.push_back(ms(begin));
    const auto again = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(files.read(folder / "s.h5"));
    next.push_back(ms(again));
  }
  for (std::vector<double>* all : {&first, &next}) std::sort(all->begin(), all->end());
  state.counters["first_ms"] = first[first.size() / 2];
  state.counters["next_ms"] = next[next.size() / 2];
}
BENCHMARK(reading)->Iterations(20)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace knuckleboom::runtime
