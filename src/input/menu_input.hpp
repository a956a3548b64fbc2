// Menus by levers, game controller or keyboard: everything can be reached with two levers alone.
//
// The left lever moves the selection, the right lever to the right accepts, to the left goes back.
// Buttons: 0 accepts, 1 goes back, 2 and 3 open the menu (a game controller: A, B, Start); hat or cross
// move. Keys: arrows, Enter or Space, Escape or Backspace.
#pragma once

#include <vector>

#include "knuckleboom/core/command/operator_input.hpp"

union SDL_Event;

namespace knuckleboom::input {

// Buttons held down.
struct MenuButtons {
  bool up = false, down = false, left = false, right = false;
  bool accept = false, back = false;
  bool menu = false;  // opens the menu of a running exercise

  bool any() const { return up || down || left || right || accept || back || menu; }
  bool operator==(const MenuButtons&) const = default;
};

inline constexpr double kMenuDeflection = 0.6;    // beyond: an action
inline constexpr double kMenuRelease = 0.35;      // within: ready for the next
inline constexpr double kMenuRepeatDelay = 0.45;  // s
inline constexpr double kMenuRepeat = 0.15;       // s; directions only

class MenuInput {
 public:
  // Keys pressed; the system's key repeat counts.
  void handle(const SDL_Event& event);
  // Actions since the last call: each member true for one action. Several keys pressed between two
  // frames are returned by separate calls, so that none is lost. levers: without keyboard.
  MenuButtons update(double now_s, const command::OperatorInput& levers,
                     const MenuButtons& buttons);
  // Present deflections and keys must be released before they count: called when a menu opens.
  void reset();

 private:
  struct Act {
    bool held = false;
    bool blocked = false;
    double next_s = 0.0;
  };
  static bool fires(Act& act, bool wanted, bool released, bool repeats, double now_s);

  Act up_, down_, left_, right_, accept_, back_, menu_;
  std::vector<MenuButtons> keys_;  // pressed keys in order: one for each update
};

}  // namespace knuckleboom::input
