#include "knuckleboom/core/command/lever_setup.hpp"

#include <algorithm>
#include <cstdlib>

namespace knuckleboom::command {
namespace {

constexpr double kNearCentre = 0.1;  // of the travel

// Travel from the centre to the end on the side of `raw`, beyond the noise; 0 or less: none.
int usable_travel(int raw, const AxisCalibration& c) {
  return (raw >= c.centre ? c.max - c.centre : c.centre - c.min) - c.noise;
}

}  // namespace

bool same_part(const AxisBinding& axis, const ButtonBinding& button) {
  if (axis.slot != button.slot) return false;
  if (axis.kind == ControlKind::kButtons)
    return button.button >= 0 && (axis.negative == button.button || axis.positive == button.button);
  const bool along = button.side == 0 || button.side == 2;
  return button.hat >= 0 && axis.number == button.hat &&
         axis.kind == (along ? ControlKind::kHatY : ControlKind::kHatX);
}

LeverButton mirrored(LeverButton button) {
  constexpr int kSide = 4;  // buttons of a lever, and of half the panel
  return static_cast<LeverButton>(static_cast<int>(button) ^ kSide);
}

LeverAxis mirrored(LeverAxis axis) {
  using enum LeverAxis;
  constexpr LeverAxis kPairs[][2] = {{kLeftX, kRightX},
                                     {kLeftY, kRightY},
                                     {kLeftTwist, kRightTwist},
                                     {kLeftPedal, kRightPedal},
                                     {kLeftRocker, kRightRocker}};
  for (const auto& [left, right] : kPairs) {
    if (axis == left) return right;
    if (axis == right) return left;
  }
  return axis;
}

double calibrated(int raw, const AxisCalibration& c) {
  const int beyond = std::abs(raw - c.centre) - c.noise;
  const int travel = usable_travel(raw, c);
  if (beyond <= 0 || travel <= 0) return 0.0;
  const double share = std::min(1.0, static_cast<double>(beyond) / travel);
  return raw >= c.centre ? share : -share;
}

bool near_centre(int raw, const AxisCalibration& c) {
  return std::abs(calibrated(raw, c)) <= kNearCentre;
}

}  // namespace knuckleboom::command
