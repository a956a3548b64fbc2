#include "app/window/picture.hpp"

#include <ctime>
#include <stdexcept>
#include <utility>

#include <SDL2/SDL.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "app/session/drive_request.hpp"
#include "app/shell/console.hpp"
#include "app/window/scene_from_session.hpp"
#include "knuckleboom/io/atomic_file.hpp"

namespace knuckleboom::app {
namespace {

constexpr view::panels::Colour kNoWorld{38, 48, 44};
constexpr double kTurn = 0.006;  // rad per pixel of the mouse
constexpr double kPan = 0.0015;
constexpr double kZoom = 1.12;

}  // namespace

Picture::Picture(const view::WindowRequest& request, view::Quality quality,
                 std::filesystem::path assets)
    : request_(request),
      quality_(quality),
      assets_(std::move(assets)),
      window_(std::make_unique<view::Window>(request)),
      gui_(std::make_unique<view::panels::Gui>(assets_)) {}

void Picture::show_world(const training::Session* session) {
  scene_.reset();
  if (session == nullptr) return;
  scene_ = std::make_unique<view::Scene>(
      scene_description(session->machine(), session->world().recipe(), session->world().ground(),
                        session->exercise(), assets_),
      quality_, window_->software_renderer());
  scene_->set_camera(camera_);
  scene_->set_overlays(overlays_);
}

void Picture::show_backdrop() {
  if (!scene_) return;
  view::OverlaySettings none;
  none.targets = none.path = none.drop_line = none.trail = none.inset = false;
  scene_->set_overlays(none);
  scene_->set_camera(view::CameraKind::kFree);
}

void Picture::set_quality(view::Quality quality) { quality_ = quality; }

void Picture::set_camera(view::CameraKind camera) {
  camera_ = camera;
  if (scene_) scene_->set_camera(camera);
}

void Picture::set_overlays(const view::OverlaySettings& overlays) {
  overlays_ = overlays;
  if (scene_) scene_->set_overlays(overlays);
}

void Picture::draw(const DrawPanels& panels) {
  const int width = window_->width();
  const int height = window_->height();
  if (scene_) scene_->frame(width, height);
  int x = -1;
  int y = -1;
  bool down = false;
  if (mouse_ && SDL_GetMouseFocus() == window_->sdl()) {
    down = (SDL_GetMouseState(&x, &y) & SDL_BUTTON_LMASK) != 0;
    // The mouse counts in window units, which are larger than pixels on fine screens.
    int units = width;
    SDL_GetWindowSize(window_->sdl(), &units, nullptr);
    if (units > 0) {
      x = x * width / units;
      y = y * width / units;
    }
  }
  view::panels::Painter& painter =
      gui_->begin(width, height, static_cast<float>(x), static_cast<float>(y), down);
  if (!scene_) painter.fill({0.0F, 0.0F, painter.width(), painter.height()}, kNoWorld);
  panels(painter, gui_->pointer());
  gui_->end();
}

view::Pixels Picture::pixels() const {
  return view::read_pixels(window_->width(), window_->height());
}

void Picture::renew(const training::Session* session) {
  scene_.reset();
  gui_.reset();
  window_.reset();
  window_ = std::make_unique<view::Window>(request_);
  gui_ = std::make_unique<view::panels::Gui>(assets_);
  show_world(session);
}

PictureSummary Picture::summary() const {
  PictureSummary summary{window_->renderer(), window_->width(), window_->height(), "", 0, 0};
  if (scene_) {
    summary.quality = word_of(scene_->quality());
    summary.draw_calls = scene_->statistics().draw_calls;
    summary.vertices = scene_->statistics().vertices;
  }
  return summary;
}

bool Picture::toggle(bool view::OverlaySettings::*which) {
  view::OverlaySettings overlays = overlays_;
  overlays.*which = !(overlays.*which);
  set_overlays(overlays);
  return overlays.*which;
}

bool Picture::toggle_guides() {
  view::OverlaySettings overlays = overlays_;
  overlays.targets = overlays.path = overlays.drop_line = !overlays.targets;
  set_overlays(overlays);
  return overlays.targets;
}

std::string picture_into_folder(const view::Pixels& pixels) {
  const std::string name =
      fmt::format("knuckleboom-{:%Y%m%d-%H%M%S}.png", fmt::localtime(std::time(nullptr)));
  io::AtomicFile file(name);
  file.write(view::png_of(pixels));
  return file.close_new().string();
}

void move_free_camera(Picture& picture, const SDL_Event& event) {
  if (picture.camera() != view::CameraKind::kFree || picture.scene() == nullptr) return;
  view::Orbit& orbit = picture.scene()->orbit();
  if (event.type == SDL_MOUSEWHEEL)
    orbit.zoom(event.wheel.y > 0 ? 1.0 / kZoom : event.wheel.y < 0 ? kZoom : 1.0);
  if (event.type != SDL_MOUSEMOTION) return;
  if ((event.motion.state & SDL_BUTTON_LMASK) != 0)
    orbit.rotate(-kTurn * event.motion.xrel, kTurn * event.motion.yrel);
  if ((event.motion.state & (SDL_BUTTON_RMASK | SDL_BUTTON_MMASK)) != 0)
    orbit.pan(-kPan * event.motion.xrel, kPan * event.motion.yrel);
}

view::panels::InstrumentLevel next_level(view::panels::InstrumentLevel level) {
  using view::panels::InstrumentLevel;
  return level == InstrumentLevel::kFull      ? InstrumentLevel::kCompact
         : level == InstrumentLevel::kCompact ? InstrumentLevel::kOff
                                              : InstrumentLevel::kFull;
}

bool keep_picture(const view::Pixels& pixels, const std::filesystem::path& file) {
  try {
    io::write_file(file, view::png_of(pixels));
    return true;
  } catch (const std::runtime_error& error) {
    complain(error.what());
    return false;
  }
}

}  // namespace knuckleboom::app
