// knuckleboom linearise: the machine's equations near one instant of a scenario.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/commands/linear_files.hpp"
#include "app/commands/options.hpp"
#include "app/commands/watched_run.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/load_case.hpp"

namespace knuckleboom::app {
namespace {

struct LineariseOptions {
  std::string scenario, machine, fidelity = "reduced";
  double at_s = 0.0;
  std::vector<std::string> assignments, responses;
  std::optional<double> relative_tolerance;
  std::string json, csv, mat, plot;  // files; empty: none
};

using analysis::LinearController;
using analysis::LinearMode;
using analysis::LinearModel;
using analysis::LoopMargins;

constexpr double kTurn = 2.0 * std::numbers::pi;
constexpr double kLeastShare = 0.05;  // of a state that is named
constexpr std::size_t kMostStates = 4;
// A motion that swings so little before it dies is not told among the closed loops' roots.
constexpr double kDamped = 0.3;
constexpr double kResponseLow_Hz = 0.01, kResponseHigh_Hz = 100.0;

std::int64_t instant(const LineariseOptions& options, const sim::Simulation& simulation) {
  const double exact = options.at_s / simulation.tick_s();
  if (!(exact >= 0.0 && exact < 9e15) || std::llround(exact) > simulation.tick_count())
    throw UserError(fmt::format("--at {:g}: the scenario goes from 0 to {:g} s", options.at_s,
                                simulation.scenario().duration_s));
  return std::llround(exact);
}

// --- Responses ----------------------------------------------------------------

struct Reference {
  std::string name, unit;
};

// Those of the controllers at work: inputs of the closed loops.
std::vector<Reference> references(const LinearModel& model) {
  std::vector<Reference> out;
  for (const LinearController& c : model.controllers) {
    const std::string& unit = model.outputs[static_cast<std::size_t>(c.output)].unit;
    out.push_back({fmt::format("{}_ref_{}", c.joint, unit), unit});
  }
  return out;
}

std::vector<std::string> names_of(const std::vector<analysis::LinearQuantity>& list) {
  std::vector<std::string> names;
  for (const analysis::LinearQuantity& q : list) names.push_back(q.name);
  return names;
}

NamedResponse find_response(const std::string& asked, const LinearModel& model,
                            const analysis::Loops& loops) {
  const std::size_t colon = asked.find(':');
  if (colon == std::string::npos)
    throw UserError(fmt::format("--bode {}: write INPUT:OUTPUT, such as {}:{}", printable(asked),
                                model.inputs.empty() ? "stick_valve_V" : model.inputs.front().name,
                                model.outputs.empty() ? "stick_rad" : model.outputs.front().name));
  NamedResponse out;
  out.input = asked.substr(0, colon);
  out.output = asked.substr(colon + 1);
  const int output = model.find_output(out.output);
  if (output < 0)
    throw UserError(fmt::format("--bode {}: there is no output '{}' that anything moves here{}",
                                printable(asked), printable(out.output),
                                alternatives(out.output, names_of(model.outputs))));
  const auto o = static_cast<std::size_t>(output);
  const double high = std::min(kResponseHigh_Hz, 0.499 / loops.dt());
  const std::vector<double> grid = analysis::frequencies_of(model, kResponseLow_Hz, high);
  if (const int input = model.find_input(out.input); input >= 0) {
    for (const double f : grid) out.points.push_back({f, response(model, input, output, f)});
    const std::string& unit = model.inputs[static_cast<std::size_t>(input)].unit;
    out.unit = fmt::format("{}/{}", model.outputs[o].unit, unit);
    return out;
  }
  const std::vector<Reference> known = references(model);
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Reference& r) { return r.name == out.input; });
  if (found == known.end()) {
    std::vector<std::string> names = names_of(model.inputs);
    for (const Reference& r : known) names.push_back(r.name);
    throw UserError(fmt::format("--bode {}: there is no input '{}'{}", printable(asked),
                                printable(out.input), alternatives(out.input, names)));
  }
  out.closed = true;
  out.unit = found->unit == model.outputs[o].unit
                 ? ""
                 : fmt::format("{}/{}", model.outputs[o].unit, found->unit);
  const int controller = static_cast<int>(found - known.begin());
  for (const double f : grid) out.points.push_back({f, loops.follow(controller, output, f)});
  return out;
}

// --- Text ---------------------------------------------------------------------

std::string participants(const LinearModel& model, const LinearMode& mode) {
  std::vector<std::size_t> order(mode.participation.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return mode.participation[a] > mode.participation[b];
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(order.size(), kMostStates); ++i)
    if (mode.participation[order[i]] >= kLeastShare)
      text += fmt::format("{}{} {:.2f}", text.empty() ? "" : ", ", model.states[order[i]].name,
                          mode.participation[order[i]]);
  return text;
}

