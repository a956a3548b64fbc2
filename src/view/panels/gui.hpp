// Fonts and drawing of the panels, in the OpenGL context of the picture. One at a time; lives on the
// main thread while the context does.
#pragma once

#include <filesystem>
#include <memory>

#include "view/panels/painter.hpp"

union SDL_Event;

namespace knuckleboom::view::panels {

// The size of a point in pixels: 1 for 1280 x 720, never so small that text cannot be read.
float scale_for(int width_px, int height_px);

class Gui {
 public:
  // assets: a font in its folder fonts is taken before the system's; may be empty.
  explicit Gui(const std::filesystem::path& assets = {});
  ~Gui();
  Gui(const Gui&) = delete;
  Gui& operator=(const Gui&) = delete;

  // Between begin() and end() the panels are drawn. The context must be current; end() draws into the
  // framebuffer that is bound. x_px, y_px: of the mouse, in pixels of the drawable.
  Painter& begin(int width_px, int height_px, float x_px, float y_px, bool mouse_down);
  const Pointer& pointer() const;
  void end();

  // Keys, text and wheel for fields and lists. Before begin().
  void take(const SDL_Event& event);
  // Somebody types into a field.
  bool wants_text() const;

  // Forgets what lives in the context, before it is destroyed or after it was lost.
  void release();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace knuckleboom::view::panels
