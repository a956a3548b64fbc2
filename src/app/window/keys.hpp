// The keys of the trainer other than those replacing levers: one table for the loop and the help.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/session/lever_texts.hpp"
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
  const char* what;  // nullptr: described in another line
};
std::span<const KeyBinding> key_bindings();
const KeyBinding* find_binding(int scancode);

// The digit of a key, by the row above the letters whatever the keyboard's language, or by the block of
// digits; 0: none.
char digit_of(int scancode);
// Keys that a menu takes while somebody types into one of its rows.
bool is_for_menu(int scancode);

// Name of a key on the user's keyboard.
std::string key_name(int scancode);
// Names of the keys on the user's keyboard. Not before SDL's video subsystem is running.
std::vector<view::panels::KeyHelp> key_help();
// By LeverAxis.
std::vector<AxisKeys> lever_keys();
// By LeverButton.
std::vector<std::string> button_keys();

}  // namespace knuckleboom::app