std::vector<std::string> root_row(std::complex<double> root) {
  const double size = std::abs(root);
  if (root.imag() > analysis::kZeroRoot)
    return {root.real() > analysis::kZeroRoot ? "grows" : "swings",
            fmt::format("{:.4g} Hz", size / kTurn),
            fmt::format("damping ratio {:.4f}", -root.real() / size)};
  return {root.real() > 0.0 ? "grows" : "decays", "",
          fmt::format("time constant {:.3g} s", 1.0 / size)};
}

std::string modes_text(const LinearReport& report) {
  std::vector<std::vector<std::string>> rows;
  int zeros = 0;
  for (const LinearMode& mode : report.modes) {
    if (std::abs(mode.root) < analysis::kZeroRoot) {
      zeros += mode.root.imag() != 0.0 ? 2 : 1;
      continue;
    }
    std::vector<std::string> row = root_row(mode.root);
    row.insert(row.begin(), "");
    row.push_back(participants(report.model, mode));
    rows.push_back(std::move(row));
  }
  std::string text = "modes of the machine, its controllers off, and the states that take part\n";
  text += in_columns(rows, "llrll");
  if (zeros > 0)
    text += fmt::format("  {}: what moves without anything that brings it back or slows it\n",
                        counted(zeros, "zero root", "zero roots"));
  return text;
}

// The root that decides: the one that grows fastest, or null.
const std::complex<double>* growing(const std::vector<std::complex<double>>& roots) {
  const std::complex<double>* worst = nullptr;
  for (const std::complex<double>& root : roots)
    if (analysis::grows(root) && (worst == nullptr || root.real() > worst->real())) worst = &root;
  return worst;
}

std::string margin_text(const LoopMargins& loop, bool settles) {
  std::string text;
  if (loop.gain)
    text += fmt::format("gain margin {:.3g} ({:+.1f} dB) at {:.3g} Hz", loop.gain->value,
                        20.0 * std::log10(loop.gain->value), loop.gain->frequency_Hz);
  else if (!settles)
    text += "no gain margin";
  else
    text += "any gain";
  if (loop.phase) {
    text += fmt::format(", phase margin {:.1f} degrees at {:.3g} Hz", loop.phase->value,
                        loop.phase->frequency_Hz);
    if (loop.delay_s > 0.0) text += fmt::format(" (a dead time of {:.3g} s)", loop.delay_s);
  } else {
    text += ", no frequency of gain one";
  }
  return text + fmt::format(", largest sensitivity {:.3g} at {:.3g} Hz", loop.sensitivity,
                            loop.sensitivity_at_Hz);
}

std::string controllers_text(const LinearReport& report) {
  const LinearModel& model = report.model;
  if (report.loops.empty()) return {};
  std::string text = fmt::format(
      "controllers, sampling every {:g} ms: each opened at its voltage, the others closed\n",
      1e3 * report.controller_dt);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < report.loops.size(); ++i) {
    const LoopMargins& loop = report.loops[i];
    const LinearController& c = model.controllers[i];
    rows.push_back({"", loop.joint,
                    loop.acts   ? margin_text(loop, growing(report.closed_roots) == nullptr)
                    : c.limited ? "no loop: its voltage stands at its limit"
                                : "no loop: its valve is shut, and a small voltage moves nothing"});
  }
  return text + in_columns(rows, "lll");
}

std::string closed_text(const LinearReport& report) {
  const auto acts = [](const LoopMargins& loop) { return loop.acts; };
  if (std::none_of(report.loops.begin(), report.loops.end(), acts)) return {};
  std::vector<std::vector<std::string>> rows;
  for (const std::complex<double> root : report.closed_roots) {
    const bool lasts = root.imag() > analysis::kZeroRoot && -root.real() < kDamped * std::abs(root);
    if (!lasts && !analysis::grows(root)) continue;
    std::vector<std::string> row = root_row(root);
    row.insert(row.begin(), "");
    rows.push_back(std::move(row));
  }
  std::string text =
      fmt::format("loops closed, what swings with a damping ratio below {:g}\n", kDamped);
  text += rows.empty() ? "  nothing\n" : in_columns(rows, "llrl");
  const std::complex<double>* worst = growing(report.closed_roots);
  if (worst == nullptr) return text + "stable with its loops closed\n";
  if (!(worst->imag() > analysis::kZeroRoot))
    return text + fmt::format("unstable: it leaves this motion, {:.3g} times further in a second\n",
                              std::exp(worst->real()));
  const LoopMargins* guilty = nullptr;
  for (const LoopMargins& loop : report.loops)
    if (loop.acts && loop.gain && loop.gain->value < 1.0 &&
        (guilty == nullptr || loop.gain->value > guilty->gain->value))
      guilty = &loop;
  const double f = std::abs(*worst) / kTurn;
  text += fmt::format("unstable: a swing of {:.3g} Hz grows to {:.3g} times its size in each turn",
                      f, std::exp(kTurn * worst->real() / worst->imag()));
  if (guilty != nullptr)
    text += fmt::format(
        ". The controller of '{}' has {:.3g} times the gain below which it settles ({:.3g} Hz)",
        guilty->joint, 1.0 / guilty->gain->value, guilty->gain->frequency_Hz);
  return text +
         ". The overlap and the full opening of the valve bound it: a limit cycle near this "
         "frequency\n";
}

