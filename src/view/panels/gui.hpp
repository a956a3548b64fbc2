// Fonts and drawing of the panels, in the OpenGL context of the window. One at a time; used on the
// main thread during the life of the context.
#pragma once

#include <filesystem>
#include <memory>

#include "view/panels/painter.hpp"

union SDL_Event;

namespace knuckleboom::view::panels {

// The size of a point in pixels: 1 for 1280 x 720, limited so that text stays readable.
float scale_for(int width_px, int height_px);

class Gui {
 public:
  // assets: a font in its folder fonts takes precedence over the system's; may be empty.
  explicit Gui(const std::filesystem::path& assets = {});
  ~Gui();
  Gui(const Gui&) = delete;
  Gui& operator=(const Gui&) = delete;

  // Between begin() and end() the panels are drawn. The context must be current; end() draws into
  // the bound framebuffer. x_px, y_px: of the mouse, in pixels of the drawable.
  Painter& begin(int width_px, int height_px, float x_px, float y_px, bool mouse_down);
  const Pointer& pointer() const;
  void end();

  // Keys, text and wheel for fields and lists. Before begin().
  void take(const SDL_Event& event);
  // A text field has the focus.
  bool wants_text() const;

  // Drops the objects of the context, before its destruction or after its loss.
  void release();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace knuckleboom::view::panels
