// The devices on the operator's desk, how they are identified, and which of their parts moves which
// lever axis: the exact content of a device file (docs/reference/device_file.md).
//
// Raw values are those of the device's driver, -32768 to 32767; positive raw values of a stick point
// to the right and towards the operator, so y axes are usually inverted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/command/lever_pattern.hpp"

namespace knuckleboom::command {

inline constexpr int kRawMin = -32768;
inline constexpr int kRawMax = 32767;

constexpr std::string_view name_of(LeverAxis axis) {
  return kLeverAxisNames[static_cast<int>(axis)];
}

constexpr std::string_view name_of(LeverButton button) {
  return kLeverButtonNames[static_cast<int>(button)];
}

// The same function on the other side: left_x <-> right_x, left_1 <-> right_1, panel_1 <-> panel_5.
LeverAxis mirrored(LeverAxis axis);
LeverButton mirrored(LeverButton button);

// Identity of one physical device. Two of the same model have the same guid and may have no serial;
// then the port, or else the order of attachment, distinguishes them.
struct DeviceIdentity {
  std::string guid;    // model, 32 hexadecimal digits
  std::string port;    // the port it is plugged into, the same after replugging; empty: unknown
  std::string serial;  // empty: unknown
  std::string name;    // for display
};

struct AxisCalibration {
  int min = kRawMin;
  int centre = 0;
  int max = kRawMax;
  int noise = 0;  // raw values this close to the centre count as the centre
};

// A share of the travel: 0 within the noise, continuous at its edge, -1 at min and 1 at max, straight
// between. centre = min (a trigger) gives 0 to 1 only.
double calibrated(int raw, const AxisCalibration& calibration);

// Within a tenth of the travel of the centre, or within the noise.
bool near_centre(int raw, const AxisCalibration& calibration);

enum class ControlKind {
  kAxis,     // number: the device's axis
  kButtons,  // negative and positive: two buttons, either may be absent
  kHatX,     // number: the device's hat; to the right is positive
  kHatY,     // pushed away from the operator is positive
};

// One part of a device that moves one lever axis. Several may move the same axis: they add up.
struct AxisBinding {
  LeverAxis function = LeverAxis::kLeftX;
  int slot = 0;  // index into LeverSetup::devices
  ControlKind kind = ControlKind::kAxis;
  int number = 0;
  int negative = -1;  // button; -1: none
  int positive = -1;
  AxisCalibration calibration;  // of kAxis
  bool invert = false;
};

// A part of a device that presses one lever button: a button, or a hat to one side.
struct ButtonBinding {
  LeverButton function = LeverButton::kLeft1;
  int slot = 0;     // index into LeverSetup::devices
  int button = -1;  // -1: a hat
  int hat = -1;
  int side = 0;  // of the hat: 0 up, 1 right, 2 down, 3 left
};
// Whether both are of one part of a device.
bool same_part(const AxisBinding& axis, const ButtonBinding& button);

struct DeviceSlot {
  std::string name;  // "left"; unique in the setup
  DeviceIdentity identity;
};

// Slots of equal devices that nothing else distinguishes are in their order of attachment.
struct LeverSetup {
  std::vector<DeviceSlot> devices;
  std::vector<AxisBinding> axes;
  std::vector<ButtonBinding> buttons;
};

}  // namespace knuckleboom::command