std::string response_text(const NamedResponse& response) {
  const auto top = std::max_element(
      response.points.begin(), response.points.end(),
      [](const auto& a, const auto& b) { return std::abs(a.value) < std::abs(b.value); });
  std::string text =
      fmt::format("{} by {}{}, largest {:.4g}{}{} at {:.4g} Hz\n", response.output, response.input,
                  response.closed ? ", loops closed" : "", std::abs(top->value),
                  response.unit.empty() ? "" : " ", response.unit, top->frequency_Hz);
  std::vector<std::vector<std::string>> rows = {{"", "Hz", "dB", "degrees"}};
  constexpr double kShown[] = {0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0};
  for (const double f : kShown) {
    const auto near = std::min_element(
        response.points.begin(), response.points.end(), [f](const auto& a, const auto& b) {
          return std::fabs(std::log(a.frequency_Hz / f)) < std::fabs(std::log(b.frequency_Hz / f));
        });
    if (std::fabs(std::log(near->frequency_Hz / f)) > 0.1) continue;
    rows.push_back({"", fmt::format("{:.3g}", near->frequency_Hz),
                    fmt::format("{:.2f}", 20.0 * std::log10(std::abs(near->value))),
                    fmt::format("{:.1f}", std::arg(near->value) * 360.0 / kTurn)});
  }
  return text + in_columns(rows, "lrrr");
}

std::string linear_text(const LinearReport& report) {
  const LinearModel& model = report.model;
  std::string text =
      fmt::format("{}: {}, {}, {}\n", report.title,
                  counted(static_cast<long>(model.states.size()), "state", "states"),
                  counted(static_cast<long>(model.inputs.size()), "input", "inputs"),
                  counted(static_cast<long>(model.outputs.size()), "output", "outputs"));
  for (const LinearModel::Valve& valve : model.valves)
    text += fmt::format("  valve of {}: {:+.3f} V, {}\n", valve.joint, valve.spool_V,
                        valve.open ? "open" : "closed");
  for (const std::string& remark : report.remarks) text += "note: " + remark + "\n";
  text += modes_text(report) + controllers_text(report) + closed_text(report);
  for (const NamedResponse& response : report.responses) text += response_text(response);
  if (!report.caution.empty()) text += "warning: " + report.caution + "\n";
  return text;
}

// --- The command --------------------------------------------------------------

void check_files(const LineariseOptions& options, const io::LoadedCase& loaded) {
  check_distinct({{"--json", options.json},
                  {"--csv", options.csv},
                  {"--mat", options.mat},
                  {"--plot", options.plot}},
                 loaded.files());
}

LinearReport report_on(const LineariseOptions& options, const io::LoadedCase& loaded,
                       const sim::Simulation& simulation, const sim::SimState& state,
                       const analysis::Method& method) {
  LinearReport report;
  report.title =
      fmt::format("{}, {} model at {:g} s", loaded.title(), method.name, simulation.time(state));
  report.scenario = loaded.scenario.scenario.name;
  report.machine = loaded.machine.model.name;
  report.fidelity = method.name;
  report.note = loaded.note();
  report.caution = loaded.machine.model.caution;
  report.model = analysis::linearise(simulation, state);
  if (report.model.states.empty())
    throw UserError(fmt::format(
        "{}: nothing of the machine can move at {:g} s, so there is nothing to linearise",
        options.scenario, simulation.time(state)));
  if (!report.model.A.allFinite() || !report.model.B.allFinite())
    throw RunFailure(
        fmt::format("the equations have no finite slopes at {:g} s; try another "
                    "--at nearby",
                    simulation.time(state)));
  report.modes = analysis::modes_of(report.model);
  const analysis::Loops loops(report.model);
  report.controller_dt = loops.dt();
  report.remarks = report.model.remarks;
  for (const std::string& remark : loops.remarks()) report.remarks.push_back(remark);
  for (std::size_t i = 0; i < report.model.controllers.size(); ++i)
    report.loops.push_back(loops.margins(static_cast<int>(i)));
  if (!report.loops.empty()) report.closed_roots = loops.closed_roots();
  for (const std::string& asked : options.responses)
    report.responses.push_back(find_response(asked, report.model, loops));
  return report;
}

