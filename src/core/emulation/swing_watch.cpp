#include "knuckleboom/core/emulation/swing_watch.hpp"

#include <algorithm>
#include <cmath>

namespace knuckleboom::emulation {
namespace {

constexpr int kFewest = 6;          // swings: three periods
constexpr double kShortest = 0.04;  // s
constexpr double kLasting = 0.9;    // of the largest swing before, that the last two have
constexpr double kAlike = 0.45;     // of its neighbour, that a swing has at least
constexpr double kTurned = 0.25;    // of a swing, after which a turn back counts

// The last swings and the present one, oldest first.
struct Recent {
  double size[kSwings + 1];
  std::int64_t at[kSwings + 1];
  int count;
};

Recent recent(const SwingLimits& limits, const SwingState& state) {
  Recent out{};
  const auto known = static_cast<int>(std::min<std::int64_t>(state.swings, kSwings));
  for (int i = 0; i < known; ++i) {
    const std::int64_t from = (state.swings - known + i) % kSwings;
    out.size[i] = state.size[from];
    out.at[i] = state.at[from];
  }
  out.count = known;
  const double present = std::fabs(state.extreme - state.turn);
  if (present < limits.least) return out;
  out.size[known] = present;
  out.at[known] = state.turn_tick;
  ++out.count;
  return out;
}

bool lasts(const Recent& r, int first) {
  for (int i = first; i + 1 < r.count; ++i)
    if (std::min(r.size[i], r.size[i + 1]) < kAlike * std::max(r.size[i], r.size[i + 1]))
      return false;
  double largest = 0.0;
  for (int i = first; i + 2 < r.count; ++i) largest = std::max(largest, r.size[i]);
  return 0.5 * (r.size[r.count - 2] + r.size[r.count - 1]) >= kLasting * largest;
}

void turn_back(const SwingLimits& limits, double value, std::int64_t tick, SwingState& s) {
  const double size = std::fabs(s.extreme - s.turn);
  if (size >= limits.least) {
    s.size[s.swings % kSwings] = size;
    s.at[s.swings % kSwings] = s.turn_tick;
    ++s.swings;
  } else {
    s.swings = 0;
  }
  s.turn = s.extreme;
  s.turn_tick = s.extreme_tick;
  s.direction = -s.direction;
  s.extreme = value;
  s.extreme_tick = tick;
}

}  // namespace

double watch_swing(const SwingLimits& limits, double value, std::int64_t tick, double h,
                   SwingState& s) {
  if (s.direction == 0) {
    s.direction = 1;
    s.turn = s.extreme = value;
    s.turn_tick = s.extreme_tick = tick;
  }
  const double onwards = static_cast<double>(s.direction) * (value - s.extreme);
  const double back = std::max(kTurned * std::fabs(s.extreme - s.turn), 0.5 * limits.least);
  if (onwards >= 0.0) {
    s.extreme = value;
    s.extreme_tick = tick;
  } else if (-onwards >= back) {
    turn_back(limits, value, tick, s);
  }
  const auto seconds = [h](std::int64_t ticks) { return h * static_cast<double>(ticks); };
  if (seconds(tick - s.turn_tick) > limits.slowest_s) s.swings = 0;
  const Recent r = recent(limits, s);
  if (r.count < kFewest) return 0.0;
  int first = r.count - kFewest;
  while (first > 0 && seconds(tick - r.at[first]) < kShortest) --first;
  const bool remembers = r.count > kSwings;
  if (seconds(tick - r.at[first]) < kShortest && !remembers) return 0.0;
  if (!lasts(r, first)) return 0.0;
  const double periods = 0.5 * (r.count - 1 - first);
  return periods / seconds(r.at[r.count - 1] - r.at[first]);
}

}  // namespace knuckleboom::emulation
