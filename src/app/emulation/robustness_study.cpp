// knuckleboom emulate --study robustness: the same run under other conditions than the file's, one
// changed at a time and then all at once at random. Each is a list of assignments, so that any row
// can be run by hand.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "app/emulation/emulation_run.hpp"
#include "app/emulation/study.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/json.hpp"
#include "knuckleboom/core/math/hash.hpp"
#include "knuckleboom/io/atomic_file.hpp"

namespace knuckleboom::app {
namespace {

using emulation::Emulation;
using emulation::EmulationPlan;

constexpr int kDrawn = 48;  // conditions with everything changed
constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kMostShare = 0.01;       // of energy put in
constexpr double kMostForceError = 0.05;  // rms
constexpr double kMostError = 5e-3;       // m, of each axis

struct Condition {
  std::string name;
  std::vector<std::string> set;
};

std::string assign(std::string_view key, double value) {
  return fmt::format("{}={:.6g}", key, value);
}
std::string times(std::string_view key, double factor) {
  return fmt::format("{}*={:.6g}", key, factor);
}
std::string assign(std::string_view key, const Vec3& v) {
  return fmt::format("{}=[{:.6g}, {:.6g}, {:.6g}]", key, v.x(), v.y(), v.z());
}

class Conditions {
 public:
  explicit Conditions(const EmulationPlan& plan) : plan_(plan) {}

  void add(std::string name, std::vector<std::string> set) {
    all.push_back({std::move(name), std::move(set)});
  }

  // --- What can be changed ------------------------------------------------------------------------
  std::string offset(double x, double y) const {
    return assign("peg.start_m", Vec3(x, y, plan_.start_S.z()));
  }
  static std::string tilt(double x, double y) {
    return assign("peg.misalignment_rad", Vec3(x, y, 0.0));
  }
  static std::vector<std::string> noise(double force) {
    return {assign("sensor.force_noise_N", force), assign("sensor.moment_noise_N_m", 0.05 * force)};
  }
  std::vector<std::string> speed(double factor) const {
    std::vector<std::string> set;
    for (std::size_t i = 0; i < plan_.phases.size(); ++i) {
      const emulation::Phase& phase = plan_.phases[i];
      set.push_back(
          assign(fmt::format("phase.{}.velocity_m_per_s", i), Vec3(factor * phase.velocity_S)));
      if (factor < 1.0)
        set.push_back(assign(fmt::format("phase.{}.duration_s", i), phase.duration_s / factor));
    }
    return set;
  }
  // The host as it is, beside the one that its control goes by.
  std::string hand_mass(double factor) const {
    const multibody::Body& body = plan_.host.model.tree.body(plan_.host.model.tip_body);
    return times(fmt::format("plant.body.{}.mass", body.name), factor);
  }
  static std::vector<std::string> masses(double factor) {
    return {times("plant.body.*.mass", factor), times("plant.body.*.inertia", factor)};
  }
  static std::vector<std::string> seals(double factor) {
    return {times("plant.actuator.*.friction", factor),
            times("plant.actuator.*.friction.coulomb", factor),
            times("plant.actuator.*.friction.static", factor)};
  }
  static std::vector<std::string> valves(double factor) {
    return {times("plant.valve.*.conductance", factor)};
  }
  static std::vector<std::string> lines(double factor) {
    return {times("plant.actuator.*.line_a.capacitance", factor),
            times("plant.actuator.*.line_b.capacitance", factor)};
  }
  // Encoders of 20 bits, tachometers and pressure transducers of 14 bits.
  static std::vector<std::string> good_sensors() {
    return {"joint_sensors.position_step_rad=6e-6",
            "joint_sensors.speed_noise_rad_per_s=2e-4",
            "joint_sensors.speed_step_rad_per_s=1e-4",
            "joint_sensors.pressure_noise_Pa=2e3",
            "joint_sensors.pressure_step_Pa=1500",
            "sensor.force_noise_N=0.3",
            "sensor.moment_noise_N_m=0.015"};
  }

  // One quantity of the plant off by so much, then all of them.
  void plants() {
    struct Part {
      const char* name;
      double near, far;  // shares
      std::vector<std::string> (*set)(double factor);
    };
    const Part parts[] = {{"masses", 0.1, 0.25, masses},
                          {"seals' friction", 0.1, 0.2, seals},
                          {"valves' conductance", 0.1, 0.2, valves},
                          {"give of the lines", 0.1, 0.2, lines}};
    const bool hydraulic = !plan_.host.model.actuators.empty();
    for (const bool far : {false, true})
      for (const double sign : {-1.0, 1.0}) {
        std::vector<std::string> all;
        for (const Part& part : parts) {
          if (!hydraulic && part.set != masses) continue;
          const double off = sign * (far ? part.far : part.near);
          const std::vector<std::string> set = part.set(1.0 + off);
          add(fmt::format("plant: {} {:+.0f} %", part.name, 1e2 * off), set);
          all.insert(all.end(), set.begin(), set.end());
        }
        if (hydraulic)
          add(fmt::format("plant: all of these {}{}", far ? "far " : "",
                          sign < 0.0 ? "less" : "more"),
              all);
      }
    add("plant: lengths +0.5 %", {times("plant.body.*.position", 1.005)});
    add("good sensors", good_sensors());
  }
  // Moves every joint by up to `most`.
  static std::vector<std::string> pose(const char* which, const emulation::Part& part, double most,
                                       std::uint64_t seed) {
    std::vector<std::string> set;
    for (const command::InitialJoint& joint : part.initial) {
      const double angle = joint.position + most * (2.0 * uniform(++seed) - 1.0);
      set.push_back(assign(fmt::format("{}.{}.position_rad", which, joint.joint), angle));
    }
    return set;
  }

