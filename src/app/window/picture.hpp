// Window, scene and panels together, for drawing frames.
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

// Statistics of the drawn frames.
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
  // Null before show_world().
  view::Scene* scene() { return scene_.get(); }

  // Builds the scene of a session; may take a second. nullptr: none.
  void show_world(const training::Session* session);
  // The forest behind the menu: from outside, without guides, until the next show_world().
  void show_backdrop();
  void set_quality(view::Quality quality);  // from the next show_world() on
  view::Quality quality() const { return quality_; }
  void set_camera(view::CameraKind camera);
  view::CameraKind camera() const { return camera_; }
  void set_overlays(const view::OverlaySettings& overlays);
  const view::OverlaySettings& overlays() const { return overlays_; }
  // Both return the new setting.
  bool toggle(bool view::OverlaySettings::*which);
  bool toggle_guides();  // targets, path and plumb line

  void draw(const DrawPanels& panels);
  // Pixels of the last drawing, before swap().
  view::Pixels pixels() const;
  void swap() { window_->swap(); }

  // False: the context is lost. renew() rebuilds everything; throws view::WindowError.
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
  std::unique_ptr<view::panels::Gui> gui_;  // destroyed before the window, so declared after it
  std::unique_ptr<view::Scene> scene_;
};

// Writes a file named by the time into the current folder; returns its name. Throws
// std::runtime_error with a message.
std::string picture_into_folder(const view::Pixels& pixels);
// Mouse movements and wheel move the free camera, if it is active.
void move_free_camera(Picture& picture, const SDL_Event& event);
view::panels::InstrumentLevel next_level(view::panels::InstrumentLevel level);

// Writes a PNG file. False: it could not be written, which has been reported.
bool keep_picture(const view::Pixels& pixels, const std::filesystem::path& file);

}  // namespace knuckleboom::app
