#include "input/default_layout.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string_view>

#include <SDL2/SDL.h>
#include <fmt/format.h>

#include "language/text.hpp"

namespace knuckleboom::input {
namespace {

constexpr int kHatSides[] = {SDL_HAT_UP, SDL_HAT_RIGHT, SDL_HAT_DOWN, SDL_HAT_LEFT};

using command::AxisBinding;
using command::ControlKind;
using command::LeverAxis;
using command::LeverButton;

// An uncalibrated stick does not rest at exactly 0: about 2 % of the travel.
constexpr int kUsualNoise = 655;

AxisBinding axis(LeverAxis function, int slot, int number, bool invert = false) {
  AxisBinding binding;
  binding.function = function;
  binding.slot = slot;
  binding.number = number;
  binding.calibration.noise = kUsualNoise;
  binding.invert = invert;
  return binding;
}

AxisBinding hat(LeverAxis function, int slot, ControlKind kind) {
  AxisBinding binding;
  binding.function = function;
  binding.slot = slot;
  binding.kind = kind;
  return binding;
}

struct Side {
  LeverAxis x, y, twist, rocker;
  std::array<LeverButton, 8> buttons;  // its own, then the panel's half
};
constexpr Side kLeft{
    LeverAxis::kLeftX,
    LeverAxis::kLeftY,
    LeverAxis::kLeftTwist,
    LeverAxis::kLeftRocker,
    {LeverButton::kLeft1, LeverButton::kLeft2, LeverButton::kLeft3, LeverButton::kLeft4,
     LeverButton::kPanel1, LeverButton::kPanel2, LeverButton::kPanel3, LeverButton::kPanel4}};
constexpr Side kRight{
    LeverAxis::kRightX,
    LeverAxis::kRightY,
    LeverAxis::kRightTwist,
    LeverAxis::kRightRocker,
    {LeverButton::kRight1, LeverButton::kRight2, LeverButton::kRight3, LeverButton::kRight4,
     LeverButton::kPanel5, LeverButton::kPanel6, LeverButton::kPanel7, LeverButton::kPanel8}};
constexpr int kStickButtons[] = {0, 1, 4, 5, 6, 7, 8, 9};

constexpr PadAxis kPadAxes[] = {
    {LeverAxis::kLeftX, "leftx", "leftx"},
    {LeverAxis::kLeftY, "lefty", "lefty"},
    {LeverAxis::kRightX, "rightx", "rightx"},
    {LeverAxis::kRightY, "righty", "righty"},
    {LeverAxis::kLeftRocker, "leftshoulder", "lefttrigger"},
    {LeverAxis::kRightRocker, "rightshoulder", "righttrigger"},
};
// The start button opens the menu.
constexpr PadButton kPadButtons[] = {
    {LeverButton::kLeft1, "b"},           {LeverButton::kLeft2, "x"},
    {LeverButton::kLeft3, "y"},           {LeverButton::kLeft4, "back"},
    {LeverButton::kRight1, "a"},          {LeverButton::kRight2, "dpleft"},
    {LeverButton::kRight3, "dpup"},       {LeverButton::kRight4, "dpdown"},
    {LeverButton::kPanel1, "dpright"},    {LeverButton::kPanel2, "leftstick"},
    {LeverButton::kPanel3, "rightstick"},
};

bool is_stick(const RawDevice& device) {
  return device.state.axes.size() >= 2 && !is_gamepad(device);
}

void add_buttons(const RawDevice& device, int slot, const Side& side, command::LeverSetup& setup) {
  for (std::size_t i = 0; i < std::size(kStickButtons); ++i)
    if (static_cast<std::size_t>(kStickButtons[i]) < device.state.buttons.size())
      setup.buttons.push_back({side.buttons[i], slot, kStickButtons[i]});
}

// Raw y is positive towards the operator.
void add_stick(const RawDevice& device, int slot, const Side& side, command::LeverSetup& setup) {
  setup.axes.push_back(axis(side.x, slot, 0));
  setup.axes.push_back(axis(side.y, slot, 1, true));
  if (device.state.axes.size() >= 3) setup.axes.push_back(axis(side.twist, slot, 2));
  if (!device.state.hats.empty()) setup.axes.push_back(hat(side.rocker, slot, ControlKind::kHatX));
  add_buttons(device, slot, side, setup);
}

DefaultLayout two_sticks(const RawDevice& left, const RawDevice& right) {
  DefaultLayout layout;
  layout.setup.devices = {{"left", left.identity}, {"right", right.identity}};
  add_stick(left, 0, kLeft, layout.setup);
  add_stick(right, 1, kRight, layout.setup);
  layout.said = tr_format(
      "no device file: the left lever is {}, attached first, the right lever is {}; swap them if "
      "that is wrong",
      left.identity.name, right.identity.name);
  return layout;
}

DefaultLayout one_stick(const RawDevice& stick) {
  DefaultLayout layout;
  layout.setup.devices = {{"left", stick.identity}};
  if (stick.state.axes.size() >= 4 && stick.state.hats.empty()) {
    layout.setup.devices.front().name = "both";
    layout.setup.axes = {axis(LeverAxis::kLeftX, 0, 0), axis(LeverAxis::kLeftY, 0, 1, true),
                         axis(LeverAxis::kRightX, 0, 2), axis(LeverAxis::kRightY, 0, 3, true)};
    add_buttons(stick, 0, kLeft, layout.setup);
    layout.said = tr_format(
        "no device file: {} is taken for two levers in one housing, axes 0 and 1 the left and 2 "
        "and 3 the right one",
        stick.identity.name);
    return layout;
  }
  add_stick(stick, 0, kLeft, layout.setup);
  if (stick.state.hats.empty()) {
    layout.said =
        tr_format("no device file: {} is the left lever, the keyboard replaces the right one",
                  stick.identity.name);
    return layout;
  }
  std::erase_if(layout.setup.axes,
                [](const AxisBinding& b) { return b.kind != ControlKind::kAxis; });
  layout.setup.axes.push_back(hat(LeverAxis::kRightX, 0, ControlKind::kHatX));
  layout.setup.axes.push_back(hat(LeverAxis::kRightY, 0, ControlKind::kHatY));
  layout.said = tr_format("no device file: {} is the left lever and its hat the right one",
                          stick.identity.name);
  return layout;
}

// --- Game controllers ---------------------------------------------------------

void bind(const RawDevice& pad, const char* control, LeverAxis function, bool positive,
          command::LeverSetup& setup) {
  const auto found = mapped(pad.gamepad_mapping, control);
  if (!found || found->kind == MappedControl::Kind::kHat) return;
  AxisBinding binding;
  binding.function = function;
  binding.number = found->number;
  if (found->kind == MappedControl::Kind::kButton) {
    binding.kind = ControlKind::kButtons;
    (positive ? binding.positive : binding.negative) = found->number;
  } else {
    // A trigger rests at one end, which is its centre.
    command::AxisCalibration& c = binding.calibration;
    if (found->half) {
      (found->positive ? c.min : c.max) = 0;
    } else {
      c.centre = found->invert ? command::kRawMax : command::kRawMin;
    }
    c.noise = kUsualNoise;
    const bool gives_positive = found->half ? found->positive : !found->invert;
    binding.invert = gives_positive != positive;
  }
  setup.axes.push_back(binding);
}

void bind_stick(const RawDevice& pad, const char* control, LeverAxis function, bool invert,
                command::LeverSetup& setup) {
  const auto found = mapped(pad.gamepad_mapping, control);
  if (!found || found->kind != MappedControl::Kind::kAxis) return;
  setup.axes.push_back(axis(function, 0, found->number, invert != found->invert));
}

void press(const RawDevice& pad, const PadButton& part, command::LeverSetup& setup) {
  const auto found = mapped(pad.gamepad_mapping, part.control);
  if (!found || found->kind == MappedControl::Kind::kAxis) return;
  command::ButtonBinding binding;
  binding.function = part.button;
  if (found->kind == MappedControl::Kind::kButton) {
    binding.button = found->number;
  } else {
    binding.hat = found->number;
    binding.side =
        static_cast<int>(std::find(std::begin(kHatSides), std::end(kHatSides), found->hat_mask) -
                         std::begin(kHatSides));
    if (binding.side > 3) return;
  }
  setup.buttons.push_back(binding);
}

DefaultLayout gamepad(const RawDevice& pad) {
  DefaultLayout layout;
  layout.setup.devices = {{"controller", pad.identity}};
  for (const PadAxis& part : kPadAxes) {
    if (std::string_view(part.negative) == part.positive) {
      const bool along = part.axis == LeverAxis::kLeftY || part.axis == LeverAxis::kRightY;
      bind_stick(pad, part.negative, part.axis, along, layout.setup);
      continue;
    }
    bind(pad, part.negative, part.axis, false, layout.setup);
    bind(pad, part.positive, part.axis, true, layout.setup);
  }
  for (const PadButton& part : kPadButtons) press(pad, part, layout.setup);
  layout.said = tr_format(
      "no device file: the sticks of {} are the levers, its shoulder buttons and triggers the "
      "rockers",
      pad.identity.name);
  return layout;
}

bool mentions(std::string name, std::string_view word) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.find(word) != std::string::npos;
}

}  // namespace

