// The operator's input during one tick, after calibration and binding of the devices. Its recording
// replays a session.
#pragma once

#include <cstdint>

#include "knuckleboom/core/command/lever_pattern.hpp"
#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::command {

struct OperatorInput {
  double axis[kLeverAxes];  // by LeverAxis, -1 to 1; 0 without a device
  std::int64_t buttons;     // that are held down: bits by LeverButton

  bool operator==(const OperatorInput&) const = default;
};
constexpr auto state_fields(const OperatorInput* /*type*/) {
  using namespace knuckleboom::state;
  using S = OperatorInput;
  return state::fields_of<S>(KB_FIELD(axis, kDirection), KB_FIELD(buttons, bits(kLeverButtons)));
}

// Effect of the levers on the machine.
enum class ControlMode : int {
  kValve,      // lever -> spool, as on a plain machine
  kJointRate,  // lever -> joint speed, held by the joint controllers
  kBoomTip,    // levers -> speed of the tip in swing, reach and height
};
inline constexpr int kControlModes = 3;

}  // namespace knuckleboom::command
