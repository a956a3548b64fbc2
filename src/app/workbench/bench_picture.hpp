// The window of a workbench: scene, panel, levers and the user's actions. It is independent of threads: it gets a shot
// for each frame and returns commands in the workbench's language.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/window/frame_meter.hpp"
#include "app/window/orbit_mouse.hpp"
#include "app/workbench/bench_panel.hpp"
#include "view/panels/gui.hpp"
#include "view/screenshot.hpp"
#include "view/window.hpp"

union SDL_Event;

namespace knuckleboom::input {
class LeverDesk;
}

namespace knuckleboom::app {

struct BenchPictureRequest {
  bool offscreen = false;  // without a display: for a screenshot
  int width = 1280, height = 720;
  std::filesystem::path assets;
  bool levers = true;  // devices and keys
};

// Things that a frame shows besides the workbench.
struct BenchFrame {
  const BenchRest& rest;
  const BenchShot& shot;
  bool running;
  const BenchHistory& history;
  const BenchCurves& curves;
  const BenchLevers& levers;
  const std::string& event;
};

class BenchPicture {
 public:
  // Throws view::WindowError.
  BenchPicture(const Workbench& bench, const BenchPictureRequest& request);
  ~BenchPicture();

  // The machine is another one.
  void rebuild();
  // Handles the user's actions, then draws a frame; false: the window was closed.
  bool frame(const BenchFrame& now);
  // Requested in the last frame, in this order.
  const std::vector<std::string>& commands() const { return commands_; }
  // Levers and keys as of the last frame.
  command::OperatorInput levers() const;
  std::vector<std::string> take_lever_notices();

  view::Pixels picture(const BenchFrame& now);
  const std::vector<std::string>& notes() const { return scene_->notes(); }
  void open_tab(int tab) { fields_.tab = tab; }

 private:
  void take(const SDL_Event& event);
  void draw(const BenchFrame& now);
  void draw_labels(view::panels::Painter& painter, const view::WorkbenchPoses& poses);
  int scene_width() const;

  const Workbench& bench_;
  std::filesystem::path assets_;
  view::Window window_;
  view::panels::Gui gui_;
  std::unique_ptr<view::WorkbenchScene> scene_;
  std::unique_ptr<input::LeverDesk> desk_;
  view::panels::WorkbenchFields fields_;
  FrameMeter meter_;
  OrbitMouse mouse_;
  std::vector<std::string> commands_;
  bool open_ = true, running_ = false;
};

}  // namespace knuckleboom::app
