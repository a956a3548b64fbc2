#include "app/session/lever_texts.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "app/shell/text.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "language/text.hpp"

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
constexpr std::array<JointWords, 7> kJoints = {
    {{"swing", msgid("swing right"), msgid("swing left")},
     {"boom", msgid("boom down"), msgid("boom up")},
     {"stick", msgid("stick in"), msgid("stick out")},
     {"telescope", msgid("telescope in"), msgid("telescope out")},
     {"rotator", msgid("rotator right"), msgid("rotator left")},
     {"tilt", msgid("tilt down"), msgid("tilt up")},
     {"steer", msgid("steer right"), msgid("steer left")}}};

EndNames joint_words(const std::string& joint) {
  const std::string name = spoken(joint);
  for (const JointWords& words : kJoints)
    if (name == words.joint) return {tr(words.negative), tr(words.positive)};
  return {tr(name) + " -", tr(name) + " +"};
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
      return tr("left twist");
    case LeverAxis::kRightTwist:
      return tr("right twist");
    case LeverAxis::kLeftPedal:
      return tr("left pedal");
    case LeverAxis::kRightPedal:
      return tr("right pedal");
    case LeverAxis::kLeftRocker:
      return tr("left thumb");
    case LeverAxis::kRightRocker:
      return tr("right thumb");
    default:
      return "";
  }
}

}  // namespace

std::string function_name(const LeverFunction& function) {
  switch (function.target) {
    case LeverTarget::kTipReach:
      return tr("tip reach");
    case LeverTarget::kTipHeight:
      return tr("tip height");
    case LeverTarget::kGrapple:
      return tr("grapple");
    case LeverTarget::kDrive:
      return tr("drive");
    case LeverTarget::kBrake:
      return tr("brake");
    case LeverTarget::kTilt:
      return tr("head tilt");
    case LeverTarget::kFeed:
      return tr("feed");
    case LeverTarget::kJoint:
      break;
  }
  return tr(spoken(function.joint));
}

EndNames end_names(const LeverFunction& function) {
  EndNames words;
  switch (function.target) {
    case LeverTarget::kTipReach:
      words = {tr("tip in"), tr("tip out")};
      break;
    case LeverTarget::kTipHeight:
      words = {tr("tip down"), tr("tip up")};
      break;
    case LeverTarget::kGrapple:
      words = {tr("grapple opens"), tr("grapple closes")};
      break;
    case LeverTarget::kDrive:
      words = {tr("drive back"), tr("drive ahead")};
      break;
    case LeverTarget::kBrake:
      words = {"", tr("service brake")};
      break;
    case LeverTarget::kTilt:
      words = {tr("head down"), tr("head up")};
      break;
    case LeverTarget::kFeed:
      words = {tr("feed to the butt"), tr("feed to the tip")};
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
  const std::string name = tr(spoken(command::kSwitchNames[static_cast<int>(use.does)]));
  switch (use.how) {
    case command::ButtonKind::kHold:
      return tr_format("{} (held)", name);
    case command::ButtonKind::kPressOn:
      return tr_format("{} on", name);
    case command::ButtonKind::kPressOff:
      return tr_format("{} off", name);
    case command::ButtonKind::kToggle:
      break;
  }
  return use.does == command::Switch::kLeverMode ? tr("next lever mode")
                                                 : tr_format("{} on, off", name);
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
    help.buttons.push_back({tr(spoken(command::kLeverButtonNames[static_cast<int>(use.button)])),
                            nth(button_keys, use.button),
                            use.in_mode.empty()
                                ? button_does(use)
                                : tr_format("{} (mode {})", button_does(use), tr(use.in_mode))});
  return help;
}

}  // namespace knuckleboom::app
