// Frame rate.
#pragma once

#include <cstdint>

#include "knuckleboom/runtime/tick_times.hpp"

namespace knuckleboom::app {

class FrameMeter {
 public:
  // A frame was swapped to the screen.
  void frame(std::int64_t now_ns) {
    ++frames_;
    if (last_ns_ != 0) {
      times_.add(now_ns - last_ns_);
      total_ns_ += now_ns - last_ns_;
      window_ns_ += now_ns - last_ns_;
      ++intervals_;
      ++window_intervals_;
    }
    last_ns_ = now_ns;
    if (window_ns_ < kRateWindow) return;
    rate_ = static_cast<double>(window_intervals_) * 1e9 / static_cast<double>(window_ns_);
    window_ns_ = window_intervals_ = 0;
  }
  // The time between two frames does not count: a session was loaded.
  void interrupt() { last_ns_ = 0; }

  std::int64_t frames() const { return frames_; }
  double rate() const { return rate_; }  // of the last half second [1/s]
  double mean_rate() const {
    return total_ns_ > 0 ? static_cast<double>(intervals_) * 1e9 / static_cast<double>(total_ns_)
                         : 0.0;
  }
  const runtime::TickTimes& times() const { return times_; }

 private:
  static constexpr std::int64_t kRateWindow = 500'000'000;  // ns

  std::int64_t last_ns_ = 0, total_ns_ = 0, window_ns_ = 0;
  std::int64_t frames_ = 0, intervals_ = 0, window_intervals_ = 0;
  double rate_ = 0.0;
  runtime::TickTimes times_;
};

}  // namespace knuckleboom::app
