#include "app/replay/replay_clock.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace knuckleboom::app {
namespace {

constexpr double kSpeeds[] = {0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0};
constexpr double kSame = 1e-9;

}  // namespace

ReplayClock::ReplayClock(std::int64_t first_tick, std::int64_t end_tick, double tick_s)
    : first_(static_cast<double>(first_tick)),
      end_(static_cast<double>(std::max(first_tick, end_tick))),
      tick_s_(tick_s),
      position_(first_) {}

void ReplayClock::advance(double dt_s) {
  if (paused_ || !(dt_s > 0.0)) return;
  const bool before_end = position_ < loop_end_;
  position_ += dt_s * speed_ / tick_s_;
  if (loops() && before_end && position_ >= loop_end_)
    position_ = loop_begin_ + std::fmod(position_ - loop_end_, loop_end_ - loop_begin_);
  if (position_ < end_) return;
  position_ = end_;
  paused_ = true;
}

void ReplayClock::seek(double tick) {
  if (std::isfinite(tick)) position_ = std::clamp(tick, first_, end_);
}

void ReplayClock::step(std::int64_t ticks) {
  paused_ = true;
  seek(std::floor(position_) + static_cast<double>(ticks));
}

void ReplayClock::set_paused(bool paused) {
  if (!paused && at_end()) position_ = loops() ? loop_begin_ : first_;
  paused_ = paused;
}

void ReplayClock::set_speed(double speed) {
  if (std::isfinite(speed)) speed_ = std::clamp(speed, kSlowest, kFastest);
}

void ReplayClock::faster() {
  const auto next = std::find_if(std::begin(kSpeeds), std::end(kSpeeds),
                                 [this](double s) { return s > speed_ + kSame; });
  if (next != std::end(kSpeeds)) speed_ = *next;
}

void ReplayClock::slower() {
  const auto next = std::find_if(std::rbegin(kSpeeds), std::rend(kSpeeds),
                                 [this](double s) { return s < speed_ - kSame; });
  if (next != std::rend(kSpeeds)) speed_ = *next;
}

void ReplayClock::begin_loop() { set_loop(position_, loop_end_); }

void ReplayClock::end_loop() {
  set_loop(std::max(loop_begin_, first_), position_);
  if (loops()) position_ = loop_begin_;
}

void ReplayClock::set_loop(double begin_tick, double end_tick) {
  loop_begin_ = std::clamp(begin_tick, first_, end_);
  loop_end_ = std::min(end_tick, end_);
}

void ReplayClock::clear_loop() { loop_begin_ = loop_end_ = -1.0; }

std::int64_t ReplayClock::tick() const { return static_cast<std::int64_t>(std::floor(position_)); }
double ReplayClock::share() const { return position_ - std::floor(position_); }

}  // namespace knuckleboom::app
