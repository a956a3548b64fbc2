// Descriptions of the levers' functions.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/core/command/lever_pattern.hpp"
#include "knuckleboom/core/sim/operator_control.hpp"
#include "view/panels/help.hpp"

namespace knuckleboom::app {

// "boom", "tip reach", "grapple".
std::string function_name(const command::LeverFunction& function);

// Functions of the lever's two ends: "stick in" and "stick out".
struct EndNames {
  std::string negative, positive;
};
EndNames end_names(const command::LeverFunction& function);

// Keys that move a lever axis, by its ends; several are joined by '/'.
struct AxisKeys {
  std::string negative, positive;
};

// The functions in a control mode: with boom-tip control levers of boom and stick move the tip.
command::LeverPattern as_driven(const sim::OperatorControl& control, command::ControlMode mode);

// The help screen's levers. keys: by LeverAxis; button_keys: by LeverButton.
view::panels::Help lever_help(const command::LeverPattern& pattern,
                              const std::vector<AxisKeys>& keys,
                              const std::vector<std::string>& button_keys);

// "crane" of the plain one.
std::string mode_name(const command::LeverPattern& pattern, int mode);
// "parking brake", "differential lock (held)".
std::string button_does(const command::ButtonUse& use);

}  // namespace knuckleboom::app
