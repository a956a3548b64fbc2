#pragma once

#include <cstdint>

namespace knuckleboom::runtime {

// The first multiple of a period after this tick.
inline std::int64_t next_multiple(std::int64_t tick, std::int64_t period) {
  return (tick / period + 1) * period;
}

}  // namespace knuckleboom::runtime
