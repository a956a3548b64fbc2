// The cost of a picture, drawn without a display.
#include <exception>
#include <optional>
#include <string>

#include <benchmark/benchmark.h>

#include "app/emulation/live_picture.hpp"
#include "app/emulation/load_emulation.hpp"
#include "app/emulation/scene_from_emulation.hpp"
#include "support/forest_scene.hpp"
#include "view/emulation_scene.hpp"
#include "view/scene.hpp"
#include "view/window.hpp"

namespace knuckleboom {
namespace {

constexpr int kWidth = 1280, kHeight = 720, kSceneWidth = 900;
constexpr double kWork[kMaxLinks] = {0.25, 0.45, -1.35};

// Empty where there is no way to draw.
std::optional<view::Window> offscreen(benchmark::State& state) {
  try {
    view::WindowRequest request;
    request.offscreen = true;
    return std::optional<view::Window>(std::in_place, request);
  } catch (const view::WindowError& error) {
    state.SkipWithError(error.what());
    return std::nullopt;
  }
}

// The forest through each camera.
void forest(benchmark::State& state) {
  const auto window = offscreen(state);
  if (!window) return;
  const machine::MachineModel machine = test::machine_from_file("harvester");
  view::SceneDescription description = test::forest_scene(machine);
  description.targets = test::reach_targets();
  view::Scene scene(description, view::Quality::kMedium, true);
  const training::SessionSnapshot snapshot = test::snapshot_at(machine, kWork, description);
  scene.set_camera(static_cast<view::CameraKind>(state.range(0)));
  for (auto _ : state) {
    scene.show(snapshot, snapshot, 1.0);
    scene.frame(kWidth, kHeight);
  }
  state.SetLabel(view::name(static_cast<view::CameraKind>(state.range(0))));
}
BENCHMARK(forest)->DenseRange(0, view::kCameraKinds - 1)->Unit(benchmark::kMillisecond);

void emulation_scene(benchmark::State& state, const std::string& name) {
  const auto window = offscreen(state);
  if (!window) return;
  app::EmulateOptions options;
  options.scenario = name;
  const emulation::Emulation emulation(app::load_emulation(options).plan);
  const emulation::EmulationState start = emulation.initial_state();
  view::EmulationScene scene(app::scene_description(emulation, {}), view::Quality::kMedium, true);
  for (auto _ : state) {
    scene.show(app::scene_poses(emulation, start));
    scene.frame(kWidth, kHeight, kSceneWidth);
  }
}
BENCHMARK_CAPTURE(emulation_scene, peg_in_hole, "peg_in_hole")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(emulation_scene, crane_on_plane, "crane_on_plane")->Unit(benchmark::kMillisecond);

// The window of a running emulation, with its panel.
void emulation_window(benchmark::State& state) {
  app::EmulateOptions options;
  options.scenario = "peg_in_hole";
  const emulation::HilBench bench(app::load_emulation(options).plan);
  const emulation::HilState start = bench.initial_state();
  app::LivePictureRequest request;
  request.offscreen = true;
  try {
    app::LivePicture picture(bench, request);
    for (auto _ : state) picture.frame(start, {}, "the newest event");
  } catch (const view::WindowError& error) {
    state.SkipWithError(error.what());
  }
}
BENCHMARK(emulation_window)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace knuckleboom