  void one_at_a_time() {
    add("as shipped", {});
    if (plan_.site.kind == emulation::SiteKind::kHole)
      for (const auto& [x, y] :
           {std::pair{0.0, 0.0}, {4.0, 0.0}, {0.0, 4.0}, {-2.8, -2.8}, {1.5, -1.5}})
        add(fmt::format("off by {:g}, {:g} mm", x, y), {offset(1e-3 * x, 1e-3 * y)});
    for (const auto& [x, y] :
         {std::pair{0.0, 0.0}, {1.5, 0.0}, {-1.5, 0.0}, {0.0, 1.5}, {0.0, -1.5}, {1.0, -1.0}})
      add(fmt::format("tilt {:g}, {:g} deg", x, y), {tilt(x * kDegree, y * kDegree)});
    for (const double mu : {0.05, 0.3, 0.4})
      add(fmt::format("friction {:g}", mu), {assign("site.friction", mu)});
    for (const double k : {1e3, 1e4, 1e5, 3e5, 3e6, 1e7})
      add(fmt::format("stiffness {:.0e} N/m", k), {assign("site.stiffness_N_per_m", k)});
    for (const double ms : {0.1, 0.5})
      add(fmt::format("relaxation {:g} ms", ms), {assign("site.relaxation_s", 1e-3 * ms)});
    for (const double n : {0.5, 1.0}) add(fmt::format("noise {:g} N", n), noise(n));
    for (const int ticks : {1, 2}) {
      add(fmt::format("sensor {} ticks late", ticks), {assign("sensor.delay_ticks", ticks)});
      add(fmt::format("the same at 1e7 N/m"),
          {assign("sensor.delay_ticks", ticks), assign("site.stiffness_N_per_m", 1e7)});
    }
    for (const double ms : {0.5, 2.0})
      add(fmt::format("tick {:g} ms", ms), {assign("rates.tick_s", 1e-3 * ms)});
    for (const double f : {0.5, 2.0}) add(fmt::format("{:g} times as fast", f), speed(f));
    for (const double f : {0.5, 1.5})
      add(fmt::format("plant: hand {:g} times as heavy", f), {hand_mass(f)});
    plants();
    for (const std::uint64_t seed : {1, 2, 3})
      add(fmt::format("host's pose {}", seed), pose("host_start", plan_.host, 0.3, 1000 * seed));
    for (const std::uint64_t seed : {1, 2, 3})
      add(fmt::format("emulated pose {}", seed),
          pose("emulated_start", plan_.emulated, 0.25, 2000 * seed));
  }

  void draw(std::uint64_t number) {
    std::uint64_t at = 1000003U * number;
    const auto between = [&at](double low, double high) {
      return low + (high - low) * uniform(++at);
    };
    Condition c{fmt::format("drawn {}", number), {}};
    const auto take = [&c](std::vector<std::string> more) {
      c.set.insert(c.set.end(), more.begin(), more.end());
    };
    if (plan_.site.kind == emulation::SiteKind::kHole) {
      const double way = between(0.0, 4e-3), angle = between(0.0, 2.0 * std::numbers::pi);
      take({offset(way * std::cos(angle), way * std::sin(angle))});
    }
    const double turn = between(0.0, 1.5 * kDegree), angle = between(0.0, 2.0 * std::numbers::pi);
    take({tilt(turn * std::cos(angle), turn * std::sin(angle))});
    take({assign("site.friction", between(0.05, 0.4))});
    const bool hole = plan_.site.kind == emulation::SiteKind::kHole;
    take({assign("site.stiffness_N_per_m", std::pow(10.0, between(hole ? 5.0 : 3.0, 7.0)))});
    take({assign("site.relaxation_s", between(1e-4, 5e-4))});
    take(noise(between(0.0, 1.0)));
    take({assign("sensor.delay_ticks", std::floor(between(0.0, 3.0)))});
    constexpr std::array<double, 4> kTicks = {5e-4, 1e-3, 1e-3, 2e-3};  // s
    take({assign("rates.tick_s", kTicks[static_cast<std::size_t>(between(0.0, 4.0))])});
    take(speed(between(0.5, 2.0)));
    take({hand_mass(between(0.5, 1.5))});
    take(pose("host_start", plan_.host, 0.3, at + 100));
    take(pose("emulated_start", plan_.emulated, 0.25, at + 200));
    all.push_back(std::move(c));
  }

  std::vector<Condition> all;

