#include "knuckleboom/runtime/pacer.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <ctime>

namespace knuckleboom::runtime {
namespace {

class MonotonicClock : public Clock {
 public:
  std::int64_t now_ns() override {
    timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::int64_t>(t.tv_sec) * 1'000'000'000 + t.tv_nsec;
  }
  void sleep_until_ns(std::int64_t time) override {
    timespec t{};
    t.tv_sec = static_cast<time_t>(time / 1'000'000'000);
    t.tv_nsec = static_cast<decltype(t.tv_nsec)>(time % 1'000'000'000);
    // A signal wakes the thread early; the tick is not due yet.
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
    }
  }
};

}  // namespace

Clock& monotonic_clock() {
  static MonotonicClock clock;
  return clock;
}

Pacer::Pacer(double period_s, int catch_up_ticks, Clock& clock)
    : clock_(clock),
      period_ns_(period_s * 1e9),
      limit_ns_(std::llround(period_s * 1e9 * catch_up_ticks)) {}

std::int64_t Pacer::deadline(std::int64_t tick) const {
  // From the tick's number and not by adding periods, so that rounding does not accumulate.
  return start_ns_ + std::llround(static_cast<double>(tick) * period_ns_);
}

void Pacer::start() {
  resume();
  first_ns_ = start_ns_;
}

void Pacer::resume() {
  start_ns_ = clock_.now_ns();
  tick_ = 0;
  counted_ = false;
}

void Pacer::wait() {
  const std::int64_t due = deadline(tick_);
  std::int64_t now = clock_.now_ns();
  if (now < due) {
    clock_.sleep_until_ns(due);
    now = clock_.now_ns();
  }
  const std::int64_t late = now - due;
  lateness_ns_ = late;
  worst_lateness_ns_ = std::max(worst_lateness_ns_, late);
  if (late > limit_ns_) {
    // The process was stopped or overslept: nothing ran too long, but the tick was late.
    if (!counted_) ++overruns_;
    lost_ns_ += late;
    start_ns_ += late;
  }
}

void Pacer::tick_finished() {
  ++tick_;
  counted_ = clock_.now_ns() > deadline(tick_);
  if (counted_) ++overruns_;
}

}  // namespace knuckleboom::runtime
