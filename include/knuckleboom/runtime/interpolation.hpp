// Interpolation of a frame between the two newest snapshots.
#pragma once

#include <algorithm>
#include <cstdint>

#include "knuckleboom/runtime/simulation_thread.hpp"

namespace knuckleboom::runtime {

// Share of the newer snapshot, 0 to 1: the frames lag by one publication, so that there is always a
// snapshot to move to. now_ns: CLOCK_MONOTONIC.
inline double interpolation_share(const Published& published, std::int64_t now_ns) {
  if (published.jumped || published.interval_ns <= 0) return 1.0;
  const auto since = static_cast<double>(now_ns - published.newer_due_ns);
  return std::clamp(since / static_cast<double>(published.interval_ns), 0.0, 1.0);
}

}  // namespace knuckleboom::runtime
