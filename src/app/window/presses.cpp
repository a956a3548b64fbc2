#include "app/window/presses.hpp"

#include <algorithm>
#include <cctype>

#include <SDL2/SDL.h>
#include <fmt/format.h>

#include "app/shell/exit_status.hpp"

namespace knuckleboom::app {

namespace {

int modifier_of(int scancode) {
  switch (scancode) {
    case SDL_SCANCODE_LSHIFT:
      return KMOD_LSHIFT;
    case SDL_SCANCODE_RSHIFT:
      return KMOD_RSHIFT;
    case SDL_SCANCODE_LCTRL:
      return KMOD_LCTRL;
    case SDL_SCANCODE_RCTRL:
      return KMOD_RCTRL;
    case SDL_SCANCODE_LALT:
      return KMOD_LALT;
    default:
      return KMOD_NONE;
  }
}

}  // namespace

Presses::Presses(const std::vector<Press>& presses) {
  for (const Press& press : presses) {
    const SDL_Scancode code = SDL_GetScancodeFromName(press.key.c_str());
    if (code == SDL_SCANCODE_UNKNOWN)
      throw UserError(fmt::format(
          "--press {}: there is no such key; keys are called A, F1, Escape, Left Shift, ...",
          press.key));
    events_.push_back({press.at_s, code, true});
    events_.push_back({press.at_s + press.hold_s, code, false});
  }
  std::stable_sort(events_.begin(), events_.end(),
                   [](const Event& a, const Event& b) { return a.at_s < b.at_s; });
}

void Presses::push_due(double now_s) {
  if (start_s_ < 0.0) start_s_ = now_s;
  const std::size_t first = next_;
  const auto pressed_now = [&](const Event& release) {
    return std::any_of(
        events_.begin() + static_cast<std::ptrdiff_t>(first),
        events_.begin() + static_cast<std::ptrdiff_t>(next_),
        [&](const Event& event) { return event.down && event.scancode == release.scancode; });
  };
  const auto any_pressed_now = [&] {
    return std::any_of(events_.begin() + static_cast<std::ptrdiff_t>(first),
                       events_.begin() + static_cast<std::ptrdiff_t>(next_),
                       [](const Event& event) { return event.down; });
  };
  for (; waiting(now_s); ++next_) {
    const Event& due = events_[next_];
    if (!due.down && pressed_now(due)) return;
    // One key a picture: it may open a page that the next one is meant for.
    if (due.down && any_pressed_now()) return;
    push(due);
  }
}

bool Presses::waiting(double now_s) const {
  return next_ < events_.size() && events_[next_].at_s <= now_s - start_s_;
}

void Presses::push(const Event& due) {
  if (const int modifier = modifier_of(due.scancode); due.down)
    modifiers_ |= modifier;
  else
    modifiers_ &= ~modifier;
  SDL_Event event{};
  event.key.keysym.mod = static_cast<Uint16>(modifiers_);
  event.type = due.down ? SDL_KEYDOWN : SDL_KEYUP;
  event.key.state = due.down ? SDL_PRESSED : SDL_RELEASED;
  event.key.keysym.scancode = static_cast<SDL_Scancode>(due.scancode);
  event.key.keysym.sym = SDL_GetKeyFromScancode(event.key.keysym.scancode);
  SDL_PushEvent(&event);
  if (due.down) push_text(event.key.keysym.sym);
}

// Text event of a key, as sent by a keyboard in addition to the key event.
void Presses::push_text(int symbol) {
  if (symbol < ' ' || symbol > '~' || (modifiers_ & (KMOD_CTRL | KMOD_ALT)) != 0) return;
  SDL_Event event{};
  event.type = SDL_TEXTINPUT;
  const bool capital = (modifiers_ & KMOD_SHIFT) != 0;
  event.text.text[0] = static_cast<char>(capital ? std::toupper(symbol) : symbol);
  SDL_PushEvent(&event);
}

}  // namespace knuckleboom::app
