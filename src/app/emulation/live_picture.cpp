#include "app/emulation/live_picture.hpp"

#include <algorithm>
#include <cmath>

#include <SDL2/SDL.h>
#include <fmt/format.h>

#include "app/emulation/scene_from_emulation.hpp"
#include "app/window/frame_pace.hpp"

namespace knuckleboom::app {
namespace {

using view::EmulationScene;
using view::Pane;
using view::panels::Align;
using view::panels::Painter;
using view::panels::Type;

constexpr view::panels::Colour kInk{22, 30, 36};
constexpr view::panels::Colour kSoftInk{70, 82, 90};
constexpr view::panels::Colour kPaper{244, 247, 249, 205};
constexpr view::panels::Colour kForceInk{196, 14, 92};
constexpr view::panels::Colour kGhostInk{28, 84, 160};

view::WindowRequest window_request(const emulation::HilBench& bench,
                                   const LivePictureRequest& request) {
  view::WindowRequest out;
  out.title = "Knuckleboom: " + bench.emulation().plan().name;
  out.width = request.width;
  out.height = request.height;
  out.offscreen = request.offscreen;
  return out;
}

int scene_width(int width, int height) {
  const float panel = view::panels::kEmulationPanelWidth * view::panels::scale_for(width, height);
  return std::max(64, width - static_cast<int>(std::lround(panel)));
}

// Rectangle of a pane, in points from the upper left corner.
view::panels::Rect in_points(const EmulationScene::Rectangle& r, const Painter& painter) {
  const float s = painter.scale();
  return {static_cast<float>(r.x) / s, painter.height() - static_cast<float>(r.y + r.height) / s,
          static_cast<float>(r.width) / s, static_cast<float>(r.height) / s};
}

}  // namespace

LivePicture::LivePicture(const emulation::HilBench& bench, const LivePictureRequest& request)
    : bench_(bench),
      window_(window_request(bench, request)),
      gui_(request.assets),
      scene_(scene_description(bench.emulation(), request.assets), view::Quality::kAuto,
             window_.software_renderer()),
      maker_(bench) {}

bool LivePicture::frame(const emulation::HilState& state, LiveTiming timing,
                        const std::string& event) {
  commands_.clear();
  take_events();
  maker_.remember(state);
  timing.frames_per_s = meter_.rate();
  if ((SDL_GetWindowFlags(window_.sdl()) & SDL_WINDOW_MINIMIZED) != 0) {
    SDL_Delay(10);
    return open_;
  }
  draw(state, timing, event);
  if (!window_.offscreen()) window_.swap();
  meter_.frame(now_ns());
  return open_;
}

void LivePicture::take_events() {
  SDL_Event event;
  while (SDL_PollEvent(&event) != 0) take(event);
}

void LivePicture::take(const SDL_Event& event) {
  if (event.type == SDL_QUIT) open_ = false;
  gui_.take(event);
  if (event.type == SDL_KEYDOWN && event.key.repeat == 0) {
    const SDL_Scancode key = event.key.keysym.scancode;
    // In any state.
    if (key == SDL_SCANCODE_SPACE || key == SDL_SCANCODE_ESCAPE) commands_.emplace_back("stop");
    if (!gui_.wants_text()) {
      if (key == SDL_SCANCODE_H) scene_.home();
      if (key == SDL_SCANCODE_G) scene_.set_ghost(!scene_.ghost());
      if (key == SDL_SCANCODE_F11) window_.set_fullscreen(!window_.fullscreen());
    }
  }
  mouse_.take(event, window_, scene_width(window_.width(), window_.height()), scene_.orbit());
}

void LivePicture::draw(const emulation::HilState& state, const LiveTiming& timing,
                       const std::string& event) {
  const int width = window_.width();
  const int height = window_.height();
  view::EmulationPoses poses = scene_poses(bench_.emulation(), state.emulation);
  // From the site's frame, in which it is shown, back to the world.
  const Mat3 site = scene_.site().R;
  poses.force_W = site * shown_force(bench_, state);
  scene_.show(poses);
  scene_.frame(width, height, scene_width(width, height));

  const OrbitMouse::Pointed at = mouse_.pointed(window_);
  Painter& painter =
      gui_.begin(width, height, static_cast<float>(at.x), static_cast<float>(at.y), at.down);
  draw_labels(painter, state);
  obey(view::panels::draw_emulation_panel(painter, maker_.panel(state, timing, event),
                                          gui_.pointer()));
  gui_.end();
}

void LivePicture::draw_labels(Painter& painter, const emulation::HilState& state) {
  const int wide = scene_width(window_.width(), window_.height());
  const emulation::EmulationPlan& plan = bench_.emulation().plan();
  const auto pane = [&](Pane which) {
    return in_points(EmulationScene::rectangle(which, wide, window_.height()), painter);
  };
  // On a light background, for readability.
  const auto label = [&](float x, float y, Type type, view::panels::Colour colour,
                         const std::string& text, Align align) {
    const float w = painter.text_width(type, text), h = painter.line_height(type);
    const float left = align == Align::kRight ? x - w : align == Align::kCentre ? x - 0.5F * w : x;
    painter.fill({left - 5.0F, y - 2.0F, w + 10.0F, h + 4.0F}, kPaper, 4.0F);
    painter.text(left, y, type, colour, text);
  };
  const auto head = [&](Pane which, view::panels::Colour colour, const std::string& title,
                        const std::string& below) {
    const view::panels::Rect r = pane(which);
    label(r.x + 12.0F, r.y + 10.0F, Type::kBold, colour, title, Align::kLeft);
    label(r.x + 12.0F, r.y + 31.0F, Type::kSmall, kSoftInk, below, Align::kLeft);
  };
  head(Pane::kHost, kInk, plan.host.model.name, "plays the tip of " + plan.emulated.model.name);
  head(Pane::kBoth, kGhostInk, plan.emulated.model.name, "emulated");
  head(Pane::kPeg, kInk, "peg", "axes: where it is   dashed: where it should be");
  const view::panels::Rect host = pane(Pane::kHost), both = pane(Pane::kBoth),
                           peg = pane(Pane::kPeg);
  painter.fill({both.right(), 0.0F, host.x - both.right(), painter.height()}, kInk);
  painter.fill({0.0F, both.bottom(), both.width, peg.y - both.bottom()}, kInk);
  label(host.right() - 12.0F, host.bottom() - 24.0F, Type::kSmall, kSoftInk,
        "mouse: turn, pan, zoom   H: home   G: ghost", Align::kRight);

  const double force = shown_force(bench_, state).norm();
  if (force > 0.5)
    for (const Pane which : {Pane::kHost, Pane::kPeg}) {
      const view::panels::Rect r = pane(which);
      const EmulationScene::Rectangle px = EmulationScene::rectangle(which, wide, window_.height());
      double ex = 0.0, ey = 0.0;
      if (!view::project(scene_.view(which), scene_.arrow_end_W(which), px.width, px.height, ex,
                         ey))
        continue;
      const std::string text = fmt::format("{:.1f} N", force);
      const float half = 0.5F * painter.text_width(Type::kBold, text) + 6.0F;
      const float at_x =
          std::clamp(r.x + static_cast<float>(ex) / painter.scale(), r.x + half, r.right() - half);
      const float at_y = std::clamp(r.y + static_cast<float>(ey) / painter.scale() - 24.0F,
                                    r.y + 54.0F, r.bottom() - 24.0F);
      label(at_x, at_y, Type::kBold, kForceInk, text, Align::kCentre);
    }
  if (state.mode == emulation::HilMode::kStopped) {
    const float w = 5.0F;
    const view::panels::Colour red = view::panels::colour_of(view::panels::EmulationTone::kStopped);
    const float right = static_cast<float>(wide) / painter.scale(), bottom = painter.height();
    painter.fill({0.0F, 0.0F, right, w}, red);
    painter.fill({0.0F, bottom - w, right, w}, red);
    painter.fill({0.0F, 0.0F, w, bottom}, red);
    painter.fill({right - w, 0.0F, w, bottom}, red);
  }
}

void LivePicture::obey(const view::panels::EmulationIntent& intent) {
  if (intent.stop) commands_.emplace_back("stop");
  if (intent.run) commands_.emplace_back("run");
  if (intent.hold) commands_.emplace_back("hold");
  if (intent.reset) commands_.emplace_back("reset");
  if (intent.snapshot) commands_.emplace_back("snapshot");
  if (intent.tune >= 0)
    commands_.push_back(fmt::format("set {} {:.6g}",
                                    bench_.tunables()[static_cast<std::size_t>(intent.tune)].name,
                                    intent.value));
  if (intent.source_of >= 0)
    commands_.push_back(fmt::format("source {} {}", bench_.exchange().rule(intent.source_of).name,
                                    view::panels::kEmulationSources[intent.source]));
}

view::Pixels LivePicture::picture(const emulation::HilState& state, const LiveTiming& timing,
                                  const std::string& event) {
  maker_.remember(state);
  // Lists need a frame to determine their size.
  for (int i = 0; i < 2; ++i) draw(state, timing, event);
  return view::read_pixels(window_.width(), window_.height());
}

}  // namespace knuckleboom::app
