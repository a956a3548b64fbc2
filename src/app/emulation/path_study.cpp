// The first part of knuckleboom emulate --study delay: a bench presses on a plane while one of its
// paths is late.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/emulation/study.hpp"
#include "app/shell/console.hpp"
#include "app/shell/interrupt.hpp"
#include "knuckleboom/core/emulation/hil_bench.hpp"
#include "knuckleboom/core/emulation/hil_texts.hpp"

namespace knuckleboom::app {
namespace {

using emulation::Emulation;
using emulation::EmulationPlan;
using emulation::HilBench;
using emulation::HilMode;
using emulation::HilState;
using emulation::PathDelay;
using emulation::PathDelays;

constexpr double kPressed = 5.0;                                               // s
constexpr double kAfterStop = 1.0;                                             // s
constexpr double kGap = 5e-4;                                                  // m, at the start
constexpr std::array<double, 7> kLate = {0.0, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0};  // ms
constexpr std::array<double, 2> kJitters = {0.0, 2.0};                         // ms

struct Path {
  const char* name;
  std::vector<PathDelay PathDelays::*> of;
};
const std::vector<Path>& paths() {
  static const std::vector<Path> all = {
      {"joint sensors", {&PathDelays::joint_sensors}},
      {"force", {&PathDelays::force}},
      {"valves", {&PathDelays::valves}},
      {"emulated machine", {&PathDelays::emulated}},
      {"wire to the host", {&PathDelays::joint_sensors, &PathDelays::force, &PathDelays::valves}},
  };
  return all;
}

// From just above the plane, at the speed of the plan's approach.
EmulationPlan press_on_plane(EmulationPlan plan, const Path& path, const PathDelay& late) {
  const double speed = Emulation(plan).approach_speed();
  plan.site = {emulation::SiteKind::kPlane, 0.0, 0.0, 0.0, plan.site.law};
  plan.start_S = Vec3(0.0, 0.0, -kGap);
  plan.misalignment_S = Vec3::Zero();
  plan.phases = {emulation::Phase{"press", kPressed, Vec3(0.0, 0.0, speed)}};
  for (PathDelay PathDelays::*const one : path.of) plan.delays.*one = late;
  return plan;
}

struct Pressed {
  std::string refused;
  bool stopped = false;
  std::string stop;              // sentence
  double peak = 0.0, end = 0.0;  // N
  double loop_s = 0.0, torque_Hz = 0.0;
};

Pressed press_bench(const EmulationPlan& plan) {
  const HilBench bench(plan);
  HilState state = bench.initial_state();
  Pressed out;
  out.loop_s = bench.loop_delay_s(state);
  out.torque_Hz = bench.emulation().torque_bandwidth_Hz(state.emulation, 0.0);
  out.refused = bench.apply({emulation::HilCommandKind::kRun, 0, 0.0}, state);
  if (!out.refused.empty()) return out;
  const double h = plan.tick_s;
  const auto ticks = [h](double s) { return static_cast<std::int64_t>(std::llround(s / h)); };
  for (std::int64_t k = 0, end = ticks(kPressed); k < end && !interrupted(); ++k) {
    bench.step(state, {});
    out.end = vec(state.emulation.contact_W).norm();
    out.peak = std::max(out.peak, out.end);
    if (out.stopped || state.mode != HilMode::kStopped) continue;
    out.stopped = true;
    out.stop = sentence(bench, state);
    end = k + ticks(kAfterStop);
  }
  return out;
}

}  // namespace

bool path_study(const LoadedEmulation& loaded, JsonWriter& json) {
  const double most = loaded.plan.safety.most_force;
  std::string head = fmt::format(
      "{}\npressing on a plane of {:g} N/m while one path is late: peak of the contact's force "
      "[N]; "
      "s: stopped by itself, r: refused\n\n  {:<18}{:>9}",
      loaded.title(), loaded.plan.site.law.stiffness, "path", "jitter");
  for (const double ms : kLate) head += fmt::format("{:>7g} ms", ms);
  say(head + "\n");
  std::vector<std::string> reasons;
  for (const Path& path : paths())
    for (const double jitter_ms : kJitters) {
      std::string line = fmt::format("  {:<18}{:>6g} ms", path.name, jitter_ms);
      for (const double late_ms : kLate) {
        const Pressed p =
            press_bench(press_on_plane(loaded.plan, path, {1e-3 * late_ms, 1e-3 * jitter_ms}));
        if (interrupted()) return false;
        line += p.refused.empty() ? fmt::format("{:>8.0f}{:<2}", p.peak, p.stopped ? "s" : "")
                                  : fmt::format("{:>8}{:<2}", "", "r");
        if (p.stopped)
          reasons.push_back(fmt::format("{} {:g} ms, jitter {:g} ms, {}; {:.0f} N after it",
                                        path.name, late_ms, jitter_ms, p.stop, p.end));
        json.begin_object()
            .member("path", path.name)
            .member("delay_s", 1e-3 * late_ms)
            .member("jitter_s", 1e-3 * jitter_ms)
            .member("loop_delay_s", p.loop_s)
            .member("torque_bandwidth_Hz", p.torque_Hz)
            .member("refused", p.refused)
            .member("stopped", p.stop)
            .member("peak_N", p.peak)
            .member("end_N", p.end)
            .end_object();
      }
      say(line + "\n");
    }
  if (std::isfinite(most)) say(fmt::format("\n  safety.most_force is {:g} N\n", most));
  for (const std::string& reason : reasons) say("  " + reason + "\n");
  return true;
}

}  // namespace knuckleboom::app
