// The operator's input during one tick, after calibration and binding of the devices. Its recording
// replays a session.
#pragma once

#include <type_traits>

#include "knuckleboom/core/command/lever_pattern.hpp"

namespace knuckleboom::command {

struct OperatorInput {
  double axis[kLeverAxes];  // by LeverAxis, -1 to 1; 0 without a device
};
static_assert(std::is_trivially_copyable_v<OperatorInput>);

// Effect of the levers on the machine.
enum class ControlMode : int {
  kValve,      // lever -> spool, as on a plain machine
  kJointRate,  // lever -> joint speed, held by the joint controllers
  kBoomTip,    // levers -> speed of the tip in swing, reach and height
};
inline constexpr int kControlModes = 3;

}  // namespace knuckleboom::command
