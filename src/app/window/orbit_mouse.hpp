// The mouse over a scene on the left of a panel: it turns, pans and zooms the scene's camera, and points at the panel.
#pragma once

#include "view/cameras.hpp"
#include "view/window.hpp"

union SDL_Event;

namespace knuckleboom::app {

class OrbitMouse {
 public:
  // scene_width: of the scene, from the left [pixels].
  void take(const SDL_Event& event, const view::Window& window, int scene_width,
            view::Orbit& orbit);
  // For Gui::begin, once for each frame. x, y: pixels of the drawable, -1 elsewhere.
  struct Pointed {
    int x, y;
    bool down;
  };
  Pointed pointed(const view::Window& window);

 private:
  bool pressed_ = false;  // since the last frame
  int pressed_x_ = 0, pressed_y_ = 0;
  bool over_scene_ = false, dragging_ = false;  // the mouse is over the scene, and was when pressed
};

}  // namespace knuckleboom::app
