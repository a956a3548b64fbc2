// Starts each tick at its point in real time.
//
// Deadlines are absolute: the k-th tick starts at start + k period, so that a late tick does not
// delay later ones. A simulation that has fallen behind catches up by running ticks without pause,
// up to a limit: time beyond it is lost and counted, and the deadlines move. The step itself is
// never stretched, so that a late simulation gives the same results, only later.
#pragma once

#include <cstdint>

namespace knuckleboom::runtime {

// A clock and a way to wait for it; tests replace it.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t now_ns() = 0;
  virtual void sleep_until_ns(std::int64_t time) = 0;
};

// CLOCK_MONOTONIC with clock_nanosleep to absolute times.
Clock& monotonic_clock();

class Pacer {
 public:
  static constexpr int kDefaultCatchUp = 50;  // ticks

  explicit Pacer(double period_s, int catch_up_ticks = kDefaultCatchUp,
                 Clock& clock = monotonic_clock());

  void start();          // the first tick is due now
  void resume();         // after a pause, which is neither late nor lost: the next tick is due now
  void wait();           // returns when the next tick is due, or at once when it is late
  void tick_finished();  // right after each tick

  // Due time of the tick that wait() returned for, and its lateness.
  std::int64_t due_ns() const { return deadline(tick_); }
  std::int64_t lateness_ns() const { return lateness_ns_; }

  std::int64_t overruns() const {
    return overruns_;
  }  // ticks that ended after the next was due, or
     // started beyond the limit
  double lost_s() const { return static_cast<double>(lost_ns_) * 1e-9; }
  double worst_lateness_s() const { return static_cast<double>(worst_lateness_ns_) * 1e-9; }
  double elapsed_s() const { return static_cast<double>(clock_.now_ns() - first_ns_) * 1e-9; }

 private:
  std::int64_t deadline(std::int64_t tick) const;

  Clock& clock_;
  double period_ns_;
  std::int64_t limit_ns_;
  std::int64_t first_ns_ = 0;  // of the run
  std::int64_t start_ns_ = 0;  // of tick 0 as far as deadlines go; moves when time is lost
  std::int64_t tick_ = 0;
  std::int64_t overruns_ = 0;
  bool counted_ = false;  // that the last tick ended late
  std::int64_t lost_ns_ = 0;
  std::int64_t lateness_ns_ = 0;
  std::int64_t worst_lateness_ns_ = 0;
};

}  // namespace knuckleboom::runtime
