#include "app/emulation/study.hpp"

#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "app/emulation/emulation_run.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/json.hpp"
#include "app/shell/plot.hpp"
#include "knuckleboom/io/atomic_file.hpp"

namespace knuckleboom::app {
namespace {

using emulation::Emulation;
using emulation::EmulationInput;
using emulation::EmulationPlan;
using emulation::EmulationState;
using emulation::Scheme;

// --- Delay ------------------------------------------------------------------------------------------

constexpr double kContactTime = 6.0;   // s
constexpr double kMostForce = 3000.0;  // N; the press asks for 100 N
constexpr std::array<int, 17> kDelays = {
    0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 50, emulation::kMaxSensorDelay};
constexpr std::array<double, 9> kStiffness = {1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7};

struct Variant {
  const char* name;
  Scheme scheme;
  bool aided;  // by prediction
};
constexpr std::array<Variant, 3> kVariants = {
    {{"acceleration with prediction", Scheme::kAcceleration, true},
     {"acceleration alone", Scheme::kAcceleration, false},
     {"position", Scheme::kPosition, false}}};

// Touches the plane at 4 mm/s and presses on it with the resulting force.
EmulationPlan press(EmulationPlan plan, const Variant& variant, double stiffness, int delay) {
  plan.site = {emulation::SiteKind::kPlane, 0.0, 0.0, 0.0, plan.site.law};
  plan.site.law.stiffness = stiffness;
  plan.start_S = Vec3(0.0, 0.0, -5e-4);
  plan.misalignment_S = Vec3::Zero();
  plan.scheme = variant.scheme;
  plan.prediction = plan.prediction && variant.aided;
  plan.sensor.delay = delay;
  emulation::Phase phase;
  phase.name = "press";
  phase.duration_s = kContactTime;
  phase.velocity_S = Vec3(0.0, 0.0, 4e-3);
  plan.phases = {phase};
  return plan;
}

struct Trial {
  bool stable = false;
  double generated_share = 0.0;
  double loop_delay_s = 0.0;
};

Trial try_delay(const EmulationPlan& plan) {
  const Emulation emulation(plan);
  Trial out;
  out.loop_delay_s = emulation.loop_delay_s();
  EmulationState state = emulation.initial_state();
  const EmulationInput input{};
  std::vector<EmulationRow> rows;
  for (std::int64_t k = 0; k < emulation.tick_count(); ++k) {
    if (interrupted()) return out;
    emulation.step(state, input);
    EmulationRow row;
    row.t_s = emulation.time(state);
    row.force = emulation.to_site(Vec3(state.contact_W[0], state.contact_W[1], state.contact_W[2]));
    rows.push_back(row);
    if (state.health.non_finite > 0 || row.force.norm() > kMostForce) return out;
  }
  if (state.energy.exchanged > 0.0)
    out.generated_share = state.energy.generated / state.energy.exchanged;
  const Oscillation o = oscillation(rows);
  out.stable = o.growth < kMostGrowth && o.ripple < kMostRipple;
  return out;
}

struct Limit {
  int ticks = -1;  // -1: not even without delay
  Trial trial;     // result at that delay
};

// All smaller delays that were tried are stable as well.
Limit find_limit(const EmulationPlan& plan, const Variant& variant, double stiffness) {
  Limit out;
  for (const int delay : kDelays) {
    const Trial trial = try_delay(press(plan, variant, stiffness, delay));
    if (!trial.stable) break;
    out = {delay, trial};
  }
  return out;
}

}  // namespace

int delay_study(const LoadedEmulation& loaded, const EmulateOptions& options) {
  JsonWriter json;
  json.begin_object().member("emulation", loaded.plan.name).key("paths").begin_array();
  if (!path_study(loaded, json)) return kInterruptedRun;
  json.end_array();
  std::string text = fmt::format(
      "\n{}\nlargest sensor delay without growing oscillation, and with it the delay around the "
      "loop\n\n  {:>10}",
      loaded.title(), "N/m");
  for (const Variant& v : kVariants) text += fmt::format("  {:>36}", v.name);
  say(text + "\n");
  Figure figure{loaded.title(), "largest stable delay around the loop of force and motion", {}, 1};
  Panel panel{"", "log10 of the contact's stiffness [N/m]", "delay [ms]", {}, false, 1.0};
  for (std::size_t v = 0; v < kVariants.size(); ++v)
    panel.curves.push_back({kVariants[v].name, {}, {}, static_cast<int>(v), LineStyle::kSolid});
  json.key("rows").begin_array();
  for (const double k : kStiffness) {
    std::string line = fmt::format("  {:>10.0e}", k);
    json.begin_object().member("stiffness_N_per_m", k);
    for (std::size_t v = 0; v < kVariants.size(); ++v) {
      const Limit limit = find_limit(loaded.plan, kVariants[v], k);
      if (interrupted()) return kInterruptedRun;
      const bool end = limit.ticks == emulation::kMaxSensorDelay;
      const double loop_s = limit.ticks < 0 ? 0.0 : limit.trial.loop_delay_s;
      line += limit.ticks < 0 ? fmt::format("  {:>36}", "none")
                              : fmt::format("  {:>22} {:>4} ticks {:>5.1f} ms",
                                            end ? "at least" : "", limit.ticks, 1e3 * loop_s);
      panel.curves[v].x.push_back(std::log10(k));
      panel.curves[v].y.push_back(1e3 * loop_s);
      json.key(kVariants[v].name)
          .begin_object()
          .member("ticks", limit.ticks)
          .member("loop_delay_s", loop_s)
          .member("generated_share", limit.trial.generated_share)
          .end_object();
    }
    json.end_object();
    say(line + "\n");
  }
  json.end_array().end_object();
  figure.panels.push_back(std::move(panel));
  if (!options.summary.empty()) io::write_file(options.summary, json.text());
  if (!options.plot.empty()) draw(figure, options.plot);
  return kSuccess;
}

// --- Bandwidth --------------------------------------------------------------------------------------

namespace {

constexpr std::array<double, 8> kFrequencies = {1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0};  // Hz
constexpr double kPush = 100.0;                                                                // N
constexpr double kSettleTime = 2.0;                                                            // s

// Speed of the tip along the push, as amplitude and phase.
std::complex<double> response(const Emulation& emulation, double frequency_Hz, int axis) {
  EmulationState state = emulation.initial_state();
  EmulationInput input{};
  input.has_operator = 1;
  const double h = emulation.plan().tick_s;
  const double w = 2.0 * std::numbers::pi * frequency_Hz;
  const auto settle =
      static_cast<std::int64_t>(std::ceil(kSettleTime * frequency_Hz) / frequency_Hz / h);
  const auto over =
      static_cast<std::int64_t>(std::llround(std::max(10.0, frequency_Hz) / frequency_Hz / h));
  std::complex<double> sum = 0.0;
  for (std::int64_t k = 0; k < settle + over; ++k) {
    input.push[axis] = kPush * std::sin(w * (static_cast<double>(k) + 0.5) * h);
    emulation.step(state, input);
    if (k < settle) continue;
    const double t = static_cast<double>(k + 1) * h;
    sum += state.tip.twist[axis] * std::exp(std::complex<double>(0.0, -w * t));
  }
  return sum * (2.0 / static_cast<double>(over));
}

}  // namespace

int bandwidth_study(const LoadedEmulation& loaded, const EmulateOptions& options) {
  EmulationPlan plan = loaded.plan;
  plan.start_S = Vec3(0.0, 0.0, -0.5);  // far from any object
  plan.accommodation = {};
  plan.sensor.force_noise = plan.sensor.moment_noise = 0.0;
  const Emulation emulation(plan);
  const Emulation alone(plan, true);
  say(
      fmt::format("{}\nthe host's tip under a push of {:g} N against the emulated machine alone\n\n"
                  "  {:>6}  {:>9}  {:>10}  {:>9}  {:>10}\n",
                  loaded.title(), kPush, "Hz", "x: ratio", "phase deg", "z: ratio", "phase deg"));
  Figure figure{
      loaded.title(), "speed of the host's tip over that of the emulated machine alone", {}, 1};
  Panel ratio{"", "log10 of the frequency [Hz]", "ratio", {}, false, 0.1};
  Panel phase{"", "log10 of the frequency [Hz]", "phase [deg]", {}, false, 1.0};
  for (const int axis : {0, 2}) {
    const std::string name = axis == 0 ? "x" : "z";
    ratio.curves.push_back({name, {}, {}, axis, LineStyle::kSolid});
    phase.curves.push_back({name, {}, {}, axis, LineStyle::kSolid});
  }
  JsonWriter json;
  json.begin_object().member("emulation", loaded.plan.name).key("rows").begin_array();
  for (const double f : kFrequencies) {
    std::string line = fmt::format("  {:>6g}", f);
    json.begin_object().member("frequency_Hz", f);
    for (const int axis : {0, 2}) {
      if (interrupted()) return kInterruptedRun;
      const std::complex<double> r = response(emulation, f, axis) / response(alone, f, axis);
      const double degrees = std::arg(r) * 180.0 / std::numbers::pi;
      line += fmt::format("  {:>9.3f}  {:>10.1f}", std::abs(r), degrees);
      const std::size_t c = axis == 0 ? 0 : 1;
      ratio.curves[c].x.push_back(std::log10(f));
      ratio.curves[c].y.push_back(std::abs(r));
      phase.curves[c].x.push_back(std::log10(f));
      phase.curves[c].y.push_back(degrees);
      json.member(axis == 0 ? "ratio_x" : "ratio_z", std::abs(r))
          .member(axis == 0 ? "phase_x_rad" : "phase_z_rad", std::arg(r));
    }
    json.end_object();
    say(line + "\n");
  }
  json.end_array().end_object();
  figure.panels = {std::move(ratio), std::move(phase)};
  if (!options.summary.empty()) io::write_file(options.summary, json.text());
  if (!options.plot.empty()) draw(figure, options.plot);
  return kSuccess;
}

}  // namespace knuckleboom::app
