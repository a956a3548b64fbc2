// Lateness of a thread that only waits: the capability of the computer, to compare with the
// simulation thread in the same run.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "knuckleboom/runtime/latest_value.hpp"
#include "knuckleboom/runtime/tick_times.hpp"

namespace knuckleboom::runtime {

class LatenessProbe {
 public:
  // A bare clock_nanosleep(TIMER_ABSTIME) loop with the priority of the simulation thread, if
  // requested and granted. Starts at once.
  explicit LatenessProbe(double rate_Hz, bool ask_for_priority = true);
  ~LatenessProbe();  // stops
  LatenessProbe(const LatenessProbe&) = delete;
  LatenessProbe& operator=(const LatenessProbe&) = delete;

  void stop();

  struct Result {
    std::int64_t wakes = 0;
    TimeSummary lateness;
    bool priority_granted = false;
  };
  // Renewed four times a second and by stop(). For one thread.
  const Result& result() {
    result_.refresh();
    return result_.value();
  }

 private:
  void run();
  void loop(Result& result);

  double rate_Hz_;
  bool ask_for_priority_;
  std::atomic<bool> stopping_{false};
  LatestValue<Result> result_;
  std::thread thread_;
};

}  // namespace knuckleboom::runtime
