#include "input/menu_input.hpp"

#include <cmath>

#include <SDL2/SDL.h>

#include "knuckleboom/core/command/lever_pattern.hpp"
#include "knuckleboom/core/math/arrays.hpp"

namespace knuckleboom::input {
namespace {

// Deflection towards one of four ends; 0 if the lever leans more across than along.
double along(double value, double across) { return value > std::abs(across) ? value : 0.0; }

}  // namespace

void MenuInput::handle(const SDL_Event& event) {
  if (event.type != SDL_KEYDOWN) return;
  const bool first = event.key.repeat == 0;
  // With slow frames a held key must not continue after its release.
  if (!first && !keys_.empty()) return;
  MenuButtons key;
  switch (event.key.keysym.sym) {
    case SDLK_UP:
      key.up = true;
      break;
    case SDLK_DOWN:
      key.down = true;
      break;
    case SDLK_LEFT:
      key.left = true;
      break;
    case SDLK_RIGHT:
      key.right = true;
      break;
    case SDLK_RETURN:
    case SDLK_KP_ENTER:
    case SDLK_SPACE:
      key.accept = first;
      break;
    case SDLK_ESCAPE:
    case SDLK_BACKSPACE:
      key.back = first;
      key.menu = first && event.key.keysym.sym == SDLK_ESCAPE;
      break;
    default:
      break;
  }
  if (key.any()) keys_.push_back(key);
}

bool MenuInput::fires(Act& act, bool wanted, bool released, bool repeats, double now_s) {
  if (released) {
    act = {};
    return false;
  }
  if (act.blocked || !wanted) return false;
  if (act.held && (!repeats || now_s < act.next_s)) return false;
  act.next_s = now_s + (act.held ? kMenuRepeat : kMenuRepeatDelay);
  act.held = true;
  return true;
}

MenuButtons MenuInput::update(double now_s, const command::OperatorInput& levers,
                              const MenuButtons& buttons) {
  const auto axis = [&levers](command::LeverAxis a) { return nth(levers.axis, a); };
  const double left_x = axis(command::LeverAxis::kLeftX);
  const double left_y = axis(command::LeverAxis::kLeftY);
  const double right_x = axis(command::LeverAxis::kRightX);
  const double right_y = axis(command::LeverAxis::kRightY);
  const auto step = [now_s](Act& act, double deflection, bool button, bool repeats) {
    return fires(act, button || deflection > kMenuDeflection, !button && deflection < kMenuRelease,
                 repeats, now_s);
  };
  MenuButtons acts;
  if (!keys_.empty()) {
    acts = keys_.front();
    keys_.erase(keys_.begin());
  }
  acts.up = step(up_, along(left_y, left_x), buttons.up, true) || acts.up;
  acts.down = step(down_, along(-left_y, left_x), buttons.down, true) || acts.down;
  acts.left = step(left_, along(-left_x, left_y), buttons.left, true) || acts.left;
  acts.right = step(right_, along(left_x, left_y), buttons.right, true) || acts.right;
  acts.accept = step(accept_, along(right_x, right_y), buttons.accept, false) || acts.accept;
  acts.back = step(back_, along(-right_x, right_y), buttons.back, false) || acts.back;
  acts.menu = step(menu_, 0.0, buttons.menu, false) || acts.menu;
  return acts;
}

void MenuInput::reset() {
  for (Act* act : {&up_, &down_, &left_, &right_, &accept_, &back_, &menu_}) {
    *act = {};
    act->blocked = true;
  }
  keys_.clear();
}

}  // namespace knuckleboom::input
