// The window of a running emulation: scene, panel and user actions. It is independent of threads:
// it gets a state for each frame and returns commands in the console's language.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/emulation/panel_content.hpp"
#include "app/window/frame_meter.hpp"
#include "app/window/orbit_mouse.hpp"
#include "view/emulation_scene.hpp"
#include "view/panels/gui.hpp"
#include "view/screenshot.hpp"
#include "view/window.hpp"

union SDL_Event;

namespace knuckleboom::app {

struct LivePictureRequest {
  bool offscreen = false;  // without a display: for a screenshot
  int width = 1280, height = 720;
  std::filesystem::path assets;
};

class LivePicture {
 public:
  // Throws view::WindowError.
  LivePicture(const emulation::HilBench& bench, const LivePictureRequest& request);

  // For the curves only: states without a frame.
  void remember(const emulation::HilState& state) { maker_.remember(state); }
  // Handles the user's actions, then draws a frame; false: the window was closed.
  bool frame(const emulation::HilState& state, LiveTiming timing, const std::string& event);
  // "run", "set control.damping 1.2", ...: requested in the last frame, in this order.
  const std::vector<std::string>& commands() const { return commands_; }

  // A screenshot.
  view::Pixels picture(const emulation::HilState& state, const LiveTiming& timing,
                       const std::string& event);
  const std::vector<std::string>& notes() const { return scene_.notes(); }

 private:
  void take_events();
  void take(const SDL_Event& event);
  void draw(const emulation::HilState& state, const LiveTiming& timing, const std::string& event);
  void draw_labels(view::panels::Painter& painter, const emulation::HilState& state);
  void obey(const view::panels::EmulationIntent& intent);

  const emulation::HilBench& bench_;
  view::Window window_;
  view::panels::Gui gui_;
  view::EmulationScene scene_;
  PanelMaker maker_;
  FrameMeter meter_;
  std::vector<std::string> commands_;
  OrbitMouse mouse_;
  bool open_ = true;
};

}  // namespace knuckleboom::app