 private:
  const EmulationPlan& plan_;
};

// Each phase with an end condition has met it, and the hole was reached.
bool complete(const EmulationPlan& plan, const EmulationRun& run) {
  std::vector<std::size_t> ticks(plan.phases.size() + 1, 0);
  for (const EmulationRow& row : run.rows) ++ticks[static_cast<std::size_t>(row.phase)];
  for (std::size_t i = 0; i < plan.phases.size(); ++i) {
    const emulation::Phase& phase = plan.phases[i];
    const bool waits = std::isfinite(phase.until_depth) || std::isfinite(phase.until_force);
    if (waits && static_cast<double>(ticks[i] + 2) * plan.tick_s > phase.duration_s) return false;
  }
  if (!run.finished || run.rows.empty()) return false;
  return plan.site.kind != emulation::SiteKind::kHole ||
         run.rows.back().host_p.z() > plan.site.depth - 1e-3;
}

struct Outcome {
  EmulationMeasures m;
  double loop_delay_s = 0.0, share = 0.0;
  bool finite = false, complete = false, alone_complete = false;
  std::string missed;  // letters of the missed limits
};

Outcome judge(const EmulationPlan& plan) {
  const Emulation emulation(plan);
  const Emulation alone(plan, true);
  Outcome out;
  out.loop_delay_s = emulation.loop_delay_s();
  const EmulationRun run = run_emulation(emulation);
  const EmulationRun ideal = run_emulation(alone, &run);
  out.m = measure(run, ideal);
  out.share = out.m.exchanged > 0.0 ? out.m.generated / out.m.exchanged : 0.0;
  out.finite = run.finite;
  out.complete = complete(plan, run);
  out.alone_complete = out.complete || complete(plan, run_emulation(alone));
  if (!(out.share <= kMostShare)) out.missed += 'E';
  if (out.m.growth > kMostGrowth || out.m.ripple > std::max(kMostRipple, 3.0 * out.m.ideal_ripple))
    out.missed += 'O';
  if (!(out.m.position_error.maxCoeff() <= kMostError)) out.missed += 'P';
  if (!(out.m.force_error <= kMostForceError)) out.missed += 'F';
  if (!out.finite || out.complete != out.alone_complete) out.missed += 'C';
  return out;
}

}  // namespace

int robustness_study(const LoadedEmulation& loaded, const EmulateOptions& options) {
  Conditions conditions(loaded.plan);
  conditions.one_at_a_time();
  for (std::uint64_t i = 0; i < kDrawn; ++i) conditions.draw(i + 1001);
  say(fmt::format("{}\n  {:<34}{:>8}{:>10}{:>9}{:>9}{:>8}{:>9}{:>9}  {}\n", loaded.title(),
                  "condition", "loop ms", "put in %", "of J", "ripple N", "growth", "error mm",
                  "force %", "completed"));
  JsonWriter json;
  json.begin_object().member("emulation", loaded.plan.name).key("rows").begin_array();
  int held = 0, complete_runs = 0;
  for (const Condition& c : conditions.all) {
    EmulateOptions asked = options;
    asked.assignments.insert(asked.assignments.end(), c.set.begin(), c.set.end());
    const Outcome o = judge(load_emulation(asked).plan);
    if (interrupted()) return kInterruptedRun;
    held += o.missed.empty() ? 1 : 0;
    complete_runs += o.complete ? 1 : 0;
    say(fmt::format("  {:<34}{:>8.2f}{:>10.2f}{:>9.3f}{:>9.1f}{:>8.2f}{:>9.3f}{:>9.2f}  {:<11}{}\n",
                    c.name, 1e3 * o.loop_delay_s, 1e2 * o.share, o.m.exchanged, o.m.ripple,
                    o.m.growth, 1e3 * o.m.position_error.maxCoeff(), 1e2 * o.m.force_error,
                    o.complete         ? "yes"
                    : o.alone_complete ? "alone only"
                                       : "neither",
                    o.missed));
    json.begin_object()
        .member("condition", c.name)
        .member("set", c.set)
        .member("loop_delay_s", o.loop_delay_s)
        .member("generated_share", o.share)
        .member("exchanged_J", o.m.exchanged)
        .member("ripple_N", o.m.ripple)
        .member("growth", o.m.growth)
        .member("position_error_m", o.m.position_error.maxCoeff())
        .member("force_error", o.m.force_error)
        .member("ideal_force_rms_N", o.m.force_rms)
        .member("complete", o.complete)
        .member("alone_complete", o.alone_complete)
        .member("missed", o.missed)
        .end_object();
  }
  json.end_array().end_object();
  say(fmt::format(
      "\n  {} of {} conditions hold everything, {} completed. Missed: E more than {:g} % of energy "
      "put in, O growing\n  oscillation, P more than {:g} mm, F more than {:g} % of force, C not "
      "completed though the machine alone does\n",
      held, conditions.all.size(), complete_runs, 1e2 * kMostShare, 1e3 * kMostError,
      1e2 * kMostForceError));
  if (!options.summary.empty()) io::write_file(options.summary, json.text());
  return kSuccess;
}

}  // namespace knuckleboom::app
