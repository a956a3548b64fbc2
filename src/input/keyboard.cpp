#include "input/keyboard.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <SDL2/SDL.h>

#include "knuckleboom/core/command/lever_pattern.hpp"
#include "knuckleboom/core/command/lever_setup.hpp"

namespace knuckleboom::input {
namespace {

using command::LeverAxis;
using command::LeverButton;

constexpr double kLongestStep = 0.1;  // s; after a stall keys continue without a jump

constexpr LeverKeys kLayout[] = {
    {LeverAxis::kLeftX, SDL_SCANCODE_A, SDL_SCANCODE_D},
    {LeverAxis::kLeftY, SDL_SCANCODE_S, SDL_SCANCODE_W},
    {LeverAxis::kRightX, SDL_SCANCODE_J, SDL_SCANCODE_L},
    {LeverAxis::kRightY, SDL_SCANCODE_K, SDL_SCANCODE_I},
    {LeverAxis::kRightX, SDL_SCANCODE_LEFT, SDL_SCANCODE_RIGHT},
    {LeverAxis::kRightY, SDL_SCANCODE_DOWN, SDL_SCANCODE_UP},
    {LeverAxis::kLeftRocker, SDL_SCANCODE_Q, SDL_SCANCODE_E},
    {LeverAxis::kRightRocker, SDL_SCANCODE_U, SDL_SCANCODE_O},
    {LeverAxis::kLeftTwist, SDL_SCANCODE_Z, SDL_SCANCODE_X},
    {LeverAxis::kRightTwist, SDL_SCANCODE_COMMA, SDL_SCANCODE_PERIOD},
    {LeverAxis::kLeftPedal, SDL_SCANCODE_F, SDL_SCANCODE_R},
    {LeverAxis::kRightPedal, SDL_SCANCODE_H, SDL_SCANCODE_Y},
};

// Keys that are free beside the trainer's own (app/window/keys.cpp).
constexpr ButtonKey kButtonKeys[] = {
    {LeverButton::kLeft1, SDL_SCANCODE_SPACE},      {LeverButton::kLeft2, SDL_SCANCODE_6},
    {LeverButton::kLeft3, SDL_SCANCODE_7},          {LeverButton::kLeft4, SDL_SCANCODE_8},
    {LeverButton::kRight1, SDL_SCANCODE_9},         {LeverButton::kRight2, SDL_SCANCODE_0},
    {LeverButton::kRight3, SDL_SCANCODE_MINUS},     {LeverButton::kRight4, SDL_SCANCODE_EQUALS},
    {LeverButton::kPanel1, SDL_SCANCODE_INSERT},    {LeverButton::kPanel2, SDL_SCANCODE_HOME},
    {LeverButton::kPanel3, SDL_SCANCODE_PAGEUP},    {LeverButton::kPanel4, SDL_SCANCODE_DELETE},
    {LeverButton::kPanel5, SDL_SCANCODE_END},       {LeverButton::kPanel6, SDL_SCANCODE_PAGEDOWN},
    {LeverButton::kPanel7, SDL_SCANCODE_SEMICOLON}, {LeverButton::kPanel8, SDL_SCANCODE_SLASH},
};

// Descriptions of the two ends of an axis, by LeverAxis.
constexpr std::array<std::array<std::string_view, 2>, command::kLeverAxes> kEnds = {{
    {"left lever to the left", "left lever to the right"},
    {"left lever back", "left lever forward"},
    {"left lever twisted to the left", "left lever twisted to the right"},
    {"right lever to the left", "right lever to the right"},
    {"right lever back", "right lever forward"},
    {"right lever twisted to the left", "right lever twisted to the right"},
    {"left pedal back", "left pedal forward"},
    {"right pedal back", "right pedal forward"},
    {"left rocker to the left", "left rocker to the right"},
    {"right rocker to the left", "right rocker to the right"},
}};

// Without a window SDL does not know the user's keyboard; the name of the position is used.
std::string key_name(int scancode) {
  const auto code = static_cast<SDL_Scancode>(scancode);
  std::string name = SDL_GetKeyName(SDL_GetKeyFromScancode(code));
  return name.empty() ? SDL_GetScancodeName(code) : name;
}

}  // namespace

std::span<const LeverKeys> keyboard_layout() { return kLayout; }
std::span<const ButtonKey> keyboard_buttons() { return kButtonKeys; }

bool is_lever_key(int scancode) {
  return std::any_of(std::begin(kLayout), std::end(kLayout),
                     [scancode](const LeverKeys& keys) {
                       return keys.negative == scancode || keys.positive == scancode;
                     }) ||
         std::any_of(std::begin(kButtonKeys), std::end(kButtonKeys),
                     [scancode](const ButtonKey& key) { return key.scancode == scancode; });
}

std::vector<KeyHelp> keyboard_help() {
  std::vector<KeyHelp> help;
  for (const LeverKeys& keys : kLayout) {
    const auto& ends = nth(kEnds, keys.axis);
    help.push_back({command::name_of(keys.axis), key_name(keys.negative), key_name(keys.positive),
                    ends[0], ends[1]});
  }
  return help;
}

void KeyboardLevers::handle(const SDL_Event& event) {
  if (event.type == SDL_WINDOWEVENT && event.window.event == SDL_WINDOWEVENT_FOCUS_LOST)
    release_all();
  if (event.type != SDL_KEYDOWN && event.type != SDL_KEYUP) return;
  const SDL_Keysym& key = event.key.keysym;
  const unsigned modifiers = key.mod;
  fine_ = (modifiers & KMOD_SHIFT) != 0;
  if (key.scancode < 0 || key.scancode >= kKeys) return;
  const bool shortcut = (modifiers & (KMOD_CTRL | KMOD_ALT | KMOD_GUI)) != 0;
  nth(held_, key.scancode) = event.type == SDL_KEYDOWN && !shortcut;
  for (const ButtonKey& button : kButtonKeys)
    if (button.scancode == key.scancode && is_held(key.scancode) && event.key.repeat == 0)
      nth(pressed_, button.button) = true;
}

void KeyboardLevers::release_all() {
  held_.fill(false);
  pressed_.fill(false);
  fine_ = false;
}

void KeyboardLevers::centre() {
  release_all();
  input_ = {};
  until_s_.fill(0.0);
}

bool KeyboardLevers::any_held() const {
  return std::any_of(std::begin(kLayout), std::end(kLayout), [this](const LeverKeys& keys) {
    return is_held(keys.negative) || is_held(keys.positive);
  });
}

void KeyboardLevers::advance(double now_s, bool known) {
  const double dt = started_ ? std::clamp(now_s - last_s_, 0.0, kLongestStep) : 0.0;
  started_ = true;
  last_s_ = now_s;
  double target[command::kLeverAxes] = {};
  for (const LeverKeys& keys : kLayout) {
    if (!known) break;
    double& wanted = nth(target, keys.axis);
    wanted += (is_held(keys.positive) ? 1.0 : 0.0) - (is_held(keys.negative) ? 1.0 : 0.0);
  }
  constexpr command::RampLimits kRamp{kKeyRise, kKeyFall};
  for (std::size_t i = 0; i < command::kLeverAxes; ++i) {
    const double end = std::clamp(target[i], -1.0, 1.0) * (fine_ ? kFineShare : 1.0);
    input_.axis[i] = command::ramp(end, dt, kRamp, input_.axis[i]);
  }
  input_.buttons = 0;
  for (const ButtonKey& key : kButtonKeys) {
    if (!known) break;
    if (nth(pressed_, key.button)) nth(until_s_, key.button) = now_s + kShortestPress;
    if (is_held(key.scancode) || now_s < nth(until_s_, key.button))
      input_.buttons |= std::int64_t{1} << static_cast<int>(key.button);
  }
  pressed_.fill(false);
}

double joined(double lever, double key) { return lever + key * (1.0 - std::abs(lever)); }

}  // namespace knuckleboom::input
