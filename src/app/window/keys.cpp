#include "app/window/keys.hpp"

#include <algorithm>
#include <iterator>

#include <SDL2/SDL.h>

#include "input/keyboard.hpp"
#include "knuckleboom/core/command/operator_input.hpp"
#include "language/text.hpp"
#include "view/cameras.hpp"

namespace knuckleboom::app {
namespace {

constexpr int camera(view::CameraKind kind) { return static_cast<int>(kind); }

constexpr KeyBinding kBindings[] = {
    {SDL_SCANCODE_ESCAPE, KeyAction::kMenu, 0, msgid("menu")},
    {SDL_SCANCODE_P, KeyAction::kPause, 0, msgid("pause, and go on")},
    {SDL_SCANCODE_F5, KeyAction::kRestart, 0, msgid("start the exercise again")},
    {SDL_SCANCODE_F1, KeyAction::kHelp, 0, msgid("this page")},
    {SDL_SCANCODE_F2, KeyAction::kInstructor, 0, msgid("instructor: faults, bookmark, message")},
    {SDL_SCANCODE_C, KeyAction::kNextCamera, 0, msgid("next camera")},
    {SDL_SCANCODE_1, KeyAction::kCamera, camera(view::CameraKind::kCab),
     msgid("cab, outside, side, tip, free camera")},
    {SDL_SCANCODE_2, KeyAction::kCamera, camera(view::CameraKind::kOutside), nullptr},
    {SDL_SCANCODE_3, KeyAction::kCamera, camera(view::CameraKind::kSide), nullptr},
    {SDL_SCANCODE_4, KeyAction::kCamera, camera(view::CameraKind::kTip), nullptr},
    {SDL_SCANCODE_5, KeyAction::kCamera, camera(view::CameraKind::kFree), nullptr},
    {SDL_SCANCODE_M, KeyAction::kControl, 0, msgid("control: valve, joint rate, boom tip")},
    {SDL_SCANCODE_V, KeyAction::kFidelity, 0, msgid("model: reduced, full, paper")},
    {SDL_SCANCODE_TAB, KeyAction::kInstruments, 0, msgid("instruments: full, compact, off")},
    {SDL_SCANCODE_T, KeyAction::kInset, 0, msgid("view of the tip in a corner")},
    {SDL_SCANCODE_G, KeyAction::kGuides, 0, msgid("targets, path and plumb line")},
    {SDL_SCANCODE_B, KeyAction::kTrail, 0, msgid("trail of the tip")},
    {SDL_SCANCODE_N, KeyAction::kMute, 0, msgid("sound on, off")},
    {SDL_SCANCODE_F11, KeyAction::kFullscreen, 0, msgid("whole screen")},
    {SDL_SCANCODE_F12, KeyAction::kPicture, 0, msgid("screenshot")},
};

// Names of keys that differ from language to language.
constexpr const char* kKeyNames[] = {msgid("Escape"),   msgid("Space"),  msgid("Backspace"),
                                     msgid("Home"),     msgid("End"),    msgid("PageUp"),
                                     msgid("PageDown"), msgid("Insert"), msgid("Delete")};

void join(std::string& names, const std::string& name) {
  if (!names.empty()) names += " / ";
  names += name;
}

}  // namespace

std::span<const KeyBinding> key_bindings() { return kBindings; }

const KeyBinding* find_binding(int scancode) {
  const auto found =
      std::find_if(std::begin(kBindings), std::end(kBindings),
                   [scancode](const KeyBinding& binding) { return binding.scancode == scancode; });
  return found == std::end(kBindings) ? nullptr : found;
}

char digit_of(int scancode) {
  if (scancode == SDL_SCANCODE_0 || scancode == SDL_SCANCODE_KP_0) return '0';
  if (scancode >= SDL_SCANCODE_1 && scancode <= SDL_SCANCODE_9)
    return static_cast<char>('1' + (scancode - SDL_SCANCODE_1));
  if (scancode >= SDL_SCANCODE_KP_1 && scancode <= SDL_SCANCODE_KP_9)
    return static_cast<char>('1' + (scancode - SDL_SCANCODE_KP_1));
  return 0;
}

bool is_for_menu(int scancode) {
  return scancode == SDL_SCANCODE_UP || scancode == SDL_SCANCODE_DOWN ||
         scancode == SDL_SCANCODE_RETURN || scancode == SDL_SCANCODE_ESCAPE ||
         scancode == SDL_SCANCODE_F11 || scancode == SDL_SCANCODE_F12;
}

std::string key_name(int scancode) {
  const auto code = static_cast<SDL_Scancode>(scancode);
  if (code == SDL_SCANCODE_LEFT) return "←";
  if (code == SDL_SCANCODE_RIGHT) return "→";
  if (code == SDL_SCANCODE_UP) return "↑";
  if (code == SDL_SCANCODE_DOWN) return "↓";
  std::string name = SDL_GetKeyName(SDL_GetKeyFromScancode(code));
  if (name.empty()) name = SDL_GetScancodeName(code);
  const auto* known = std::find(std::begin(kKeyNames), std::end(kKeyNames), name);
  return known != std::end(kKeyNames) ? tr(*known) : name;
}

std::vector<view::panels::KeyHelp> key_help() {
  std::vector<view::panels::KeyHelp> help;
  for (const KeyBinding& binding : kBindings) {
    if (binding.what == nullptr) continue;
    std::string name = key_name(binding.scancode);
    if (binding.action == KeyAction::kCamera) name += " .. " + key_name(SDL_SCANCODE_5);
    help.push_back({name, tr(binding.what)});
  }
  help.push_back({tr("Shift"), tr("held: the keys move the crane slowly")});
  help.push_back({tr("Mouse"), tr("turns, moves and nears the free camera")});
  return help;
}

std::vector<AxisKeys> lever_keys() {
  std::vector<AxisKeys> keys(command::kLeverAxes);
  for (const input::LeverKeys& one : input::keyboard_layout()) {
    AxisKeys& axis = keys[static_cast<std::size_t>(one.axis)];
    join(axis.negative, key_name(one.negative));
    join(axis.positive, key_name(one.positive));
  }
  return keys;
}

std::vector<std::string> button_keys() {
  std::vector<std::string> keys(command::kLeverButtons);
  for (const input::ButtonKey& one : input::keyboard_buttons())
    join(keys[static_cast<std::size_t>(one.button)], key_name(one.scancode));
  return keys;
}

}  // namespace knuckleboom::app
