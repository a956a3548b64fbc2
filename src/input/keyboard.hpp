// The keyboard as a pair of levers: a held key drives a virtual lever towards its end, a released one
// lets it spring back.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/command/operator_input.hpp"
#include "knuckleboom/core/math/arrays.hpp"

union SDL_Event;

namespace knuckleboom::input {

// By position on the keyboard (SDL scancodes), so that a layout other than QWERTY keeps the shape.
struct LeverKeys {
  command::LeverAxis axis;
  int negative, positive;  // SDL_Scancode
};

struct ButtonKey {
  command::LeverButton button;
  int scancode;  // SDL_Scancode
};

// The layout; an axis may occur more than once.
std::span<const LeverKeys> keyboard_layout();
std::span<const ButtonKey> keyboard_buttons();
bool is_lever_key(int scancode);  // or of a button

// For the help screen: the keys' names on the user's keyboard and their functions.
struct KeyHelp {
  std::string_view axis;                          // "left_x"
  std::string negative, positive;                 // "A", "D"
  std::string_view negative_does, positive_does;  // "left lever to the left", ...
};
std::vector<KeyHelp> keyboard_help();

inline constexpr double kKeyRise = 4.0;         // lever travels per second while a key is held
inline constexpr double kKeyFall = 8.0;         // back to the centre
inline constexpr double kShortestPress = 0.05;  // s; a shorter one of a button's key lasts so long
inline constexpr double kFineShare =
    0.5;  // of the travel while Shift is held: a tenth of full speed

class KeyboardLevers {
 public:
  // Key presses and releases, and the loss of the keyboard. Keys pressed together with Ctrl, Alt or
  // the logo key are no lever keys.
  void handle(const SDL_Event& event);
  // All keys count as released; levers spring back.
  void release_all();
  // Centres at once: for a pause or a menu.
  void centre();

  // Moves the virtual levers to the time `now_s`. known: false while the key states are unknown;
  // held keys then count as released.
  void advance(double now_s, bool known = true);

  const command::OperatorInput& input() const { return input_; }
  bool any_held() const;

 private:
  static constexpr int kKeys = 512;  // SDL_NUM_SCANCODES
  bool is_held(int scancode) const { return nth(held_, scancode); }

  std::array<bool, kKeys> held_{};
  std::array<bool, command::kLeverButtons> pressed_{};    // since the last advance
  std::array<double, command::kLeverButtons> until_s_{};  // at least
  bool fine_ = false;
  double last_s_ = 0.0;
  bool started_ = false;
  command::OperatorInput input_{};
};

// The keyboard adds up to the lever's remaining travel: all of it at a centred lever, nothing at a
// lever at its end. Continuous, and never beyond 1.
double joined(double lever, double key);

}  // namespace knuckleboom::input
