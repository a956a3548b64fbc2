// Window, scene and panels together: what a frame is drawn with.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "knuckleboom/core/training/session.hpp"
#include "view/panels/gui.hpp"
#include "view/panels/instruments.hpp"
#include "view/scene.hpp"
#include "view/screenshot.hpp"
#include "view/window.hpp"

union SDL_Event;

namespace knuckleboom::app {

// What a picture was drawn with.
struct PictureSummary {
  std::string renderer;
  int width = 0, height = 0;
  const char* quality = "";
  int draw_calls = 0, vertices = 0;
};
class Picture {
 public:
  using DrawPanels = std::function<void(view::panels::Painter&, const view::panels::Pointer&)>;

  // Throws view::WindowError.
  Picture(const view::WindowRequest& request, view::Quality quality, std::filesystem::path assets);

  view::Window& window() { return *window_; }
  // Nothing before show_world().
  view::Scene* scene() { return scene_.get(); }

  // Builds what a session is drawn with; may take a second. nullptr: nothing.
  void show_world(const training::Session* session);
  // The wood behind the menu: from outside, without guides, until the next show_world().
  void show_backdrop();
  void set_quality(view::Quality quality);  // from the next show_world() on
  view::Quality quality() const { return quality_; }
  void set_camera(view::CameraKind camera);
  view::CameraKind camera() const { return camera_; }
  void set_overlays(const view::OverlaySettings& overlays);
  const view::OverlaySettings& overlays() const { return overlays_; }
  // Both return whether it is on now.
  bool toggle(bool view::OverlaySettings::*which);
  bool toggle_guides();  // targets, path and plumb line

  void draw(const DrawPanels& panels);
  // Of what was drawn last, before swap().
  view::Pixels pixels() const;
  void swap() { window_->swap(); }

  // False: the context is gone. renew() makes everything anew; throws view::WindowError.
  bool usable() const { return window_->make_current(); }
  void renew(const training::Session* session);

  void use_mouse(bool on) { mouse_ = on; }
  PictureSummary summary() const;

 private:
  view::WindowRequest request_;
  view::Quality quality_;
  std::filesystem::path assets_;
  view::CameraKind camera_ = view::CameraKind::kCab;
  view::OverlaySettings overlays_;
  bool mouse_ = true;
  std::unique_ptr<view::Window> window_;
  std::unique_ptr<view::panels::Gui> gui_;  // before the window ends, so after it here
  std::unique_ptr<view::Scene> scene_;
};

// Into a file named by the time, in the current folder; its name. Throws std::runtime_error with one
// sentence.
std::string picture_into_folder(const view::Pixels& pixels);
// Mouse movements and wheel move the free camera, if that is the picture's.
void move_free_camera(Picture& picture, const SDL_Event& event);
view::panels::InstrumentLevel next_level(view::panels::InstrumentLevel level);

// Into a PNG file. False: it could not be written, which has been said.
bool keep_picture(const view::Pixels& pixels, const std::filesystem::path& file);

}  // namespace knuckleboom::app
