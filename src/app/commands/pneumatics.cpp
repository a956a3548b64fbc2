// knuckleboom pneumatics: a machine on air, by its air.toml.
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
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/core/friction/parameters.hpp"
#include "knuckleboom/io/air_file.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/trace.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::app {
namespace {

struct PneumaticsOptions {
  std::string machine;
  std::vector<std::string> cases;        // empty: all
  std::vector<std::string> friction;     // models, or "all"; empty: as in the file
  std::vector<double> exchange_ms;       // late by so much; empty: one program
  std::vector<std::string> assignments;  // of air.toml
  std::string plot, delay_plot, trace;   // empty: none
};

using machine::AirDrive;
using machine::AirDriveState;
using machine::AirMode;
using machine::AirRig;
using machine::AirRigState;

constexpr double kBar = 1e5;
constexpr double kLost = 0.5;     // of the stroke beyond an end: that run is lost
constexpr double kBurst = 100e5;  // Pa; and so is one with such a pressure

struct AirRun {
  const AirRig* rig;
  std::string friction, exchange;
  double late_ms = -1.0;  // negative: one program
  std::size_t watched;    // drive
  std::vector<double> t, q, v, reference, P[2];
  double lost_at = -1.0;    // s; negative: it is not
  double at_rest = 0.0;     // share of the last half without any motion
  double error = 0.0;       // rms against the reference over the last half [m, rad]
  double foot_error = 0.0;  // the same, of the foot [m]
  double gain = 0.0;        // energy that the exchange made [J]
  double travel = 0.0;      // peak to peak over the last half [m, rad]
  double flips = 0.0;       // changes of the speed's sign per second in the last half
  double off = 0.0;         // rms from the run in one program, over that run's travel
};

bool lost(const AirRig& rig, const AirRigState& state) {
  if (state.non_finite > 0) return true;
  for (std::size_t k = 0; k < rig.drives.size(); ++k) {
    const AirDriveState& s = state.drive[k];
    const double stroke = rig.drives[k].cylinder.stroke;
    if (!(s.x > -kLost * stroke && s.x < (1.0 + kLost) * stroke)) return true;
    if (!(s.P[0] < kBurst && s.P[1] < kBurst)) return true;
  }
  return false;
}

// The drive of the case's signal, else the last one.
std::size_t watched_drive(const AirRig& rig) {
  for (std::size_t k = 0; k < rig.drives.size(); ++k)
    if (rig.drives[k].mode == AirMode::kVoltage || rig.drives[k].signal.terms.size() > 1) return k;
  return rig.drives.size() - 1;
}

void measure(AirRun& run) {
  const std::size_t from = run.t.size() / 2;
  if (run.t.size() - from < 2) return;
  double squares = 0.0, low = run.q[from], high = low, last = 0.0;
  std::size_t still = 0, flips = 0;
  for (std::size_t i = from; i < run.t.size(); ++i) {
    still += run.v[i] == 0.0 ? 1 : 0;
    const double off = run.q[i] - run.reference[i];
    squares += off * off;
    low = std::min(low, run.q[i]);
    high = std::max(high, run.q[i]);
    if (run.v[i] * last < 0.0) ++flips;
    if (run.v[i] != 0.0) last = run.v[i];
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

std::optional<AirRun> run_case(const AirRig& rig) {
  const pneumatics::FlowLaw law(rig.air.gas);
  AirRun run;
  run.rig = &rig;
  run.watched = watched_drive(rig);
  const auto ticks = static_cast<std::int64_t>(std::llround(rig.duration_s / rig.h));
  AirRigState state = machine::start(rig);
  double foot = 0.0;
  std::int64_t foot_rows = 0;
  while (state.tick < ticks && run.lost_at < 0.0) {
    if (interrupted()) return std::nullopt;
    const double t = static_cast<double>(state.tick) * rig.h;
    machine::step(rig, law, state);
    const AirDriveState& s = state.drive[run.watched];
    const int link = rig.drives[run.watched].link;
    run.t.push_back(t + rig.h);
    run.q.push_back(state.q[link]);
    run.v.push_back(state.v[link]);
    run.reference.push_back(s.reference);
    for (int k = 0; k < 2; ++k) run.P[k].push_back(s.P[k]);
    if (rig.foot.used && t >= 0.5 * rig.duration_s) {
      foot += (machine::foot_position(rig, state.q) - machine::foot_target(rig, t + rig.h))
                  .squaredNorm();
      ++foot_rows;
    }
    if (lost(rig, state)) run.lost_at = t + rig.h;
  }
  for (std::size_t k = 0; k < rig.drives.size(); ++k) run.gain += state.drive[k].exchange_gain;
  if (foot_rows > 0) run.foot_error = std::sqrt(foot / static_cast<double>(foot_rows));
  measure(run);
  return run;
}

bool turns(const AirRun& run) {
  return run.rig->tree.link(run.rig->drives[run.watched].link).revolute;
}

std::string header() {
  return fmt::format("  {:<10}{:<28}{:<10}{:>11}{:>12}{:>10}{:>9}{:>9}{:>13}\n", "case", "friction",
                     "exchange", "travel", "rms error", "at rest", "turns/s", "off", "energy made");
}

std::string row(const AirRun& run, std::string_view friction) {
  std::string text = fmt::format("  {:<10}{:<28}{:<10}", run.rig->name, friction, run.exchange);
  if (run.lost_at >= 0.0) return text + fmt::format("unstable, lost after {:.3g} s\n", run.lost_at);
  const bool tracked = run.rig->drives[run.watched].mode != AirMode::kVoltage;
  const char* unit = turns(run) ? "mrad" : "mm";
  const std::string error = run.rig->foot.used ? fmt::format("{:.3g} mm", 1e3 * run.foot_error)
                            : tracked          ? fmt::format("{:.3g} {}", 1e3 * run.error, unit)
                                               : std::string("-");
  const bool one_program = run.late_ms < 0.0;
  return text + fmt::format("{:>11}{:>12}{:>8.1f} %{:>9.1f}{:>9}{:>13}\n",
                            fmt::format("{:.1f} {}", 1e3 * run.travel, unit), error,
                            100.0 * run.at_rest, run.flips,
                            one_program ? "-" : fmt::format("{:.2f} %", 100.0 * run.off),
                            one_program ? "none" : with_prefix(run.gain, "J"));
}

Figure figure(const std::string& title, const std::vector<AirRun>& runs) {
  Figure out{title, "cases of the air file, on the machine beside it", {}, 2};
  for (const AirRun& run : runs) {
    const std::string name = fmt::format("{}, {}{}", run.rig->name, run.friction,
                                         run.late_ms < 0.0 ? "" : ", late " + run.exchange);
    const bool angle = turns(run);
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
    if (run.rig->drives[run.watched].mode != AirMode::kVoltage) {
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
  Figure out{title, "cases of the air file, on the machine beside it", {}, 2};
  std::string friction;
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
    while (k < off.size() && off[k].title != run.rig->name) ++k;
    if (k == off.size()) {
      const Curve curve{
          run.rig->name, {}, {}, static_cast<int>(k) % kPaletteSize, LineStyle::kSolid};
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

void write_trace(const std::string& path, const std::string& machine, const AirRun& run) {
  io::TraceHeader header;
  header.program = io::this_program();
  header.machine = machine;
  header.scenario = run.rig->name;
  header.fidelity = "pneumatic";
  header.tick_s = run.rig->h;
  const std::string& joint = run.rig->drives[run.watched].name;
  const std::string unit = turns(run) ? "rad" : "m";
  header.columns = {"t_s",
                    joint + "_" + unit,
                    joint + "_" + unit + "_s",
                    joint + "_ref_" + unit,
                    joint + "_cap_Pa",
                    joint + "_rod_Pa"};
  io::TraceWriter writer(path, header);
  for (std::size_t i = 0; i < run.t.size(); ++i) {
    const double values[] = {run.t[i],         run.q[i],    run.v[i],
                             run.reference[i], run.P[0][i], run.P[1][i]};
    writer.write(values);
  }
  writer.close();
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
    if (!(ticks >= 0.0 && ticks <= machine::kMaxExchangeTicks) ||
        std::fabs(ticks - std::round(ticks)) > 1e-6)
      throw UserError(
          fmt::format("--exchange-ms {:g}: give a whole number of ticks of {:g} ms, 0 to {}", ms,
                      1e3 * tick_s, machine::kMaxExchangeTicks));
    out.push_back(static_cast<int>(std::lround(ticks)));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool sticks(const AirRig& rig) {
  return std::any_of(rig.drives.begin(), rig.drives.end(),
                     [](const AirDrive& drive) { return friction::sticks(drive.friction.kind); });
}

bool wanted(const std::vector<std::string>& cases, const std::string& name) {
  return cases.empty() || std::find(cases.begin(), cases.end(), name) != cases.end();
}

int pneumatics(const PneumaticsOptions& options) {
  const InterruptGuard guard;
  if (!options.plot.empty()) check_picture_path(options.plot);
  if (!options.delay_plot.empty()) check_picture_path(options.delay_plot);
  if (!options.trace.empty()) check_output_path(options.trace, "--trace");
  const std::filesystem::path machine_path = find_machine(options.machine);
  const std::filesystem::path air_path = machine_path.parent_path() / "air.toml";
  const machine::MachineModel model = io::read_machine(machine_path).model;
  if (!std::filesystem::exists(air_path))
    throw UserError(fmt::format("machine '{}' has no pneumatics: there is no {}", model.name,
                                air_path.string()));
  check_distinct(
      {{"--plot", options.plot}, {"--delay-plot", options.delay_plot}, {"--trace", options.trace}},
      {machine_path.string(), air_path.string()});
  std::vector<io::Override> overrides;
  for (const std::string& one : options.assignments) overrides.push_back(io::parse_override(one));

  std::vector<io::AirFile> files;  // own the rigs that the runs point to
  std::vector<AirRun> runs;
  const io::AirFile plain = io::read_air(air_path, model, {}, overrides);
  std::vector<std::string> names;
  for (const AirRig& rig : plain.cases) names.push_back(rig.name);
  for (const std::string& one : options.cases)
    if (!wanted(names, one) || names.empty())
      throw UserError(
          fmt::format("{} has no case '{}'{}", air_path.string(), one, alternatives(one, names)));
  std::vector<int> late = exchanges(options.exchange_ms, plain.cases.front().h);
  if (!options.delay_plot.empty() && late.size() < 2)
    throw UserError("--delay-plot draws over the delay; give --exchange-ms at least twice");
  late.insert(late.begin(), -1);
  const std::vector<std::string> frictions = friction_models(options.friction);
  files.reserve(late.size() * frictions.size());
  say(fmt::format("{}: {}\n\n{}", model.name, model.description, header()));
  bool sound = true;
  for (const std::string& friction : frictions) {
    const std::string called = friction.empty() ? "friction of the file" : friction;
    const std::size_t first = runs.size();  // of those in one program
    bool sticking = false;
    for (const int ticks : late) {
      const double late_ms = ticks < 0 ? -1.0 : ticks * plain.cases.front().h * 1e3;
      const std::string exchange = ticks < 0 ? "none" : fmt::format("{:g} ms", late_ms);
      if (ticks >= 0 && sticking) {
        say(fmt::format("  {:<10}{:<28}{:<10}  sticking needs force and motion at one time\n", "",
                        called, exchange));
        continue;
      }
      files.push_back(io::read_air(air_path, model, {friction, ticks}, overrides));
      sticking = sticks(files.back().cases.front());
      std::size_t same_case = first;
      for (const AirRig& rig : files.back().cases) {
        if (!wanted(options.cases, rig.name)) continue;
        std::optional<AirRun> run = run_case(rig);
        if (!run) return kInterruptedRun;
        run->friction = called;
        run->exchange = exchange;
        run->late_ms = late_ms;
        if (ticks >= 0) compare(runs[same_case++], *run);
        sound = sound && (run->lost_at < 0.0 || ticks >= 0);
        say(row(*run, run->friction));
        runs.push_back(std::move(*run));
      }
    }
  }
  if (!options.trace.empty()) write_trace(options.trace, model.name, runs.front());
  if (!options.plot.empty()) draw(figure(fmt::format("{} on air", model.name), runs), options.plot);
  if (!options.delay_plot.empty()) {
    const Figure delays =
        delay_figure(fmt::format("{}: what late exchange costs", model.name), runs);
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
          "Run a machine on air, in one program or as two that exchange force and motion late",
      .arguments =
          {{.name = "machine",
            .target = &o->machine,
            .kind = machine_value("MACHINE"),
            .sentence = "Machine with an air.toml beside its machine.toml",
            .required = true},
           {"--case", &o->cases, {"NAME"}, "Only this case of air.toml"},
           {"--friction", &o->friction, friction,
            "Friction model of all drives in place of the file's; 'all' runs each"},
           {"--exchange-ms",
            &o->exchange_ms,
            {"MS"},
            "Also as two programs that exchange force and motion with this delay"},
           set_option(o->assignments, "air.toml, such as air.supply_bar=4"),
           unset_option(o->assignments),
           plot_option(o->plot, "Plot positions and pressures of all runs"),
           {"--delay-plot", &o->delay_plot, file_value(),
            "Plot the error and the energy added over the delay; the name ends in .svg or .png"},
           {"--trace", &o->trace, file_value("FILE", ".csv"), "Write the first run as CSV"}},
      .examples = {"knuckleboom pneumatics air_bench --friction all --case sine --plot sine.png",
                   "knuckleboom pneumatics rescue_leg --exchange-ms 4"},
      .run = [o] { return pneumatics(*o); }};
}

}  // namespace knuckleboom::app
