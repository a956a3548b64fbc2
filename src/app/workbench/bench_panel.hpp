// The contents of the workbench's window, from data that a workbench published.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "app/workbench/bench_history.hpp"
#include "app/workbench/bench_levers.hpp"
#include "app/workbench/bench_thread.hpp"
#include "view/panels/workbench_panel.hpp"
#include "view/workbench_scene.hpp"

namespace knuckleboom::app {

struct BenchScene {
  view::MachineLook look;
  double size = 1.0;  // m
  Vec3 middle_W = Vec3::Zero();
  double floor_z = 0.0;  // m
};
// The machine as it stands. One with neither meshes nor forms of its own, and without a crane's parts, is drawn as
// drums at its joints and tubes between them.
BenchScene bench_scene(const Workbench& bench);

view::WorkbenchPoses bench_poses(const machine::MachineModel& model, const sim::Snapshot& snapshot);

// The curves that are shown, by name; of at most kBenchPlots units.
inline constexpr int kBenchPlots = 3;
class BenchCurves {
 public:
  // Those that tell most at first: positions of driven joints, a pressure or torque, the force of a loop.
  void choose(const Workbench& bench, const BenchHistory& history);
  // Throw UserError.
  void show(const BenchHistory& history, const std::string& channel);
  void hide(const std::string& channel);
  int colour(const std::string& channel) const;  // -1: not shown
  std::vector<view::panels::Plot> plots(const BenchHistory& history) const;

 private:
  struct Shown {
    std::string channel, unit;
    int colour;
  };
  std::vector<Shown> shown_;
};

// Data that change only while the machine stands.
struct BenchRest {
  std::vector<std::string> payloads;
  std::vector<bool> there;                                        // bodies, by joint
  std::vector<std::array<Workbench::Reach, kDemandKinds>> reach;  // by joint and kind
};
BenchRest bench_rest(const Workbench& bench);

// The machine may run meanwhile: of the workbench only what does not change then is read.
view::panels::WorkbenchPanel bench_panel(const Workbench& bench, const BenchRest& rest,
                                         const BenchShot& shot, bool running,
                                         const BenchHistory& history, const BenchCurves& curves,
                                         const BenchLevers& levers, const std::string& event,
                                         double frames_per_s);

}  // namespace knuckleboom::app
