// Functions of the devices without a device file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "input/raw_devices.hpp"
#include "knuckleboom/core/command/lever_setup.hpp"

namespace knuckleboom::input {

struct DefaultLayout {
  command::LeverSetup setup;
  std::string said;  // message for the user
};

// Two sticks: the first attached is the left lever, the second the right one; twist and hat (the
// lever's rocker) belong to their lever. A game controller alone: its sticks are the levers, shoulder
// buttons and triggers the rockers. A single device with four axes and no hat: two levers in one
// housing. Any other single stick: the left lever, and its hat the right one.
DefaultLayout default_layout(const std::vector<RawDevice>& attached);

// One field of SDL's mapping of a game controller, such as "righttrigger:a5".
struct MappedControl {
  enum class Kind { kAxis, kButton, kHat } kind = Kind::kAxis;
  int number = 0;
  int hat_mask = 0;   // of kHat
  bool half = false;  // of kAxis: only one side of it, named by `positive`
  bool positive = true;
  bool invert = false;
};
// Empty if the mapping lacks it or is invalid.
std::optional<MappedControl> mapped(const std::string& mapping, const std::string& control);

// A pad with two thumb sticks; joysticks with mappings do not count.
bool is_gamepad(const RawDevice& device);

}  // namespace knuckleboom::input