int linearise(const LineariseOptions& options) {
  const InterruptGuard guard;
  const analysis::Method method = analysis::find_method(options.fidelity);
  if (!options.plot.empty()) check_picture_path(options.plot);
  if (!options.json.empty()) check_output_path(options.json, "--json");
  if (!options.csv.empty()) check_output_path(options.csv, "--csv");
  if (!options.mat.empty()) check_output_path(options.mat, "--mat");
  const io::LoadedCase loaded =
      io::load_case(options.scenario, options.machine, options.assignments);
  tell_remarks_on_set(loaded.machine.remarks);
  tell_remarks_on_set(loaded.scenario.remarks);
  check_files(options, loaded);
  if (!loaded.machine.model.wheels.empty())
    throw UserError(
        fmt::format("machine '{}' stands on wheels, whose grip has no linear model; take its crane "
                    "alone, or --machine NAME of one that stands still",
                    loaded.machine.model.name));
  const sim::Simulation simulation(loaded.machine.model, loaded.scenario.scenario);
  const std::int64_t tick = instant(options, simulation);
  const std::unique_ptr<analysis::Engine> engine =
      analysis::make_engine(simulation, method, options.relative_tolerance);

  sim::SimState state = simulation.initial_state(method.fidelity);
  while (state.tick < tick) {
    if (interrupted()) {
      complain(fmt::format("stopped at {:g} s; nothing was written", simulation.time(state)));
      return kInterruptedRun;
    }
    engine->step(state);
    if (state.machine.health.non_finite > 0) {
      complain(fmt::format("the {} model has left the real numbers at {:g} s; nothing was written",
                           method.name, simulation.time(state)));
      return kNonFinite;
    }
  }
  const LinearReport report = report_on(options, loaded, simulation, state, method);
  if (!options.json.empty()) io::write_file(options.json, linear_json(report));
  if (!options.csv.empty()) io::write_file(options.csv, linear_csv(report));
  if (!options.mat.empty()) io::write_file(options.mat, linear_mat(report));
  say(linear_text(report));
  if (!options.plot.empty()) draw(linear_figure(report), options.plot);
  return kSuccess;
}

}  // namespace

Command linearise_command() {
  const auto o = std::make_shared<LineariseOptions>();
  return {
      .name = "linearise",
      .sentence = "Show how a machine answers to small changes at one instant: modes and margins",
      .arguments = {scenario_argument(o->scenario),
                    {.name = "--at",
                     .target = &o->at_s,
                     .kind = {"T"},
                     .sentence = "The instant [s]: the equations of the tick that starts there",
                     .required = true},
                    machine_option(o->machine, "Machine in place of the scenario's own"),
                    {.name = "--fidelity",
                     .target = &o->fidelity,
                     .kind = fidelity_value(),
                     .sentence = "Model of the hydraulics",
                     .without = "reduced"},
                    tolerance_option(o->relative_tolerance),
                    set_of_case_option(o->assignments),
                    unset_option(o->assignments),
                    {"--bode",
                     &o->responses,
                     {"INPUT:OUTPUT"},
                     "Frequency response of an output by an input, or with the loops closed by a "
                     "reference"},
                    {"--json", &o->json, file_value("FILE", ".json"), "Write everything as JSON"},
                    {"--csv", &o->csv, file_value("FILE", ".csv"),
                     "Write A, B, C and D as one table with names and units"},
                    {"--mat", &o->mat, file_value("FILE", ".mat"),
                     "Write A, B, C, D, names and units as a MAT-file"},
                    plot_option(o->plot, "Draw roots, open loops and frequency responses")},
      .examples = {"knuckleboom linearise stick_sine --at 12",
                   "knuckleboom linearise stick_sine --at 12 --fidelity full "
                   "--set controller.stick.kp_V_per_rad=80",
                   "knuckleboom linearise stick_sine --at 12 --bode stick_valve_V:stick_rad "
                   "--plot stick.svg",
                   "knuckleboom linearise boom_pulse --at 2 --mat boom.mat --json boom.json"},
      .run = [o] { return linearise(*o); }};
}

}  // namespace knuckleboom::app
