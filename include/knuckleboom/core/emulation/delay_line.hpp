// A connection on the way between two parts of an emulation: values arrive late, and not all
// equally late. The receiver uses the newest that has arrived.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "knuckleboom/core/math/hash.hpp"
#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::emulation {

inline constexpr int kMostOnTheWay = 64;  // ticks

struct PathDelay {
  double delay_s = 0.0;
  double jitter_s = 0.0;  // more than that, at most: each value draws its share
  bool any() const { return delay_s > 0.0 || jitter_s > 0.0; }
};

// Delay of a value that draws `share` of the jitter, in whole ticks: it is
// looked for once in a tick.
inline std::int64_t ticks_late(const PathDelay& path, double share, double h) {
  const double ticks = std::ceil((path.delay_s + share * path.jitter_s) / h - 1e-9);
  return static_cast<std::int64_t>(std::clamp(ticks, 0.0, kMostOnTheWay - 1.0));
}
// Mean delay of the values used [s].
inline double mean_delay(const PathDelay& path, double h) {
  const double least = static_cast<double>(ticks_late(path, 0.0, h));
  const double most = static_cast<double>(ticks_late(path, 1.0, h));
  return 0.5 * h * (least + most);
}

template <int N>
struct DelayLine {
  double ring[kMostOnTheWay][N];
  std::int64_t due[kMostOnTheWay];  // ticks
  std::int64_t sent;
};
template <int N>
constexpr auto state_fields(const DelayLine<N>* /*type*/) {
  using namespace knuckleboom::state;
  using S = DelayLine<N>;
  return state::fields_of<S>(KB_FIELD(ring), KB_FIELD(due, kCounter), KB_FIELD(sent, kCounter));
}

// Sends the values of this tick and puts those in their place that have arrived; the first ones
// until any has. Once in every tick, or never.
template <int N>
void pass_on(const PathDelay& path, double h, std::uint64_t seed, double (&values)[N],
             DelayLine<N>& line) {
  if (!path.any()) return;
  const std::int64_t now = line.sent;
  double* const in = line.ring[now % kMostOnTheWay];
  std::copy_n(values, N, in);
  line.due[now % kMostOnTheWay] =
      now + ticks_late(path, uniform(mixed_bits(seed) + static_cast<std::uint64_t>(now)), h);
  ++line.sent;
  std::int64_t from = now;
  const std::int64_t oldest = std::max<std::int64_t>(0, now - kMostOnTheWay + 1);
  while (from > oldest && line.due[from % kMostOnTheWay] > now) --from;
  std::copy_n(line.ring[from % kMostOnTheWay], N, values);
}

}  // namespace knuckleboom::emulation
