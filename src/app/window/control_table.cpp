#include "app/window/control_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "input/default_layout.hpp"
#include "knuckleboom/core/command/lever_setup.hpp"
#include "knuckleboom/core/math/arrays.hpp"

namespace knuckleboom::app {

using command::LeverAxis;
using command::LeverFunction;

namespace {

constexpr const char* kPadNames[][2] = {{"leftx", "left stick"},
                                        {"lefty", "left stick"},
                                        {"rightx", "right stick"},
                                        {"righty", "right stick"},
                                        {"leftshoulder", "left shoulder"},
                                        {"rightshoulder", "right shoulder"},
                                        {"lefttrigger", "left trigger"},
                                        {"righttrigger", "right trigger"},
                                        {"dpup", "cross up"},
                                        {"dpdown", "cross down"},
                                        {"dpleft", "cross left"},
                                        {"dpright", "cross right"},
                                        {"leftstick", "left stick pressed"},
                                        {"rightstick", "right stick pressed"}};

std::string pad_name(const std::string& control) {
  for (const auto& [name, words] : kPadNames)
    if (control == name) return words;
  return control.size() == 1 ? std::string(1, static_cast<char>(control[0] - 'a' + 'A')) : control;
}

// Words for the two ends of an axis on levers of one's own.
EndNames stick_ends(LeverAxis axis) {
  const bool left = command::mirrored(axis) > axis;
  const std::string side = left ? "left lever " : "right lever ";
  switch (axis) {
    case LeverAxis::kLeftX:
    case LeverAxis::kRightX:
      return {side + "left", side + "right"};
    case LeverAxis::kLeftY:
    case LeverAxis::kRightY:
      return {side + "back", side + "forward"};
    case LeverAxis::kLeftTwist:
    case LeverAxis::kRightTwist:
      return {side + "twisted left", side + "twisted right"};
    case LeverAxis::kLeftPedal:
    case LeverAxis::kRightPedal:
      return {};  // only by a device file
    case LeverAxis::kLeftRocker:
    case LeverAxis::kRightRocker:
      return {side + "hat left", side + "hat right"};
  }
  return {};
}

EndNames pad_ends(LeverAxis axis) {
  for (const input::PadAxis& part : input::pad_axes()) {
    if (part.axis != axis) continue;
    if (std::string_view(part.negative) != part.positive)
      return {pad_name(part.negative), pad_name(part.positive)};
    const std::string name = pad_name(part.negative);
    return axis == LeverAxis::kLeftX || axis == LeverAxis::kRightX
               ? EndNames{name + " left", name + " right"}
               : EndNames{name + " back", name + " forward"};
  }
  return {};
}

std::string stick_button(command::LeverButton button) {
  const int number = static_cast<int>(button);
  const bool left = (number & 4) == 0;
  const int place = (number & 3) + (number < 8 ? 0 : 4);
  return fmt::format("{} lever button {}", left ? "left" : "right",
                     input::stick_buttons()[static_cast<std::size_t>(place)] + 1);
}

std::string pad_button(command::LeverButton button) {
  for (const input::PadButton& part : input::pad_buttons())
    if (part.button == button) return pad_name(part.control);
  return {};
}

}  // namespace

std::vector<ControlRow> control_rows(const command::LeverPattern& pattern,
                                     const std::vector<AxisKeys>& keys,
                                     const std::vector<std::string>& button_keys) {
  std::vector<ControlRow> rows;
  const auto add = [&](const std::string& mode, LeverAxis axis, const EndNames& does) {
    const EndNames stick = stick_ends(axis), pad = pad_ends(axis);
    const AxisKeys& key = nth(keys, axis);
    if (!does.negative.empty())
      rows.push_back({mode, does.negative, stick.negative, pad.negative, key.negative});
    if (!does.positive.empty())
      rows.push_back({mode, does.positive, stick.positive, pad.positive, key.positive});
  };
  const auto function_on = [&](LeverAxis axis) {
    return std::ranges::find(pattern.functions, axis, &LeverFunction::axis);
  };
  // An axis that is another one in some mode has its own function in the others alone.
  for (const LeverFunction& function : pattern.functions) {
    std::string mode;
    for (const command::LeverMode& other : pattern.modes)
      if (nth(other.acts_as, function.axis) != function.axis) mode = command::kPlainMode;
    add(mode, function.axis, end_names(function));
  }
  for (const command::LeverMode& mode : pattern.modes)
    for (std::size_t i = 0; i < command::kLeverAxes; ++i) {
      const auto axis = static_cast<LeverAxis>(i);
      if (mode.acts_as[i] == axis) continue;
      const auto function = function_on(mode.acts_as[i]);
      if (function != pattern.functions.end()) add(mode.name, axis, end_names(*function));
    }
  for (const command::ButtonUse& use : pattern.buttons)
    rows.push_back({use.in_mode, button_does(use), stick_button(use.button), pad_button(use.button),
                    nth(button_keys, use.button)});
  return rows;
}

}  // namespace knuckleboom::app
