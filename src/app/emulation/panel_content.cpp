#include "app/emulation/panel_content.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "core/emulation/hil_modes.hpp"
#include "knuckleboom/core/emulation/hil_texts.hpp"
#include "view/panels/format.hpp"

namespace knuckleboom::app {
namespace {

using emulation::HilBench;
using emulation::HilEvent;
using emulation::HilMode;
using emulation::HilState;
using view::panels::EmulationPanel;
using view::panels::EmulationTone;

constexpr double kWindow = 10.0;      // of the curves [s]
constexpr double kStep = 1.0 / 50.0;  // between their points [s]
constexpr double kDegrees = 180.0 / std::numbers::pi;
constexpr view::panels::Colour kAxisColour[3] = {{238, 96, 84}, {120, 204, 110}, {104, 160, 250}};

Vec3 first(const double (&v)[6]) { return {v[0], v[1], v[2]}; }

EmulationTone tone_of(HilMode mode) {
  switch (mode) {
    case HilMode::kReady:
      return EmulationTone::kReady;
    case HilMode::kRunning:
      return EmulationTone::kRunning;
    case HilMode::kHolding:
      return EmulationTone::kHolding;
    case HilMode::kStopped:
      return EmulationTone::kStopped;
  }
  return EmulationTone::kStopped;
}

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

std::string phase_sentence(const HilBench& bench, const HilState& state) {
  const auto& phases = bench.emulation().plan().phases;
  const auto phase = static_cast<std::size_t>(state.emulation.phase);
  if (phase >= phases.size()) return "all phases are over; the emulated machine's operator rests";
  return fmt::format("phase {} of {}: {}", phase + 1, phases.size(), phases[phase].name);
}

std::string why(const HilBench& bench, const HilState& state) {
  if (state.mode == HilMode::kRunning) return phase_sentence(bench, state);
  const std::string whole = emulation::sentence(bench, state);
  const std::size_t colon = whole.find(": ");
  if (colon != std::string::npos) return whole.substr(colon + 2);
  return state.mode == HilMode::kReady ? "the host holds its pose; Run begins" : "";
}

std::string phase_label(const HilBench& bench, const HilState& state) {
  const auto& phases = bench.emulation().plan().phases;
  const auto phase = static_cast<std::size_t>(state.emulation.phase);
  if (phase >= phases.size()) return "all over";
  return fmt::format("{}/{} {}", phase + 1, phases.size(), phases[phase].name);
}

// "1.23 mJ"; with a prefix, three digits.
std::string joules(double value) {
  if (std::abs(value) < 5e-7) return "0 J";
  if (std::abs(value) < 1e-3) return fmt::format("{:.0f} µJ", 1e6 * value);
  if (std::abs(value) < 1.0) return fmt::format("{:.3g} mJ", 1e3 * value);
  return fmt::format("{:.3g} J", value);
}

void add_readings(const HilBench& bench, const HilState& state, const LiveTiming& timing,
                  EmulationPanel& panel) {
  const emulation::Emulation& emulation = bench.emulation();
  const auto add = [&panel](const char* name, std::string value, bool alarm = false) {
    panel.readings.push_back({name, std::move(value), alarm});
  };
  const emulation::PegMotion tip = emulation.in_site(state.emulation.tip);
  const emulation::PegMotion target = emulation.in_site(state.emulation.target);
  const Vec3 force = shown_force(bench, state);
  const emulation::EmulationEnergy& energy = state.emulation.energy;
  const int outside = std::popcount(bench.from_outside(state));
  const int silent = std::popcount(bench.silent(state));
  add("time", view::panels::clock_text(bench.time(state)));
  add("phase", phase_label(bench, state));
  add("force", fmt::format("{:.1f} N", force.norm()));
  add("along the axis", fmt::format("{:.1f} N", std::abs(force.z()) < 0.05 ? 0.0 : -force.z()));
  add("tip error", fmt::format("{:.3f} mm", 1e3 * (tip.p - target.p).norm()));
  add("depth", fmt::format("{:.2f} mm", 1e3 * tip.p.z()));
  add("off the axis", fmt::format("{:.2f} mm", 1e3 * std::hypot(tip.p.x(), tip.p.y())));
  add("tilt", fmt::format("{:.3f}°", kDegrees * std::acos(std::clamp(tip.R(2, 2), -1.0, 1.0))));
  add("put in", joules(energy.generated));
  add("exchanged", joules(energy.exchanged));
  if (timing.paced) {
    add("tick late, p99", view::panels::microseconds_text(timing.lateness_p99_us));
    add("at most", view::panels::microseconds_text(timing.lateness_max_us), timing.overruns > 0);
    add("overruns", fmt::format("{}", timing.overruns), timing.overruns > 0);
    add("pictures", fmt::format("{:.0f} /s", timing.frames_per_s));
  } else {
    add("time runs", "free");
    add("ticks", fmt::format("{}", state.tick));
  }
  add("from outside", fmt::format("{} of {}", outside, bench.exchange().signals()));
  add("silent", fmt::format("{}", silent), silent > 0);
  add("packets in", timing.network ? fmt::format("{}", timing.received) : "no network");
  add("lost", timing.network ? fmt::format("{}", timing.lost) : "-", timing.lost > 0);
}

}  // namespace

Vec3 shown_force(const HilBench& bench, const HilState& state) {
  return bench.emulation().to_site(first(state.emulation.measured_W));
}

void PanelMaker::remember(const HilState& state) {
  const double t = bench_.time(state);
  if (!points_.empty() && t < points_.back().t_s) points_.clear();  // a replay that restarts
  if (!points_.empty() && t < points_.back().t_s + kStep) return;
  const emulation::Emulation& emulation = bench_.emulation();
  const Vec3 force = shown_force(bench_, state);
  const Vec3 error = 1e3 * (emulation.in_site(state.emulation.tip).p -
                            emulation.in_site(state.emulation.target).p);
  Point point{t, {}, {}};
  for (int i = 0; i < 3; ++i) {
    point.force[i] = static_cast<float>(force[i]);
    point.error[i] = static_cast<float>(error[i]);
  }
  points_.push_back(point);
  while (points_.front().t_s < t - kWindow) points_.pop_front();
}

view::panels::Plot PanelMaker::plot(bool of_force) const {
  view::panels::Plot plot;
  plot.title =
      of_force ? "force on the peg [N], last 10 s" : "host's tip less emulated tip [mm], last 10 s";
  plot.least_span = of_force ? 1.0F : 0.01F;
  plot.from_s = 0.0F;
  plot.to_s = static_cast<float>(kWindow);
  if (points_.empty()) return plot;
  const double from = points_.back().t_s - kWindow;
  for (int i = 0; i < 3; ++i) {
    view::panels::PlotCurve curve{std::string(1, "xyz"[i]), kAxisColour[i], {}};
    curve.points.reserve(points_.size());
    for (const Point& point : points_)
      curve.points.emplace_back(static_cast<float>(point.t_s - from),
                                of_force ? point.force[i] : point.error[i]);
    plot.curves.push_back(std::move(curve));
  }
  return plot;
}

EmulationPanel PanelMaker::panel(const HilState& state, const LiveTiming& timing,
                                 const std::string& event) const {
  EmulationPanel panel;
  panel.tone = tone_of(state.mode);
  panel.mode = upper(emulation::name_of(state.mode));
  panel.reason = why(bench_, state);
  panel.event = event;
  const bool finite = state.reason != emulation::HilReason::kNotFinite;
  panel.can_run = finite && way_of(state.mode, HilEvent::kRun).leads;
  panel.can_hold = finite && way_of(state.mode, HilEvent::kHold).leads;
  panel.can_reset = finite && way_of(state.mode, HilEvent::kReset).leads;
  add_readings(bench_, state, timing, panel);
  panel.plots = {plot(true), plot(false)};
  for (std::size_t i = 0; i < bench_.tunables().size(); ++i) {
    const emulation::Tunable& t = bench_.tunables()[i];
    panel.tunables.push_back({t.name, t.unit, t.description,
                              bench_.tuned(state, static_cast<int>(i)), t.least, t.most, t.whole});
  }
  // Signals that may come from outside come first.
  for (const bool from_outside : {true, false})
    for (std::size_t i = 0; i < bench_.signals().size(); ++i) {
      const int signal = static_cast<int>(i);
      const int incoming = bench_.incoming_of(signal);
      if ((incoming >= 0) != from_outside) continue;
      const emulation::HilSignal& s = bench_.signals()[i];
      view::panels::EmulationSignalRow row{s.name, s.unit == "1" ? "" : s.unit, s.description,
                                           bench_.value(state, signal)};
      row.incoming = incoming;
      if (incoming >= 0) {
        row.source = static_cast<int>(state.exchange.signal[incoming].source);
        row.silent = (bench_.silent(state) >> incoming & 1U) != 0;
      }
      panel.signals.push_back(std::move(row));
    }
  return panel;
}

}  // namespace knuckleboom::app
