// In place of a controller that a machine does not have.
#pragma once

#include <limits>

#include "knuckleboom/core/control/pid.hpp"

namespace knuckleboom::control {

// Its output is next to nothing, whatever its gains become.
inline PidGains no_controller() {
  PidGains gains;
  gains.output_limit_V = std::numeric_limits<double>::min();
  return gains;
}
inline bool is_none(const PidGains& gains) {
  return gains.output_limit_V == std::numeric_limits<double>::min();
}

}  // namespace knuckleboom::control
