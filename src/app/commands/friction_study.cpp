#include "app/commands/friction_study.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/commands/options.hpp"
#include "app/commands/summary.hpp"
#include "app/commands/watched_run.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/analysis/model_run.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/load_case.hpp"

namespace knuckleboom::app {
namespace {

constexpr std::int64_t kRows = 100'000;

struct Outcome {
  std::string model;
  analysis::ModelRun run;
  double creep = 0.0;  // mean speed over the last half [m/s, rad/s]
  double span = 0.0;   // between the extremes over the last half [m, rad]
  double still = 0.0;  // share of the last half's rows slower than kRestSpeed
  double error = 0.0;  // rms against the reference over the last half [m, rad]
};

// The friction table whose model is exchanged, as a path for --set.
std::string table_path(const FrictionOptions& options, const io::LoadedCase& loaded) {
  if (!options.at.empty()) return options.at;
  const machine::MachineModel& model = loaded.machine.model;
  if (loaded.scenario.bench && loaded.scenario.bench->friction.kind != friction::Kind::kNone)
    return "scenario.bench.friction";
  if (model.actuators.size() == 1)
    return "machine.actuator." + model.actuators[0].name + ".friction";
  if (model.actuators.empty())
    throw UserError(
        fmt::format("machine '{}' has no actuator; give the path of the friction table that is to "
                    "be exchanged with --at, such as --at body.{}.friction",
                    model.name, model.tree.body(0).name));
  std::vector<std::string> paths;
  for (const machine::Actuator& actuator : model.actuators)
    paths.push_back("actuator." + actuator.name + ".friction");
  throw UserError(
      fmt::format("which friction is to be exchanged? give the path of its table: --at {}",
                  fmt::join(paths, " or --at ")));
}

std::string with_model(const std::string& path, std::string_view model) {
  return fmt::format("{}.model={}", path, model);
}

// Only the table's model is exchanged, so it has to hold what each of them needs: all that it lacks in
// one sentence, and nothing of assignments that nobody wrote.
void check_table(const FrictionOptions& options, const std::string& path,
                 const io::LoadedCase& loaded) {
  constexpr std::string_view kLacks = " lacks '";
  constexpr std::string_view kAddAs = "add it as ";
  std::vector<std::string> keys;
  for (const std::string_view model : kFrictionModels) {
    std::vector<std::string> assignments = options.assignments;
    assignments.push_back(with_model(path, model));
    try {
      io::load_case(options.scenario, options.machine, assignments);
    } catch (const io::FileError& error) {
      for (const io::Diagnostic& fault : error.diagnostics()) {
        const std::string& text = fault.message;
        const std::size_t lacks = text.find(kLacks);
        if (fault.file.find(path) == std::string::npos) throw;
        if (lacks == std::string::npos) throw UserError(fmt::format("--at {}: {}", path, text));
        std::size_t from = lacks + kLacks.size();
        std::size_t to = text.find('\'', from);
        if (const std::size_t add = text.find(kAddAs, to); add != std::string::npos) {
          from = add + kAddAs.size();
          to = text.find_first_of(" ,", from);
        }
        std::string key = text.substr(from, to - from);
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(std::move(key));
      }
    }
  }
  if (keys.empty()) return;
  const bool bench = loaded.machine_path.empty() || path.starts_with("scenario.");
  throw UserError(fmt::format(
      "{}: the friction table {} lacks {}; every model is tried on that one table, so add {}",
      (bench ? loaded.scenario_path : loaded.machine_path).string(), path, listing(keys),
      keys.size() == 1 ? "it" : "them"));
}

// The joint that the friction acts on: the actuator's that the path names, else the first.
int watched_joint(const std::string& path, const machine::MachineModel& model) {
  for (const machine::Actuator& actuator : model.actuators)
    if (path.find("." + actuator.name + ".") != std::string::npos) return actuator.link;
  for (int i = 0; i < model.joint_count(); ++i)
    if (path.find("." + model.joint_name(i) + ".") != std::string::npos) return i;
  return 0;
}

std::string joint_unit(const machine::MachineModel& model, int joint) {
  return model.tree.link(joint).revolute ? "rad" : "m";
}

void measure(const machine::MachineModel& model, int joint, Outcome& out) {
  const std::string unit = joint_unit(model, joint);
  const std::string& name = model.joint_name(joint);
  const std::vector<double>& t = out.run.recording.time();
  const std::vector<double>& q = out.run.recording.column(name + "_" + unit);
  const std::vector<double>& v = out.run.recording.column(name + "_" + unit + "_s");
  const std::vector<double>& r = out.run.recording.column(name + "_ref_" + unit);
  const std::size_t from = t.size() / 2;
  if (t.size() - from < 2) return;
  double low = q[from], high = q[from], squares = 0.0;
  std::size_t still = 0;
  for (std::size_t i = from; i < t.size(); ++i) {
    low = std::min(low, q[i]);
    high = std::max(high, q[i]);
    still += std::fabs(v[i]) < kRestSpeed ? 1 : 0;
    squares += (q[i] - r[i]) * (q[i] - r[i]);
  }
  const auto count = static_cast<double>(t.size() - from);
  out.creep = (q.back() - q[from]) / (t.back() - t[from]);
  out.span = high - low;
  out.still = static_cast<double>(still) / count;
  out.error = std::sqrt(squares / count);
}

std::string to_text(const io::LoadedCase& loaded, const std::string& path, int joint, bool tracked,
                    const std::vector<Outcome>& outcomes, const std::string& fidelity) {
  const machine::MachineModel& model = loaded.machine.model;
  const bool turns = model.tree.link(joint).revolute;
  const std::string unit = turns ? "mrad" : "mm";
  std::string text = fmt::format(
      "{}, {} model, friction {} exchanged; last half of {:g} s, joint '{}'\n\n", loaded.title(),
      fidelity, path, loaded.scenario.scenario.duration_s, model.joint_name(joint));
  text += fmt::format("  {:<28}{:>9}{:>16}{:>18}", "model", "at rest", "moved " + unit,
                      tracked ? "rms error " + unit : "creep " + unit + "/s");
  text += "\n";
  for (const Outcome& o : outcomes) {
    const std::string last = tracked         ? fmt::format("{:.4g}", 1e3 * o.error)
                             : o.span == 0.0 ? "holds"
                                             : fmt::format("{:.4g}", 1e3 * o.creep);
    text += fmt::format("  {:<28}{:>7.1f} %{:>16}{:>18}", o.model, 100.0 * o.still,
                        fmt::format("{:.4g}", 1e3 * o.span), last);
    text += "\n";
  }
  text += fmt::format(
      "\n  at rest: share of the rows slower than {:g} {}/s; moved: highest less lowest "
      "position{}\n",
      1e3 * kRestSpeed, unit,
      tracked ? "; rms error: against the reference"
              : ";\n  creep: mean speed, 'holds' if the position stays the same to the last bit");
  return text;
}

// A panel for each model: the position, or how far it is from the reference towards the end of the run.
Figure figure(const io::LoadedCase& loaded, int joint, bool tracked,
              const std::vector<Outcome>& outcomes) {
  constexpr double kShown = 0.2;  // of a tracked run, so that single steps can be seen
  const machine::MachineModel& model = loaded.machine.model;
  const std::string unit = joint_unit(model, joint);
  const std::string& name = model.joint_name(joint);
  const std::string label =
      fmt::format("{}{} [{}]", name, tracked ? " - reference" : "", unit == "m" ? "mm" : "mrad");
  Figure out{fmt::format("{}: friction models", loaded.title()), loaded.note(), {}, 2};
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    const analysis::Recording& run = outcomes[k].run.recording;
    const std::vector<double>& t = run.time();
    const std::vector<double>& q = run.column(name + "_" + unit);
    const std::vector<double>& r = run.column(name + "_ref_" + unit);
    Curve curve{"", {}, {}, static_cast<int>(k), LineStyle::kSolid};
    for (std::size_t i = 0; i < t.size(); ++i) {
      if (tracked && t[i] < (1.0 - kShown) * t.back()) continue;
      curve.x.push_back(t[i]);
      curve.y.push_back(1e3 * (tracked ? q[i] - r[i] : q[i]));
    }
    out.panels.push_back({outcomes[k].model, "time [s]", label, {std::move(curve)}, false, 1e-3});
  }
  return out;
}

}  // namespace

