#include "app/session/lever_texts.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "app/shell/text.hpp"
#include "knuckleboom/core/math/arrays.hpp"

namespace knuckleboom::app {
namespace {

using command::LeverAxis;
using command::LeverFunction;
using command::LeverTarget;

// Usual names of joints, with words for their positive side (docs/conventions.md). Others get
// signs.
struct JointWords {
  const char* joint;
  const char* negative;
  const char* positive;
};
constexpr std::array<JointWords, 7> kJoints = {{{"swing", "swing right", "swing left"},
                                                {"boom", "boom down", "boom up"},
                                                {"stick", "stick in", "stick out"},
                                                {"telescope", "telescope in", "telescope out"},
                                                {"rotator", "rotator right", "rotator left"},
                                                {"tilt", "tilt down", "tilt up"},
                                                {"steer", "steer right", "steer left"}}};

EndNames joint_words(const std::string& joint) {
  const std::string name = spoken(joint);
  for (const JointWords& words : kJoints)
    if (name == words.joint) return {words.negative, words.positive};
  return {name + " -", name + " +"};
}

void add_stick(const EndNames& words, const AxisKeys& keys, bool along,
               view::panels::StickHelp& out) {
  (along ? out.towards : out.left) = words.negative;
  (along ? out.away : out.right) = words.positive;
  (along ? out.key_towards : out.key_left) = keys.negative;
  (along ? out.key_away : out.key_right) = keys.positive;
}

const char* axis_words(LeverAxis axis) {
  switch (axis) {
    case LeverAxis::kLeftTwist:
      return "left twist";
    case LeverAxis::kRightTwist:
      return "right twist";
    case LeverAxis::kLeftPedal:
      return "left pedal";
    case LeverAxis::kRightPedal:
      return "right pedal";
    case LeverAxis::kLeftRocker:
      return "left thumb";
    case LeverAxis::kRightRocker:
      return "right thumb";
    default:
      return "";
  }
}

}  // namespace

std::string function_name(const LeverFunction& function) {
  switch (function.target) {
    case LeverTarget::kTipReach:
      return "tip reach";
    case LeverTarget::kTipHeight:
      return "tip height";
    case LeverTarget::kGrapple:
      return "grapple";
    case LeverTarget::kDrive:
      return "drive";
    case LeverTarget::kBrake:
      return "brake";
    case LeverTarget::kTilt:
      return "head tilt";
    case LeverTarget::kJoint:
      break;
  }
  return spoken(function.joint);
}

EndNames end_names(const LeverFunction& function) {
  EndNames words;
  switch (function.target) {
    case LeverTarget::kTipReach:
      words = {"tip in", "tip out"};
      break;
    case LeverTarget::kTipHeight:
      words = {"tip down", "tip up"};
      break;
    case LeverTarget::kGrapple:
      words = {"grapple opens", "grapple closes"};
      break;
    case LeverTarget::kDrive:
      words = {"drive back", "drive ahead"};
      break;
    case LeverTarget::kBrake:
      words = {"", "service brake"};
      break;
    case LeverTarget::kTilt:
      words = {"head down", "head up"};
      break;
    case LeverTarget::kJoint:
      words = joint_words(function.joint);
      break;
  }
  if (function.shape.sign < 0.0) std::swap(words.negative, words.positive);
  return words;
}

command::LeverPattern as_driven(const sim::OperatorControl& control, command::ControlMode mode) {
  command::LeverPattern pattern = control.pattern();
  if (mode != command::ControlMode::kBoomTip) return pattern;
  for (std::size_t n = 0; n < pattern.functions.size(); ++n) {
    const machine::TipVelocity tip = control.tip_of(n);
    LeverFunction& function = pattern.functions[n];
    if (tip.reach == 0.0 && tip.height == 0.0) continue;
    if (function.target == LeverTarget::kJoint && (tip.reach + tip.height) < 0.0)
      function.shape.sign = -function.shape.sign;
    function.target = tip.reach != 0.0 ? LeverTarget::kTipReach : LeverTarget::kTipHeight;
  }
  return pattern;
}

std::string mode_name(const command::LeverPattern& pattern, int mode) {
  return mode == 0 ? command::kPlainMode : pattern.modes[static_cast<std::size_t>(mode - 1)].name;
}

std::string button_does(const command::ButtonUse& use) {
  const std::string name = spoken(command::kSwitchNames[static_cast<int>(use.does)]);
  switch (use.how) {
    case command::ButtonKind::kHold:
      return name + " (held)";
    case command::ButtonKind::kPressOn:
      return name + " on";
    case command::ButtonKind::kPressOff:
      return name + " off";
    case command::ButtonKind::kToggle:
      break;
  }
  return use.does == command::Switch::kLeverMode ? "next lever mode" : name + " on, off";
}

view::panels::Help lever_help(const command::LeverPattern& pattern,
                              const std::vector<AxisKeys>& keys,
                              const std::vector<std::string>& button_keys) {
  view::panels::Help help;
  help.pattern = pattern.name;
  for (const LeverFunction& function : pattern.functions) {
    const EndNames words = end_names(function);
    const auto index = static_cast<std::size_t>(function.axis);
    const AxisKeys key = index < keys.size() ? keys[index] : AxisKeys{};
    switch (function.axis) {
      case LeverAxis::kLeftX:
      case LeverAxis::kLeftY:
        add_stick(words, key, function.axis == LeverAxis::kLeftY, help.left);
        break;
      case LeverAxis::kRightX:
      case LeverAxis::kRightY:
        add_stick(words, key, function.axis == LeverAxis::kRightY, help.right);
        break;
      default:
        help.others.push_back({axis_words(function.axis), words.negative, words.positive,
                               key.negative, key.positive});
    }
  }
  for (const command::ButtonUse& use : pattern.buttons)
    help.buttons.push_back({spoken(command::kLeverButtonNames[static_cast<int>(use.button)]),
                            nth(button_keys, use.button),
                            use.in_mode.empty()
                                ? button_does(use)
                                : fmt::format("{} (mode {})", button_does(use), use.in_mode)});
  return help;
}

}  // namespace knuckleboom::app
