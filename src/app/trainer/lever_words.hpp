// What levers do, in words.
#pragma once

#include <string>
#include <vector>

#include "knuckleboom/core/command/lever_pattern.hpp"
#include "view/panels/help.hpp"

namespace knuckleboom::app {

// "boom", "tip reach", "grapple".
std::string function_name(const command::LeverFunction& function);

// What the lever's two ends do: "stick in" and "stick out".
struct EndWords {
  std::string negative, positive;
};
EndWords end_words(const command::LeverFunction& function);

// Keys that move a lever axis, by its ends; several are joined by '/'.
struct AxisKeys {
  std::string negative, positive;
};

// The help screen's levers. keys: by LeverAxis.
view::panels::Help lever_help(const command::LeverPattern& pattern,
                              const std::vector<AxisKeys>& keys);

}  // namespace knuckleboom::app