int friction_study(const FrictionOptions& options) {
  const InterruptGuard guard;
  const analysis::Method& method = analysis::find_method(options.fidelity);
  if (!options.plot.empty()) check_picture_path(options.plot);
  const io::LoadedCase first =
      io::load_case(options.scenario, options.machine, options.assignments);
  const std::string path = table_path(options, first);
  const int joint = watched_joint(path, first.machine.model);
  check_distinct({{"--plot", options.plot}}, first.files());
  check_table(options, path, first);

  std::vector<Outcome> outcomes;
  bool sound = true;
  for (const std::string_view model : kFrictionModels) {
    std::vector<std::string> assignments = options.assignments;
    assignments.push_back(with_model(path, model));
    const io::LoadedCase loaded = io::load_case(options.scenario, options.machine, assignments);
    const sim::Simulation simulation(loaded.machine.model, loaded.scenario.scenario);
    Outcome outcome{std::string(model), run_watched(simulation, method, std::nullopt, kRows)};
    if (outcome.run.result.interrupted) return kInterruptedRun;
    sound = sound && usable(simulation, outcome.run.result);
    measure(loaded.machine.model, joint, outcome);
    outcomes.push_back(std::move(outcome));
  }
  const std::vector<command::JointProgram>& programs = first.scenario.scenario.programs;
  const bool tracked = std::any_of(programs.begin(), programs.end(), [&](const auto& program) {
    return program.joint == first.machine.model.joint_name(joint) &&
           program.mode == command::JointMode::kTrack;
  });
  say(to_text(first, path, joint, tracked, outcomes, method.name));
  if (!options.plot.empty()) draw(figure(first, joint, tracked, outcomes), options.plot);
  return sound ? kSuccess : kNonFinite;
}

Command friction_command() {
  const auto o = std::make_shared<FrictionOptions>();
  return {.name = "friction",
          .sentence = "Run a scenario with every friction model and report which of them hold",
          .arguments = {scenario_argument(o->scenario),
                        machine_option(o->machine, "Machine in place of the scenario's own"),
                        {.name = "--fidelity",
                         .target = &o->fidelity,
                         .kind = real_time_fidelity_value(),
                         .sentence = "Model of the hydraulics",
                         .without = "reduced"},
                        {.name = "--at",
                         .target = &o->at,
                         .kind = {"KEY"},
                         .sentence = "Path of the friction table, as for --set",
                         .without = "the bench's, or that of the only actuator"},
                        set_of_case_option(o->assignments),
                        unset_option(o->assignments),
                        plot_option(o->plot, "Plot positions and speeds")},
          .examples = {"knuckleboom friction friction_hold",
                       "knuckleboom friction friction_sine --fidelity full --plot sine.png"},
          .run = [o] { return friction_study(*o); }};
}

}  // namespace knuckleboom::app
