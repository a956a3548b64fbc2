// The window of a running emulation: scene, panel and what the user does in it. Knows nothing of threads: it is given
// a state for each picture, and asks for commands in the words of the console.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/emulation/loop_face.hpp"
#include "app/window/frame_meter.hpp"
#include "view/emulation_scene.hpp"
#include "view/panels/gui.hpp"
#include "view/screenshot.hpp"
#include "view/window.hpp"

union SDL_Event;

namespace knuckleboom::app {

struct LoopPictureRequest {
  bool offscreen = false;  // nobody watches: for a picture in a file
  int width = 1280, height = 720;
  std::filesystem::path assets;
};

class LoopPicture {
 public:
  // Throws view::WindowError.
  LoopPicture(const emulation::HardwareLoop& loop, const LoopPictureRequest& request);

  // For the curves only: of states that get no picture.
  void remember(const emulation::LoopState& state) { maker_.remember(state); }
  // What the user has done since the last time, then a picture; false: the window was closed.
  bool frame(const emulation::LoopState& state, LoopTiming timing, const std::string& event);
  // "run", "set control.damping 1.2", ...: asked for in the last frame, in this order.
  const std::vector<std::string>& commands() const { return commands_; }

  // A picture for a file.
  view::Pixels picture(const emulation::LoopState& state, const LoopTiming& timing,
                       const std::string& event);
  const std::vector<std::string>& notes() const { return scene_.notes(); }

 private:
  void take_events();
  void take(const SDL_Event& event);
  void move_camera(const SDL_Event& event);
  void draw(const emulation::LoopState& state, const LoopTiming& timing, const std::string& event);
  void draw_labels(view::panels::Painter& painter, const emulation::LoopState& state);
  void obey(const view::panels::LoopIntent& intent);

  const emulation::HardwareLoop& loop_;
  view::Window window_;
  view::panels::Gui gui_;
  view::EmulationScene scene_;
  LoopFaceMaker maker_;
  FrameMeter meter_;
  std::vector<std::string> commands_;
  bool open_ = true, pressed_ = false;
  bool over_scene_ = false, dragging_ = false;  // the mouse is, and was when it was pressed
  int pressed_x_ = 0, pressed_y_ = 0;
};

}  // namespace knuckleboom::app
