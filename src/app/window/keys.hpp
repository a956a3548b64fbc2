// The keys of the trainer beside those that stand in for levers: one table for the loop and the help.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/session/lever_words.hpp"
#include "view/panels/help.hpp"

namespace knuckleboom::app {

enum class KeyAction {
  kMenu,
  kPause,
  kRestart,
  kHelp,
  kInstructor,
  kNextCamera,
  kCamera,  // value: view::CameraKind
  kControl,
  kFidelity,
  kInstruments,
  kInset,
  kGuides,
  kTrail,
  kMute,
  kFullscreen,
  kPicture,
};

struct KeyBinding {
  int scancode;  // SDL_Scancode: by position, as the levers' keys
  KeyAction action;
  int value;
  const char* what;  // nullptr: told by another line
};
std::span<const KeyBinding> key_bindings();
const KeyBinding* find_binding(int scancode);

// What the user's keyboard calls a key.
std::string key_name(int scancode);
// As the keys are called on the user's keyboard. Not before SDL's video part is up.
std::vector<view::panels::KeyHelp> key_help();
// By LeverAxis.
std::vector<AxisKeys> lever_keys();

}  // namespace knuckleboom::app
