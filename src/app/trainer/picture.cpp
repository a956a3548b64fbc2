#include "app/trainer/picture.hpp"

#include <stdexcept>
#include <utility>

#include <SDL2/SDL.h>

#include "app/console.hpp"
#include "app/trainer/drive_request.hpp"
#include "app/trainer/scene_from_session.hpp"

namespace knuckleboom::app {
namespace {

constexpr view::panels::Colour kNoWorld{38, 48, 44};

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

bool keep_picture(const view::Pixels& pixels, const std::filesystem::path& file) {
  try {
    view::write_png(pixels, file);
    return true;
  } catch (const std::runtime_error& error) {
    complain(error.what());
    return false;
  }
}

}  // namespace knuckleboom::app
