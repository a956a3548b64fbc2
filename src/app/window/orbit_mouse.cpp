#include "app/window/orbit_mouse.hpp"

#include <SDL2/SDL.h>

namespace knuckleboom::app {
namespace {

constexpr double kOrbitTurn = 0.006;  // rad per pixel of the mouse
constexpr double kOrbitPan = 0.0015;
constexpr double kOrbitZoom = 1.12;

// The mouse counts in window units, which are larger than pixels on fine screens.
int in_pixels(const view::Window& window, int at) {
  int units = 0;
  SDL_GetWindowSize(window.sdl(), &units, nullptr);
  return units > 0 ? at * window.width() / units : at;
}

}  // namespace

void OrbitMouse::take(const SDL_Event& event, const view::Window& window, int scene_width,
                      view::Orbit& orbit) {
  if (event.type == SDL_MOUSEBUTTONDOWN && event.button.button == SDL_BUTTON_LEFT) {
    pressed_ = true;
    pressed_x_ = event.button.x;
    pressed_y_ = event.button.y;
  }
  if (event.type == SDL_MOUSEMOTION) over_scene_ = in_pixels(window, event.motion.x) < scene_width;
  if (event.type == SDL_MOUSEBUTTONDOWN) dragging_ = over_scene_;
  if (event.type == SDL_MOUSEWHEEL && over_scene_)
    orbit.zoom(event.wheel.y > 0 ? 1.0 / kOrbitZoom : event.wheel.y < 0 ? kOrbitZoom : 1.0);
  if (event.type != SDL_MOUSEMOTION || !dragging_) return;
  if ((event.motion.state & SDL_BUTTON_LMASK) != 0)
    orbit.rotate(-kOrbitTurn * event.motion.xrel, kOrbitTurn * event.motion.yrel);
  if ((event.motion.state & (SDL_BUTTON_RMASK | SDL_BUTTON_MMASK)) != 0)
    orbit.pan(-kOrbitPan * event.motion.xrel, kOrbitPan * event.motion.yrel);
}

OrbitMouse::Pointed OrbitMouse::pointed(const view::Window& window) {
  Pointed out{pressed_x_, pressed_y_, pressed_};
  if (!pressed_) {
    out = {-1, -1, false};
    if (SDL_GetMouseFocus() == window.sdl())
      out.down = (SDL_GetMouseState(&out.x, &out.y) & SDL_BUTTON_LMASK) != 0;
  }
  pressed_ = false;
  if (out.x >= 0) {
    out.x = in_pixels(window, out.x);
    out.y = in_pixels(window, out.y);
  }
  return out;
}

}  // namespace knuckleboom::app
