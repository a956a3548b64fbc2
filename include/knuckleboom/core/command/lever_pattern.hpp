// From lever positions to the demands on the functions of a machine.
//
// Axes count from -1 to 1: x to the right, y away from the operator, twist clockwise seen from
// above, pedals forward, the thumb's rocker to the right. Buttons are pressed or not.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "knuckleboom/core/math/table.hpp"

namespace knuckleboom::command {

enum class LeverAxis {
  kLeftX,
  kLeftY,
  kLeftTwist,
  kRightX,
  kRightY,
  kRightTwist,
  kLeftPedal,
  kRightPedal,
  kLeftRocker,
  kRightRocker,
};
inline constexpr int kLeverAxes = 10;
// Names in files, by LeverAxis.
inline constexpr const char* kLeverAxisNames[kLeverAxes] = {
    "left_x",      "left_y",     "left_twist",  "right_x",     "right_y",
    "right_twist", "left_pedal", "right_pedal", "left_rocker", "right_rocker"};

// Buttons on the levers and on the panel beside the seat; bit i of OperatorInput::buttons.
enum class LeverButton {
  kLeft1,
  kLeft2,
  kLeft3,
  kLeft4,
  kRight1,
  kRight2,
  kRight3,
  kRight4,
  kPanel1,
  kPanel2,
  kPanel3,
  kPanel4,
  kPanel5,
  kPanel6,
  kPanel7,
  kPanel8,
};
inline constexpr int kLeverButtons = 16;
// Names in files, by LeverButton.
inline constexpr const char* kLeverButtonNames[kLeverButtons] = {
    "left_1",  "left_2",  "left_3",  "left_4",  "right_1", "right_2", "right_3", "right_4",
    "panel_1", "panel_2", "panel_3", "panel_4", "panel_5", "panel_6", "panel_7", "panel_8"};

// Odd symmetric: the negative side mirrors the positive one.
struct AxisShape {
  double dead_zone = 0.0;  // share of the travel on each side of the centre that gives 0
  double exponent = 1.0;   // 1: straight; above 1: fine near the centre
  Table curve;             // replaces the exponent if not empty; 0..1 -> 0..1
  double gain = 1.0;
  double sign = 1.0;  // +1 or -1
};

// Largest rates of a shaped value away from zero and back towards it.
struct RampLimits {
  double rise_per_s = 0.0;  // 0: at once
  double fall_per_s = 0.0;  // 0: at once
};

enum class LeverTarget {
  kJoint,      // output is a valve voltage, positive towards larger joint positions
  kTipReach,   // output is a speed of the tip, positive away from the machine [m/s]
  kTipHeight,  // the same, positive upwards [m/s]
  kGrapple,    // output is the speed of the jaws, positive closes; 1: the machine's closing time
  kDrive,      // output is the input of the wheels' drive, positive ahead of the seat; 1: full
  kBrake,      // output is the service brake, of the lever's positive side; 1: full
  kTilt,       // output is the tilt of a harvester's head, positive up; 1: the machine's full rate
  kFeed,       // output is the feed of a harvester's head, positive towards the tip; 1: full speed
};

struct LeverFunction {
  LeverAxis axis = LeverAxis::kLeftX;
  LeverTarget target = LeverTarget::kJoint;
  std::string joint;  // of kJoint
  AxisShape shape;
  RampLimits ramp;
  double full = 10.0;  // output at full lever and gain 1, V or m/s or share
  // Joints alone, [V]: at full lever towards smaller positions, 0: `full`; and where the lever leaves its
  // dead zone, towards larger and smaller positions, without it the machine's own.
  double full_negative_V = 0.0;
  std::optional<std::array<double, 2>> start_V;
  // Joint speed at full lever in joint rate mode [rad/s, m/s]; 0: the speed that the joint has at
  // `full` with the pump's pressure and no load, as a mean over its range.
  double full_rate = 0.0;
  bool full_rate_is_angular = true;  // which of the two units it was given in
};

// On or off, by a button: bit i of OperatorState::switches.
enum class Switch {
  kDirection,     // the drive's lever works backwards
  kHighGear,      // engages when the machine stands
  kServiceBrake,  // fully
  kParkingBrake,  // by hand; the drive does nothing
  kDifferentialLock,
  kJointLock,   // by hand, also while driving
  kSeat,        // turned by half a turn
  kLeverMode,   // the next of the modes; its bit is not used
  kSaw,         // of a harvester's head
  kButtReset,   // its measuring wheel to zero
  kBestLength,  // feeds to the length of highest value
  kLength1,     // feed to a length of the price list
  kLength2,
  kLength3,
  kLength4,
  kLength5,
  kLength6,
};
inline constexpr int kSwitches = 17;
// Names in files, by Switch.
inline constexpr const char* kSwitchNames[kSwitches] = {
    "direction", "high_gear",  "service_brake", "parking_brake", "differential_lock", "joint_lock",
    "seat",      "lever_mode", "saw",           "butt_reset",    "best_length",       "length_1",
    "length_2",  "length_3",   "length_4",      "length_5",      "length_6"};

enum class ButtonKind {
  kToggle,    // each press turns it over
  kHold,      // on while the button is held
  kPressOn,   // a press turns it on
  kPressOff,  // a press turns it off
};

// A set of meanings of the axes. Mode 0 is the plain one, in which each acts as itself.
struct LeverMode {
  std::string name;
  std::array<LeverAxis, kLeverAxes> acts_as{};  // by LeverAxis
};
inline constexpr int kMaxLeverModes = 4;
inline constexpr const char* kPlainMode = "crane";

struct ButtonUse {
  LeverButton button = LeverButton::kLeft1;
  Switch does = Switch::kDirection;
  ButtonKind how = ButtonKind::kToggle;
  std::string in_mode;  // empty: in all
  int mode = -1;        // its number; -1: in all
};

struct LeverPattern {
  std::string name;
  std::string description;
  std::vector<LeverFunction> functions;  // each joint and tip direction at most once
  std::vector<LeverMode> modes;          // beside the plain one
  std::vector<ButtonUse> buttons;        // each button at most once in a mode

  int mode_count() const { return static_cast<int>(modes.size()) + 1; }
  // The axis as which one acts in a mode.
  LeverAxis acts_as(LeverAxis axis, int mode) const {
    return mode == 0
               ? axis
               : modes[static_cast<std::size_t>(mode - 1)].acts_as[static_cast<std::size_t>(axis)];
  }
};

// 0 within the dead zone, continuous at its edge, 1 (times gain) at the end of the travel. The axis
// is limited to -1..1; anything that is not a number counts as 0.
double shape(double axis, const AxisShape& settings);

// Moves value towards target for dt seconds. Across zero it first falls and then rises.
double ramp(double target, double dt, const RampLimits& limits, double value);

}  // namespace knuckleboom::command