std::span<const PadAxis> pad_axes() { return kPadAxes; }
std::span<const PadButton> pad_buttons() { return kPadButtons; }
std::span<const int> stick_buttons() { return kStickButtons; }
std::span<const int> hat_sides() { return kHatSides; }

std::optional<MappedControl> mapped(const std::string& mapping, const std::string& control) {
  const std::string key = "," + control + ":";
  const std::size_t at = mapping.find(key);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t start = at + key.size();
  std::string_view value = std::string_view(mapping).substr(start);
  value = value.substr(0, value.find(','));
  MappedControl found;
  if (!value.empty() && (value.front() == '+' || value.front() == '-')) {
    found.half = true;
    found.positive = value.front() == '+';
    value.remove_prefix(1);
  }
  if (!value.empty() && value.back() == '~') {
    found.invert = true;
    value.remove_suffix(1);
  }
  if (value.size() < 2) return std::nullopt;
  const char kind = value.front();
  value.remove_prefix(1);
  const char* end = value.data() + value.size();
  const auto [rest, error] = std::from_chars(value.data(), end, found.number);
  if (error != std::errc() || found.number < 0) return std::nullopt;
  switch (kind) {
    case 'a':
      found.kind = MappedControl::Kind::kAxis;
      break;
    case 'b':
      found.kind = MappedControl::Kind::kButton;
      break;
    case 'h': {
      found.kind = MappedControl::Kind::kHat;
      if (rest == end || *rest != '.') return std::nullopt;
      const auto [last, hat_error] = std::from_chars(rest + 1, end, found.hat_mask);
      if (hat_error != std::errc() || last != end) return std::nullopt;
      return found;
    }
    default:
      return std::nullopt;
  }
  if (rest != end) return std::nullopt;
  return found;
}

