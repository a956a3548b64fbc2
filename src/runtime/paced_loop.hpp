// A loop of ticks in real time on a thread of its own, and its timing: of the trainer and of an emulation.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>

#include "knuckleboom/runtime/pacer.hpp"
#include "knuckleboom/runtime/periodic_thread.hpp"
#include "knuckleboom/runtime/realtime_request.hpp"
#include "knuckleboom/runtime/simulation_thread.hpp"
#include "knuckleboom/runtime/tick_times.hpp"

namespace knuckleboom::runtime {

struct MeanAndMax {
  std::int64_t count = 0, sum_ns = 0, max_ns = 0;

  void add(std::int64_t ns) {
    ++count;
    sum_ns += ns;
    max_ns = std::max(max_ns, ns);
  }
  double mean_us() const {
    return count == 0 ? 0.0 : static_cast<double>(sum_ns) * 1e-3 / static_cast<double>(count);
  }
  double max_us() const { return static_cast<double>(max_ns) * 1e-3; }
};

class PacedLoop {
 public:
  PacedLoop(double period_s, int catch_up_ticks, Clock& clock)
      : clock_(clock), pacer_(period_s, catch_up_ticks, clock) {}
  ~PacedLoop() { stop(); }
  PacedLoop(const PacedLoop&) = delete;
  PacedLoop& operator=(const PacedLoop&) = delete;

  // --- The thread that made it ---
  // body: all that the thread does, run() included. name: see begin_thread().
  template <class Body>
  void start(const char* name, bool ask_for_priority, Body body) {
    thread_ = std::thread([this, name, ask_for_priority, body = std::move(body)] {
      begin_thread(name);
      std::optional<RealtimeRequest> request;
      if (ask_for_priority) {
        request.emplace();
        health_.priority_granted = request->priority_granted();
        health_.memory_locked = request->memory_locked();
      }
      body();
    });
  }
  bool running() const { return thread_.joinable(); }
  void ask_to_stop() { stopping_.store(true, std::memory_order_release); }
  void stop() {
    ask_to_stop();
    if (thread_.joinable()) thread_.join();
  }

  // --- Its thread ---
  bool stopping() const { return stopping_.load(std::memory_order_acquire); }
  // Ticks until it is to stop. wants(): false: no tick is due now, ask again. takes(): at the time of the
  // tick, false: there is none. tick(): false: it was the last.
  template <class Wants, class Takes, class Tick>
  void run(Wants wants, Takes takes, Tick tick) {
    pacer_.start();
    while (!stopping()) {
      if (!wants()) continue;
      pacer_.wait();
      if (!takes()) continue;
      lateness_.add(pacer_.lateness_ns());
      if (!tick()) return;
      pacer_.tick_finished();
    }
  }
  // After a pause, see Pacer.
  void resume() { pacer_.resume(); }
  std::int64_t due_ns() const { return pacer_.due_ns(); }
  std::int64_t lateness_ns() const { return pacer_.lateness_ns(); }

  // Measured by whoever does the work.
  MeanAndMax tick_cost, publication_cost, input_delay;

  // As it is now. The quantiles, which take long, are only computed a few times a second, and at the end.
  const ThreadHealth& health(std::int64_t recording_lost, bool at_end) {
    const std::int64_t now = clock_.now_ns();
    if (at_end || summary_ns_ == 0 || now - summary_ns_ >= kSummaryPeriodNs) {
      summary_ns_ = now;
      health_.lateness = lateness_.summary();
    }
    health_.ticks = tick_cost.count;
    health_.overruns = pacer_.overruns();
    health_.lost_s = pacer_.lost_s();
    health_.tick_mean_us = tick_cost.mean_us();
    health_.tick_max_us = tick_cost.max_us();
    health_.publish_mean_us = publication_cost.mean_us();
    health_.inputs = input_delay.count;
    health_.input_mean_us = input_delay.mean_us();
    health_.input_max_us = input_delay.max_us();
    health_.recording_lost = recording_lost;
    return health_;
  }

 private:
  static constexpr std::int64_t kSummaryPeriodNs = 250'000'000;

  Clock& clock_;
  Pacer pacer_;
  TickTimes lateness_;
  ThreadHealth health_;
  std::int64_t summary_ns_ = 0;  // when the quantiles were last computed
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace knuckleboom::runtime
