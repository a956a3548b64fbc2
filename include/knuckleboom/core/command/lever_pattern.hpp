// From lever positions to the demands on the functions of a machine.
//
// Axes count from -1 to 1: x to the right, y away from the operator, twist clockwise seen from
// above, pedals forward, the thumb's rocker to the right.
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
  kDrive,      // output is the input of the wheels' drive, positive forwards; 1: full
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

struct LeverPattern {
  std::string name;
  std::string description;
  std::vector<LeverFunction> functions;  // each joint and tip direction at most once
};

// 0 within the dead zone, continuous at its edge, 1 (times gain) at the end of the travel. The axis
// is limited to -1..1; anything that is not a number counts as 0.
double shape(double axis, const AxisShape& settings);

// Moves value towards target for dt seconds. Across zero it first falls and then rises.
double ramp(double target, double dt, const RampLimits& limits, double value);

}  // namespace knuckleboom::command
