#include "app/workbench/bench_picture.hpp"

#include <algorithm>
#include <cmath>

#include <SDL2/SDL.h>
#include <fmt/format.h>

#include "app/shell/config_paths.hpp"
#include "app/shell/text.hpp"
#include "app/window/frame_pace.hpp"
#include "input/lever_desk.hpp"
#include "knuckleboom/io/device_file.hpp"

namespace knuckleboom::app {
namespace {

using view::panels::Align;
using view::panels::Painter;
using view::panels::Type;

constexpr view::panels::Colour kBenchInk{22, 30, 36};
constexpr view::panels::Colour kBenchPaper{244, 247, 249, 205};
constexpr const char* kForceUnits[view::kForceMarks] = {"N", "N", "N m"};
constexpr double kLabelShare = 0.15;  // of a full arrow; smaller ones have no number
constexpr std::size_t kMostLabels = 12;

view::WindowRequest bench_window(const Workbench& bench, const BenchPictureRequest& request) {
  view::WindowRequest out;
  out.title = "Knuckleboom: " + bench.model().name;
  out.width = request.width;
  out.height = request.height;
  out.offscreen = request.offscreen;
  return out;
}

command::LeverSetup bench_desk() {
  const std::filesystem::path file = user_device_file();
  if (file.empty()) return {};
  return io::load_user_devices(file).setup.value_or(command::LeverSetup{});
}

double desk_time_s() { return 1e-9 * static_cast<double>(now_ns()); }

}  // namespace

BenchPicture::BenchPicture(const Workbench& bench, const BenchPictureRequest& request)
    : bench_(bench),
      assets_(request.assets),
      window_(bench_window(bench, request)),
      gui_(request.assets) {
  rebuild();
  if (request.levers) desk_ = std::make_unique<input::LeverDesk>(bench_desk(), desk_time_s());
}

BenchPicture::~BenchPicture() = default;

void BenchPicture::rebuild() {
  const BenchScene scene = bench_scene(bench_);
  const bool first = scene_ == nullptr;
  const view::Orbit orbit = first ? view::Orbit{} : scene_->orbit();
  const bool forces = first || scene_->forces();
  scene_.reset();
  scene_ = std::make_unique<view::WorkbenchScene>(scene.look, scene.size, scene.middle_W,
                                                  scene.floor_z, assets_, view::Quality::kAuto,
                                                  window_.software_renderer());
  if (!first) scene_->orbit() = orbit;
  scene_->set_forces(forces);
}

int BenchPicture::scene_width() const {
  const float panel = view::panels::kWorkbenchPanelWidth *
                      view::panels::scale_for(window_.width(), window_.height());
  return std::max(64, window_.width() - static_cast<int>(std::lround(panel)));
}

bool BenchPicture::frame(const BenchFrame& now) {
  commands_.clear();
  running_ = now.running;
  SDL_Event event;
  while (SDL_PollEvent(&event) != 0) take(event);
  if (desk_) desk_->poll(desk_time_s());
  if ((SDL_GetWindowFlags(window_.sdl()) & SDL_WINDOW_MINIMIZED) != 0) {
    SDL_Delay(10);
    return open_;
  }
  draw(now);
  if (!window_.offscreen()) window_.swap();
  meter_.frame(now_ns());
  return open_;
}

void BenchPicture::take(const SDL_Event& event) {
  if (event.type == SDL_QUIT) open_ = false;
  gui_.take(event);
  if (desk_ && !gui_.wants_text()) desk_->handle(event);
  if (event.type == SDL_KEYDOWN && event.key.repeat == 0 && !gui_.wants_text()) {
    const SDL_Scancode key = event.key.keysym.scancode;
    if (key == SDL_SCANCODE_SPACE) commands_.emplace_back(running_ ? "pause" : "run");
    if (key == SDL_SCANCODE_RETURN) commands_.emplace_back("step");
    if (key == SDL_SCANCODE_BACKSPACE) commands_.emplace_back("rewind 1");
    if (key == SDL_SCANCODE_HOME) scene_->home();
    if (key == SDL_SCANCODE_F2) scene_->set_forces(!scene_->forces());
    if (key == SDL_SCANCODE_F11) window_.set_fullscreen(!window_.fullscreen());
  }
  mouse_.take(event, window_, scene_width(), scene_->orbit());
}

void BenchPicture::draw(const BenchFrame& now) {
  const int width = window_.width();
  const int height = window_.height();
  const view::WorkbenchPoses poses = bench_poses(bench_.model(), now.shot.snapshot);
  scene_->show(poses);
  scene_->frame(width, height, scene_width());
  const OrbitMouse::Pointed at = mouse_.pointed(window_);
  Painter& painter =
      gui_.begin(width, height, static_cast<float>(at.x), static_cast<float>(at.y), at.down);
  draw_labels(painter, poses);
  const view::panels::WorkbenchPanel panel =
      bench_panel(bench_, now.rest, now.shot, now.running, now.history, now.curves, now.levers,
                  now.event, meter_.rate());
  for (std::string& command : draw_workbench_panel(painter, panel, fields_, gui_.pointer()))
    commands_.push_back(std::move(command));
  gui_.end();
}

void BenchPicture::draw_labels(Painter& painter, const view::WorkbenchPoses& poses) {
  const auto label = [&](float x, float y, const std::string& text, Align align) {
    const float w = painter.text_width(Type::kSmall, text), h = painter.line_height(Type::kSmall);
    const float left = align == Align::kCentre ? x - 0.5F * w : x;
    painter.fill({left - 4.0F, y - 1.0F, w + 8.0F, h + 2.0F}, kBenchPaper, 3.0F);
    painter.text(left, y, Type::kSmall, kBenchInk, text);
  };
  const float wide = static_cast<float>(scene_width()) / painter.scale();
  std::size_t labels = 0;
  for (const view::ForceLook& force : poses.forces) {
    const double size = force.force_W.norm();
    if (!scene_->forces() || labels == kMostLabels ||
        !(size > kLabelShare * scene_->full(force.mark)))
      continue;
    double x = 0.0, y = 0.0;
    if (!view::project(scene_->view(), scene_->end_W(force), scene_width(), window_.height(), x, y))
      continue;
    const float px = static_cast<float>(x) / painter.scale(),
                py = static_cast<float>(y) / painter.scale();
    if (px < 0.0F || px > wide - 30.0F || py < 20.0F || py > painter.height() - 30.0F) continue;
    label(px, py - 18.0F, with_prefix(size, kForceUnits[static_cast<int>(force.mark)]),
          Align::kCentre);
    ++labels;
  }
  label(10.0F, painter.height() - 22.0F,
        "mouse: turn, pan, zoom   Space: run, pause   Enter: step   Backspace: back 1 s   F2: "
        "arrows   Home: view",
        Align::kLeft);
}

command::OperatorInput BenchPicture::levers() const {
  return desk_ ? desk_->current() : command::OperatorInput{};
}

std::vector<std::string> BenchPicture::take_lever_notices() {
  std::vector<std::string> out;
  if (!desk_) return out;
  for (const input::Notice& notice : desk_->take_notices()) out.push_back(notice.text);
  return out;
}

view::Pixels BenchPicture::picture(const BenchFrame& now) {
  // Lists need a frame to determine their size, and tabs one to open.
  for (int i = 0; i < 3; ++i) draw(now);
  commands_.clear();
  return view::read_pixels(window_.width(), window_.height());
}

}  // namespace knuckleboom::app
