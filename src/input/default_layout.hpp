// Functions of the devices without a device file.
#pragma once

#include <optional>
#include <span>
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

// Parts of a game controller, by the names of SDL's mapping; rockers have two, one to each side.
struct PadAxis {
  command::LeverAxis axis;
  const char *negative, *positive;  // of a thumb stick both are the same
};
struct PadButton {
  command::LeverButton button;
  const char* control;
};
std::span<const PadAxis> pad_axes();
std::span<const PadButton> pad_buttons();
// Raw numbers of the buttons of a stick that are its lever's own four, then the panel's; 2 and 3 open the menu.
std::span<const int> stick_buttons();
// SDL_HAT_ bits, by command::ButtonBinding::side.
std::span<const int> hat_sides();

// A pad with two thumb sticks; joysticks with mappings do not count.
bool is_gamepad(const RawDevice& device);

}  // namespace knuckleboom::input