bool is_gamepad(const RawDevice& device) {
  // Flight sticks for which SDL has a gamepad mapping, for old games.
  for (const char* word : {"16000m", "flight", "hotas"})
    if (mentions(device.identity.name, word)) return false;
  constexpr std::array kSticks = {"leftx", "lefty", "rightx", "righty"};
  constexpr std::array kButtons = {"leftshoulder", "rightshoulder"};
  return std::all_of(kSticks.begin(), kSticks.end(),
                     [&](const char* control) {
                       const auto found = mapped(device.gamepad_mapping, control);
                       return found && found->kind == MappedControl::Kind::kAxis;
                     }) &&
         std::all_of(kButtons.begin(), kButtons.end(), [&](const char* control) {
           return mapped(device.gamepad_mapping, control).has_value();
         });
}

DefaultLayout default_layout(const std::vector<RawDevice>& attached) {
  std::vector<const RawDevice*> sticks;
  const RawDevice* pad = nullptr;
  for (const RawDevice& device : attached) {
    if (is_stick(device)) sticks.push_back(&device);
    if (is_gamepad(device) && pad == nullptr) pad = &device;
  }
  if (sticks.size() >= 2) return two_sticks(*sticks[0], *sticks[1]);
  if (pad != nullptr) return gamepad(*pad);
  if (sticks.size() == 1) return one_stick(*sticks[0]);
  return {{}, tr("no lever or controller is attached: the keyboard moves the levers")};
}

}  // namespace knuckleboom::input
