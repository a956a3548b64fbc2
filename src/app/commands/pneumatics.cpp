// knuckleboom pneumatics: scenarios of a machine on air, also as two programs.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/commands/friction_study.hpp"
#include "app/commands/options.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/core/emulation/air_exchange.hpp"
#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"
#include "knuckleboom/io/load_case.hpp"

namespace knuckleboom::app {
namespace {

struct PneumaticsOptions {
  std::vector<std::string> scenarios;
  std::vector<std::string> friction;     // models, or "all"; empty: as in the file
  std::vector<double> exchange_ms;       // late by so much; empty: one program
  bool predict = false;                  // each delay also with a velocity model
  std::vector<std::string> assignments;  // of scenario and machine
  std::string plot, delay_plot;          // empty: none
};

using emulation::AirExchange;

constexpr double kBar = 1e5;

// A scenario with one friction of its machine.
struct AirCase {
  io::LoadedCase loaded;
  std::unique_ptr<sim::Simulation> simulation;
  int joint = 0;         // watched
  bool tracked = false;  // its reference counts
  bool foot = false;     // that of the tip does
  const std::string& name() const { return loaded.scenario.scenario.name; }
  bool turns() const { return loaded.machine.model.tree.link(joint).revolute; }
};

struct AirRun {
  const AirCase* of;
  std::string friction, exchange;
  double late_ms = -1.0;  // negative: one program
  bool predicts = false;
  std::vector<double> t, q, v, reference, P[2];
  double lost_at = -1.0;    // s; negative: it is not
  double at_rest = 0.0;     // share of the last half slower than kRestSpeed
  double error = 0.0;       // rms against the reference over the last half [m, rad]
  double foot_error = 0.0;  // the same, of the foot [m]
  double gain = 0.0;        // energy that the exchange made [J]
  double travel = 0.0;      // peak to peak over the last half [m, rad]
  double flips = 0.0;       // changes of the speed's sign per second in the last half
  double off = 0.0;         // rms from the run in one program, over that run's travel
};

// The joint that the scenario moves, else the last one.
void choose_joint(AirCase& of) {
  const machine::MachineModel& model = of.loaded.machine.model;
  of.joint = model.joint_count() - 1;
  bool chosen = false;
  for (const command::JointProgram& program : of.loaded.scenario.scenario.programs) {
    of.foot = of.foot || program.mode == command::JointMode::kTip;
    const int link = model.tree.find_joint(program.joint);
    const bool moves =
        program.mode != command::JointMode::kTip && !command::constant(program.signal);
    if (link == multibody::kBase || !moves || chosen) continue;
    chosen = true;
    of.joint = link;
    of.tracked = program.mode == command::JointMode::kTrack;
  }
}

AirCase load(const std::string& scenario, const std::string& friction,
             const std::vector<std::string>& assignments) {
  AirCase of;
  of.loaded = io::load_case(scenario, "", assignments);
  const machine::MachineModel& model = of.loaded.machine.model;
  if (!model.on_air())
    throw UserError(
        fmt::format("machine '{}' has no pneumatic cylinders; `knuckleboom run {}` runs "
                    "it",
                    model.name, scenario));
  if (!friction.empty()) {
    std::vector<std::string> with = assignments;
    for (int k = 0; k < static_cast<int>(model.controllers.size()); ++k)
      with.push_back(
          fmt::format("machine.actuator.{}.friction.model={}", model.actuator_name(k), friction));
    of.loaded = io::load_case(scenario, "", with);
  }
  of.simulation =
      std::make_unique<sim::Simulation>(of.loaded.machine.model, of.loaded.scenario.scenario);
  choose_joint(of);
  return of;
}

void measure(AirRun& run) {
  const std::size_t from = run.t.size() / 2;
  if (run.t.size() - from < 2) return;
  double squares = 0.0, low = run.q[from], high = low, last = 0.0;
  std::size_t still = 0, flips = 0;
  for (std::size_t i = from; i < run.t.size(); ++i) {
    const bool moves = std::fabs(run.v[i]) >= kRestSpeed;
    still += moves ? 0 : 1;
    const double off = run.q[i] - run.reference[i];
    squares += off * off;
    low = std::min(low, run.q[i]);
    high = std::max(high, run.q[i]);
    if (moves && run.v[i] * last < 0.0) ++flips;
    if (moves) last = run.v[i];
  }
  const auto count = static_cast<double>(run.t.size() - from);
  run.at_rest = static_cast<double>(still) / count;
  run.error = std::sqrt(squares / count);
  run.travel = high - low;
  run.flips = static_cast<double>(flips) / (run.t.back() - run.t[from]);
}

void compare(const AirRun& one_program, AirRun& run) {
  if (run.lost_at >= 0.0 || one_program.lost_at >= 0.0 || one_program.travel <= 0.0) return;
  const std::size_t from = run.t.size() / 2;
  double squares = 0.0;
  for (std::size_t i = from; i < run.t.size(); ++i) {
    const double off = run.q[i] - one_program.q[i];
    squares += off * off;
  }
  run.off = std::sqrt(squares / static_cast<double>(run.t.size() - from)) / one_program.travel;
}

// exchange: null for one program.
std::optional<AirRun> run_case(const AirCase& of, const AirExchange* exchange) {
  const sim::Simulation& simulation = *of.simulation;
  const machine::MachineModel& model = simulation.model();
  const command::Scenario& scenario = simulation.scenario();
  AirRun run;
  run.of = &of;
  AirExchange::State state;
  if (exchange != nullptr)
    state = exchange->start();
  else
    state.sim = simulation.initial_state(machine::Fidelity::kFull);
  const machine::MachineState& m = state.sim.machine;
  const int k = sim::take_snapshot(simulation, state.sim).actuator_of_joint[of.joint];
  const Vec3 home = machine::tip_position(model, m.q);
  double foot = 0.0;
  std::int64_t foot_rows = 0;
  while (state.sim.tick < simulation.tick_count() && run.lost_at < 0.0) {
    if (interrupted()) return std::nullopt;
    exchange != nullptr ? exchange->step(state) : simulation.step(state.sim);
    const double t = simulation.time(state.sim);
    run.t.push_back(t);
    run.q.push_back(m.q[of.joint]);
    run.v.push_back(m.v[of.joint]);
    run.reference.push_back(state.sim.reference[of.joint]);
    for (int side = 0; side < 2; ++side)
      run.P[side].push_back(model.air.P_ambient + m.actuator[k].p[side]);
    if (of.foot && t >= 0.5 * scenario.duration_s) {
      const Vec3 target = home + command::offset(scenario.tip_path, t - scenario.tip_start_s);
      foot += (machine::tip_position(model, m.q) - target).squaredNorm();
      ++foot_rows;
    }
    if (emulation::is_lost(model, m)) run.lost_at = t;
  }
  if (exchange != nullptr) run.gain = state.made;
  if (foot_rows > 0) run.foot_error = std::sqrt(foot / static_cast<double>(foot_rows));
  measure(run);
  return run;
}

std::string header() {
  return fmt::format("  {:<12}{:<28}{:<10}{:>11}{:>12}{:>10}{:>9}{:>9}{:>13}\n", "case", "friction",
                     "exchange", "travel", "rms error", "at rest", "turns/s", "off", "energy made");
}

std::string row(const AirRun& run, std::string_view friction) {
  std::string text = fmt::format("  {:<12}{:<28}{:<10}", run.of->name(), friction, run.exchange);
  if (run.lost_at >= 0.0) return text + fmt::format("unstable, lost after {:.3g} s\n", run.lost_at);
  const char* unit = run.of->turns() ? "mrad" : "mm";
  const std::string error = run.of->foot      ? fmt::format("{:.3g} mm", 1e3 * run.foot_error)
                            : run.of->tracked ? fmt::format("{:.3g} {}", 1e3 * run.error, unit)
                                              : std::string("-");
  const bool one_program = run.late_ms < 0.0;
  return text + fmt::format("{:>11}{:>12}{:>8.1f} %{:>9.1f}{:>9}{:>13}\n",
                            fmt::format("{:.1f} {}", 1e3 * run.travel, unit), error,
                            100.0 * run.at_rest, run.flips,
                            one_program ? "-" : fmt::format("{:.2f} %", 100.0 * run.off),
                            one_program ? "none" : with_prefix(run.gain, "J"));
}

Figure figure(const std::string& title, const std::vector<AirRun>& runs) {
  // So that many runs fit on a page: up to three in a row, each with its pressures.
  const int pairs = std::clamp(static_cast<int>(runs.size() + 4) / 5, 1, 3);
  Figure out{title, "scenarios on the machine that they name", {}, 2 * pairs};
  for (const AirRun& run : runs) {
    const std::string name = fmt::format("{}, {}{}", run.of->name(), run.friction,
                                         run.late_ms < 0.0 ? "" : ", late " + run.exchange);
    const bool angle = run.of->turns();
    Panel position{name, "time [s]", angle ? "joint [mrad]" : "position [mm]", {}, false, 1.0};
    Curve q{"", {}, {}, 0, LineStyle::kSolid};
    Curve reference{"reference", {}, {}, 7, LineStyle::kThin};
    Panel pressure{"", "time [s]", "pressure [bar]", {}, false, 0.1};
    Curve cap{"cap", {}, {}, 1, LineStyle::kSolid}, rod{"rod", {}, {}, 2, LineStyle::kSolid};
    const std::size_t stride = std::max<std::size_t>(1, run.t.size() / 4000);
    for (std::size_t i = 0; i < run.t.size(); i += stride) {
      q.x.push_back(run.t[i]);
      q.y.push_back(1e3 * run.q[i]);
      reference.y.push_back(1e3 * run.reference[i]);
      cap.y.push_back(run.P[0][i] / kBar);
      rod.y.push_back(run.P[1][i] / kBar);
    }
    reference.x = cap.x = rod.x = q.x;
    if (run.of->tracked || run.of->foot) {
      q.title = "position";
      position.curves.push_back(reference);
    }
    position.curves.push_back(q);
    pressure.curves = {cap, rod};
    out.panels.push_back(std::move(position));
    out.panels.push_back(std::move(pressure));
  }
  return out;
}

// Cost of the delays: a row of panels for each friction, a curve for each case; lost runs have no
// point.
Figure delay_figure(const std::string& title, const std::vector<AirRun>& runs) {
  Figure out{title, "scenarios on the machine that they name", {}, 2};
  std::string friction;
  const auto called = [](const AirRun& run) {
    return run.of->name() + (run.predicts ? ", with the velocity model" : "");
  };
  for (const AirRun& run : runs) {
    if (run.late_ms < 0.0 || run.lost_at >= 0.0) continue;
    if (run.friction != friction) {
      friction = run.friction;
      out.panels.push_back(
          {friction, "late [ms]", "off one program [% of travel]", {}, false, 1.0});
      out.panels.push_back({"", "late [ms]", "energy made [J]", {}, false, 0.1});
    }
    std::vector<Curve>& off = out.panels[out.panels.size() - 2].curves;
    std::vector<Curve>& made = out.panels.back().curves;
    std::size_t k = 0;
    while (k < off.size() && off[k].title != called(run)) ++k;
    if (k == off.size()) {
      const Curve curve{called(run), {}, {}, static_cast<int>(k) % kPaletteSize, LineStyle::kSolid};
      off.push_back(curve);
      made.push_back(curve);
    }
    off[k].x.push_back(run.late_ms);
    off[k].y.push_back(100.0 * run.off);
    made[k].x.push_back(run.late_ms);
    made[k].y.push_back(run.gain);
  }
  return out;
}

std::vector<std::string> friction_models(const std::vector<std::string>& asked) {
  if (asked.empty()) return {""};
  if (asked.size() == 1 && asked[0] == "all")
    return {kFrictionModels.begin(), kFrictionModels.end()};
  const std::vector<std::string> known(kFrictionModels.begin(), kFrictionModels.end());
  for (const std::string& model : asked)
    if (std::find(known.begin(), known.end(), model) == known.end())
      throw UserError(
          fmt::format("--friction {}: no such model{}", model, alternatives(model, known)));
  return asked;
}

std::vector<int> exchanges(const std::vector<double>& asked_ms, double tick_s) {
  std::vector<int> out;
  for (const double ms : asked_ms) {
    const double ticks = 1e-3 * ms / tick_s;
    if (!(ticks >= 0.0 && ticks <= AirExchange::kMaxTicks) ||
        std::fabs(ticks - std::round(ticks)) > 1e-6)
      throw UserError(
          fmt::format("--exchange-ms {:g}: give a whole number of ticks of {:g} ms, 0 to {}", ms,
                      1e3 * tick_s, AirExchange::kMaxTicks));
    out.push_back(static_cast<int>(std::lround(ticks)));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

int pneumatics(const PneumaticsOptions& options) {
  const InterruptGuard guard;
  if (!options.plot.empty()) check_picture_path(options.plot);
  if (!options.delay_plot.empty()) check_picture_path(options.delay_plot);
  check_distinct({{"--plot", options.plot}, {"--delay-plot", options.delay_plot}}, {});
  if (!options.delay_plot.empty() && options.exchange_ms.size() < 2)
    throw UserError("--delay-plot draws over the delay; give --exchange-ms at least twice");
  const std::vector<std::string> frictions = friction_models(options.friction);

  std::vector<std::unique_ptr<AirCase>> cases;  // what the runs point to
  std::vector<AirRun> runs;
  for (const std::string& friction : frictions)
    for (const std::string& scenario : options.scenarios)
      cases.push_back(std::make_unique<AirCase>(load(scenario, friction, options.assignments)));
  const io::LoadedCase& first = cases.front()->loaded;
  const std::vector<int> late = exchanges(options.exchange_ms, first.scenario.scenario.tick_s);
  say(fmt::format("{}: {}\n\n{}", first.machine.model.name, first.machine.model.description,
                  header()));
  bool sound = true;
  std::size_t at = 0;
  for (const std::string& friction : frictions) {
    const std::string called = friction.empty() ? "friction of the file" : friction;
    const auto add = [&](std::optional<AirRun> run, double late_ms, bool predicts) {
      if (!run) return false;
      run->friction = called;
      run->late_ms = late_ms;
      run->predicts = predicts;
      run->exchange =
          late_ms < 0.0 ? "none" : fmt::format("{:g} ms{}", late_ms, predicts ? ", v" : "");
      runs.push_back(std::move(*run));
      return true;
    };
    for (std::size_t s = 0; s < options.scenarios.size(); ++s, ++at) {
      const AirCase& of = *cases[at];
      if (!add(run_case(of, nullptr), -1.0, false)) return kInterruptedRun;
      const std::size_t one_program = runs.size() - 1;
      sound = sound && runs.back().lost_at < 0.0;
      say(row(runs.back(), called));
      for (const int ticks : late)
        for (const bool predicts : {false, true}) {
          if (predicts && (!options.predict || ticks == 0)) continue;
          const double late_ms = ticks * of.simulation->tick_s() * 1e3;
          std::unique_ptr<AirExchange> exchange;
          try {
            exchange = std::make_unique<AirExchange>(*of.simulation, ticks, predicts);
          } catch (const std::invalid_argument&) {
            say(fmt::format("  {:<12}{:<28}{:<10}  sticking needs force and motion at one time\n",
                            "", called, fmt::format("{:g} ms", late_ms)));
            continue;
          }
          if (!add(run_case(of, exchange.get()), late_ms, predicts)) return kInterruptedRun;
          compare(runs[one_program], runs.back());
          say(row(runs.back(), called));
        }
    }
  }
  const std::string& machine = first.machine.model.name;
  if (!options.plot.empty()) draw(figure(fmt::format("{} on air", machine), runs), options.plot);
  if (!options.delay_plot.empty()) {
    const Figure delays = delay_figure(fmt::format("{}: what late exchange costs", machine), runs);
    if (delays.panels.empty())
      say("no run with exchange lasted: --delay-plot has nothing to draw\n");
    else
      draw(delays, options.delay_plot);
  }
  return sound ? kSuccess : kNonFinite;
}

}  // namespace

Command pneumatics_command() {
  const auto o = std::make_shared<PneumaticsOptions>();
  ValueKind friction = friction_model_value();
  friction.placeholder = "MODEL";
  return {
      .name = "pneumatics",
      .sentence =
          "Run machines on air, in one program or as two that exchange force and motion late",
      .arguments =
          {{.name = "scenarios",
            .target = &o->scenarios,
            .kind = scenario_value(),
            .sentence = "Scenarios of machines on air",
            .required = true},
           {"--friction", &o->friction, friction,
            "Friction model of all cylinders in place of the file's; 'all' runs each"},
           {"--exchange-ms",
            &o->exchange_ms,
            {"MS"},
            "Also as two programs that exchange force and motion with this delay"},
           {.name = "--predict",
            .target = &o->predict,
            .sentence = "Each delay also with a velocity model in the actuators' program",
            .needs = {"--exchange-ms"}},
           set_of_case_option(o->assignments),
           unset_option(o->assignments),
           plot_option(o->plot, "Plot positions and pressures of all runs"),
           {"--delay-plot", &o->delay_plot, file_value(),
            "Plot the error and the energy added over the delay; the name ends in .svg or .png"}},
      .examples = {"knuckleboom pneumatics air_sine --friction all --plot sine.png",
                   "knuckleboom pneumatics leg_square leg_sine leg_lever --exchange-ms 4"},
      .run = [o] { return pneumatics(*o); }};
}

}  // namespace knuckleboom::app
