// knuckleboom compare: one scenario by several models, or against a recorded trace.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "app/commands/figures.hpp"
#include "app/commands/options.hpp"
#include "app/commands/summary.hpp"
#include "app/commands/watched_run.hpp"
#include "app/session/watch_texts.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/json.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/table_notes.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/analysis/execute.hpp"
#include "knuckleboom/analysis/fidelity.hpp"
#include "knuckleboom/analysis/model_run.hpp"
#include "knuckleboom/analysis/oscillation.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/log_file.hpp"
#include "knuckleboom/io/trace.hpp"
#include "knuckleboom/recording/table_file.hpp"

namespace knuckleboom::app {
namespace {

struct CompareOptions {
  std::string scenario, machine;
  std::vector<std::string> fidelities;  // empty: full and reduced; with against: reduced
  std::vector<std::string> assignments;
  std::optional<double> relative_tolerance;
  std::string plot, trace_folder, summary;  // empty: none
  std::string dbc;                          // of a trace that is a log of a CAN bus
  std::string against;                      // a trace; empty: compare the models with each other
  std::vector<std::string> column_map;      // "ours=theirs" where the trace has other names
  std::optional<double> tolerance_rad, tolerance_Pa;
  bool partial = false;  // the trace may cover a part of the run only
};

namespace fs = std::filesystem;

// One row of the table of differences.
struct Difference {
  std::string group, name, unit;
  io::ColumnDifference found;
};

// Everything that is compared, in the order of the table, with the groups it belongs to.
std::vector<Difference> wanted_channels(const machine::MachineModel& model) {
  std::vector<Difference> out;
  const auto add = [&out](const char* group, const std::string& name, const std::string& unit,
                          const std::string& column) {
    out.push_back({group, name, unit, {}});
    out.back().found.column = column;
  };
  for (int i = 0; i < model.joint_count(); ++i) {
    if (model.ball_of(i) != nullptr) continue;
    const std::string unit = model.tree.link(i).revolute ? "rad" : "m";
    add("joint position", model.joint_name(i), unit, model.joint_name(i) + "_" + unit);
  }
  for (const multibody::Ball& ball : model.balls)
    for (const char* part : {"qw", "qx", "qy", "qz"})
      add("orientation", fmt::format("{} {}", ball.name, part), "",
          fmt::format("{}_{}", ball.name, part));
  for (const char* axis : {"x", "y", "z"}) add("tip", axis, "m", fmt::format("tip_{}_m", axis));
  for (const machine::Actuator& actuator : model.actuators) {
    const std::string& joint = model.joint_name(actuator.link);
    add("valve command", joint, "V", joint + "_valve_V");
  }
  for (const machine::Actuator& actuator : model.actuators)
    for (const char* port : {"a", "b"}) {
      const std::string& joint = model.joint_name(actuator.link);
      add("port pressure", fmt::format("{} {}", joint, port), "Pa",
          fmt::format("{}_port_{}_Pa", joint, port));
    }
  return out;
}

// Fills in what the two have in common; the rest drops out.
std::vector<Difference> differences(std::vector<Difference> wanted, const io::Trace& a,
                                    const io::Trace& b,
                                    const std::vector<io::ColumnPair>& renamed = {}) {
  std::vector<io::ColumnPair> pairs;
  std::vector<Difference> present;
  for (Difference& one : wanted) {
    io::ColumnPair pair{one.found.column, one.found.column};
    for (const io::ColumnPair& other : renamed)
      if (other.a == pair.a) pair.b = other.b;
    if (a.find(pair.a) < 0 || b.find(pair.b) < 0) continue;
    pairs.push_back(pair);
    present.push_back(std::move(one));
  }
  if (pairs.empty())
    throw UserError(
        fmt::format("{}: the trace has none of the columns of this run ({}, ...); name "
                    "its columns with --map OURS=THEIRS",
                    b.file, a.columns.size() > 1 ? a.columns[1] : "t_s"));
  const std::vector<io::ColumnDifference> found = io::compare_columns(a, b, pairs);
  for (std::size_t i = 0; i < present.size(); ++i) present[i].found = found[i];
  return present;
}

std::string table(const std::string& title, const std::vector<Difference>& rows) {
  std::string text =
      fmt::format("\n{}\n  {:<16}{:<12}{:>14}{:>14}   {}\n", title, "", "", "rms", "maximum", "at");
  std::string group;
  for (const Difference& row : rows) {
    text += fmt::format("  {:<16}{:<12}{:>14}{:>14}   {:.2f} s\n",
                        row.group == group ? std::string() : row.group, row.name,
                        with_prefix(row.found.rms, row.unit), with_prefix(row.found.max, row.unit),
                        row.found.time_of_max_s);
    group = row.group;
  }
  return text;
}

analysis::ModelStability stability_of(const analysis::ModelRun& run,
                                      const sim::Simulation& simulation) {
  return {run.method.name, run.result.non_finite, simulation.time(run.result.state),
          &run.recording};
}

// --- Several models -----------------------------------------------------------

void add_differences(JsonWriter& json, const std::vector<Difference>& rows) {
  json.begin_array();
  for (const Difference& row : rows)
    json.begin_object()
        .member("column", row.found.column)
        .member("unit", row.unit)
        .member("rms", row.found.rms)
        .member("max", row.found.max)
        .member("time_of_max_s", row.found.time_of_max_s)
        .end_object();
  json.end_array();
}

void add_run(JsonWriter& json, const machine::MachineModel& model, const analysis::ModelRun& run,
             double simulated_s) {
  const machine::Health& health = run.result.state.machine.health;
  json.begin_object()
      .member("fidelity", run.method.name)
      .member("wall_s", run.result.wall_s)
      .member("real_time_factor", run.result.wall_s > 0.0 ? simulated_s / run.result.wall_s : 0.0)
      .member("valve_switches", health.valve_switches)
      .member("relief_events", health.relief_events)
      .member("cavitation_events", health.cavitation_events)
      .member("non_finite", run.result.non_finite)
      .member("warnings", watch_findings(model, run.result.state.machine.watch))
      .end_object();
}

// The numbers behind the sentences on stability.
void add_oscillation(JsonWriter& json, const machine::MachineModel& model,
                     const analysis::Recording& a, const analysis::Recording& b) {
  json.begin_array();
  for (const analysis::JointOscillation& joint : analysis::compare_oscillation(model, a, b))
    json.begin_object()
        .member("joint", joint.joint)
        .member("window_start_s", joint.window_start_s)
        .member("valve_difference_V_rms", joint.valve_V)
        .member("frequency_Hz", joint.frequency_Hz)
        .member("fast_rate_rms_a", joint.rate_a)
        .member("fast_rate_rms_b", joint.rate_b)
        .member("switches_a", joint.switches_a)
        .member("switches_b", joint.switches_b)
        .member("a_unstable", analysis::a_is_unstable(joint))
        .member("b_unstable", analysis::b_is_unstable(joint))
        .end_object();
  json.end_array();
}

std::vector<analysis::Method> chosen_methods(const CompareOptions& options,
                                             const std::optional<io::Trace>& against) {
  std::vector<std::string> names = options.fidelities;
  if (names.empty() && against) {
    // A trace of ours says by what model it was made.
    constexpr std::string_view kKey = "fidelity:";
    for (const std::string& line : against->header_lines) {
      const std::size_t at = line.find(kKey);
      if (at == std::string::npos) continue;
      const std::size_t begin = line.find_first_not_of(' ', at + kKey.size());
      if (begin != std::string::npos) names = {line.substr(begin)};
    }
    if (names.empty()) names = {"reduced"};
  }
  if (names.empty()) names = {"full", "reduced", "paper"};
  std::vector<analysis::Method> out;
  for (const std::string& name : names) {
    const analysis::Method& method = analysis::find_method(name);
    if (std::any_of(out.begin(), out.end(),
                    [&](const analysis::Method& m) { return m.name == method.name; }))
      throw UserError(fmt::format("--fidelity {} is given twice", name));
    out.push_back(method);
  }
  if (!against && out.size() < 2)
    throw UserError(fmt::format("comparing needs two models; add a second --fidelity to '{}'",
                                out.front().name));
  return out;
}

fs::path trace_path(const fs::path& folder, const io::LoadedCase& loaded,
                    const analysis::Method& method) {
  return folder / fmt::format("{}_{}_{}.csv", loaded.scenario.scenario.name,
                              loaded.machine.model.name, method.name);
}

void write_traces(const fs::path& folder, const io::LoadedCase& loaded,
                  const sim::Simulation& simulation, const std::vector<analysis::ModelRun>& runs) {
  for (const analysis::ModelRun& run : runs) {
    io::TraceWriter writer(trace_path(folder, loaded, run.method),
                           trace_header(loaded, simulation, run.method));
    // About 100 rows a second, as run --trace.
    const double per_row = static_cast<double>(run.sample_ticks) * simulation.tick_s();
    const auto step = static_cast<std::size_t>(std::max(1.0, std::round(0.01 / per_row)));
    // A trace's channels come first in a recording.
    std::vector<double> row(sim::channels(simulation.model()).size());
    for (std::size_t r = 0; r < run.recording.rows(); r += step) {
      for (std::size_t c = 0; c < row.size(); ++c) row[c] = run.recording.column(c)[r];
      writer.write(row);
    }
    writer.close();
  }
}

std::vector<io::ColumnPair> renamed_columns(const std::vector<std::string>& assignments,
                                            const machine::MachineModel& model,
                                            const io::Trace& recorded) {
  std::vector<std::string> ours;
  for (const Difference& one : wanted_channels(model)) ours.push_back(one.found.column);
  std::vector<io::ColumnPair> out;
  for (const std::string& assignment : assignments) {
    const std::size_t at = assignment.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == assignment.size())
      throw UserError(fmt::format("--map {}: write OURS=THEIRS, such as stick_rad=q3", assignment));
    const io::ColumnPair pair{assignment.substr(0, at), assignment.substr(at + 1)};
    const auto has = [](const std::vector<std::string>& names, const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    };
    if (!has(ours, pair.a))
      throw UserError(fmt::format("--map {}: the run has no column '{}'{}", assignment, pair.a,
                                  alternatives(pair.a, ours)));
    if (!has(recorded.columns, pair.b))
      throw UserError(fmt::format("--map {}: {} has no column '{}'{}", assignment, recorded.file,
                                  pair.b, alternatives(pair.b, recorded.columns)));
    for (const io::ColumnPair& other : out)
      if (other.a == pair.a || other.b == pair.b)
        throw UserError(fmt::format("--map {}: column '{}' is mapped twice", assignment,
                                    other.a == pair.a ? pair.a : pair.b));
    out.push_back(pair);
  }
  return out;
}

// Says which part of the run the trace covers. False if that is less than the whole run.
bool covers_run(const io::Trace& run, const io::Trace& recorded,
                const std::vector<Difference>& rows, const CompareOptions& options,
                std::string& text) {
  const auto times = [](const io::Trace& trace) -> const std::vector<double>& {
    return trace.data[static_cast<std::size_t>(trace.time_column())];
  };
  const std::vector<double>& own = times(run);
  const std::vector<double>& other = times(recorded);
  const double from = std::max(own.front(), other.front());
  const double to = std::min(own.back(), other.back());
  const std::size_t samples = rows.front().found.samples;
  text += fmt::format("compared from {:g} to {:g} s, {}\n", from, to,
                      counted(static_cast<long long>(samples), "row", "rows"));
  // The ends may fall between two rows.
  const double slack = other.size() < 2 ? 0.0
                                        : 1.001 * (other.back() - other.front()) /
                                              static_cast<double>(other.size() - 1);
  const bool whole = from - own.front() <= slack && own.back() - to <= slack;
  if (samples >= 2 && (whole || options.partial)) return true;
  text +=
      samples < 2
          ? fmt::format("{} and the run have too few rows in common to compare\n", options.against)
          : fmt::format(
                "{} covers only {:.3g} s of the {:g} s that ran; the rest was not compared "
                "(--partial allows this)\n",
                options.against, to - from, own.back() - own.front());
  return false;
}

// True if all joint positions and port pressures stay within the tolerances that were given.
bool within_tolerance(const std::vector<Difference>& rows, const CompareOptions& options,
                      bool covered, std::string& text) {
  bool good = true;
  const auto test = [&](const std::optional<double>& tolerance, const char* group, const char* unit,
                        const char* option) {
    if (!tolerance) return;
    bool any = false;
    for (const Difference& row : rows) {
      if (row.group != group || row.unit != unit) continue;
      any = true;
      if (row.found.max <= *tolerance) continue;
      good = false;
      text += fmt::format("{} differs by {} at {:.2f} s; the tolerance is {}\n", row.found.column,
                          with_prefix(row.found.max, unit), row.found.time_of_max_s,
                          with_prefix(*tolerance, unit));
    }
    if (!any)
      throw UserError(
          fmt::format("{}: the trace has no column that {} applies to", options.against, option));
  };
  test(options.tolerance_rad, "joint position", "rad", "--tolerance-rad");
  test(options.tolerance_Pa, "port pressure", "Pa", "--tolerance-Pa");
  if (good && (options.tolerance_rad || options.tolerance_Pa))
    text += covered ? "within tolerance\n" : "within tolerance where compared\n";
  return good;
}

void check_options(const CompareOptions& options) {
  if (options.against.empty() && (options.tolerance_rad || options.tolerance_Pa ||
                                  !options.column_map.empty() || options.partial))
    throw UserError(
        "--tolerance-rad, --tolerance-Pa, --map and --partial belong to --against TRACE.csv; add "
        "it");
  for (const auto& tolerance : {options.tolerance_rad, options.tolerance_Pa})
    if (tolerance && !(*tolerance >= 0.0)) throw UserError("a tolerance must not be negative");
  if (!options.plot.empty()) check_picture_path(options.plot);
  if (!options.summary.empty()) check_output_path(options.summary, "--summary");
}

// --- The whole report ---------------------------------------------------------

struct Comparison {
  std::string a, b;
  std::vector<Difference> rows;
  const analysis::Recording* recording_a = nullptr;  // null: a recorded trace
  const analysis::Recording* recording_b = nullptr;
  bool covered = true;  // by the recorded trace
  std::string coverage;
};

// Nothing if the runs were interrupted.
std::optional<std::vector<analysis::ModelRun>> run_all(const sim::Simulation& simulation,
                                                       const std::vector<analysis::Method>& chosen,
                                                       const CompareOptions& options) {
  std::vector<analysis::ModelRun> runs;
  runs.reserve(chosen.size());
  for (const analysis::Method& method : chosen) {
    // The tolerance is for those of the methods that have one.
    runs.push_back(run_watched(simulation, method,
                               method.converged ? options.relative_tolerance : std::nullopt,
                               analysis::kCompareRows));
    if (!runs.back().result.interrupted) continue;
    complain(fmt::format("stopped during the {} model; nothing was written", method.name));
    return std::nullopt;
  }
  return runs;
}

// With the recorded trace, or else of all others with the first.
std::vector<Comparison> compare_all(const machine::MachineModel& model,
                                    const std::vector<analysis::ModelRun>& runs,
                                    const std::optional<io::Trace>& recorded,
                                    const CompareOptions& options) {
  std::vector<io::Trace> traces;
  traces.reserve(runs.size());
  for (const analysis::ModelRun& run : runs)
    traces.push_back(run.recording.to_trace(fmt::format("the {} model", run.method.name)));
  std::vector<Comparison> out;
  if (recorded) {
    const std::vector<io::ColumnPair> renamed =
        renamed_columns(options.column_map, model, *recorded);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      Comparison one;
      one.a = options.against;
      one.b = runs[i].method.name;
      one.rows = differences(wanted_channels(model), traces[i], *recorded, renamed);
      one.covered = covers_run(traces[i], *recorded, one.rows, options, one.coverage);
      out.push_back(std::move(one));
    }
    return out;
  }
  for (std::size_t i = 1; i < runs.size(); ++i)
    out.push_back({runs[0].method.name,
                   runs[i].method.name,
                   differences(wanted_channels(model), traces[0], traces[i]),
                   &runs[0].recording,
                   &runs[i].recording,
                   true,
                   {}});
  return out;
}

std::string overview(const io::LoadedCase& loaded, const sim::Simulation& simulation,
                     const std::vector<analysis::ModelRun>& runs) {
  std::string text =
      fmt::format("{}, {:g} s\n", loaded.title(), loaded.scenario.scenario.duration_s);
  for (const analysis::ModelRun& run : runs)
    text += fmt::format(
        "  {:<25}{:.0f} times real time, {}\n", run.method.name + " model",
        simulation.time(run.result.state) / std::max(run.result.wall_s, 1e-9),
        counted(run.result.state.machine.health.valve_switches, "valve switch", "valve switches"));
  return text;
}

std::string to_json(const io::LoadedCase& loaded, const sim::Simulation& simulation,
                    const std::vector<analysis::ModelRun>& runs,
                    const std::vector<Comparison>& comparisons,
                    const std::vector<std::string>& stability) {
  JsonWriter json;
  json.begin_object()
      .member("scenario", loaded.scenario.scenario.name)
      .member("machine", loaded.machine.model.name)
      .member("duration_s", loaded.scenario.scenario.duration_s);
  if (!simulation.model().caution.empty()) json.member("caution", simulation.model().caution);
  json.key("runs").begin_array();
  for (const analysis::ModelRun& run : runs)
    add_run(json, simulation.model(), run, simulation.time(run.result.state));
  json.end_array().key("comparisons").begin_array();
  for (const Comparison& comparison : comparisons) {
    json.begin_object().member("a", comparison.a).member("b", comparison.b).key("differences");
    add_differences(json, comparison.rows);
    if (comparison.recording_a != nullptr) {
      json.key("oscillation");
      add_oscillation(json, simulation.model(), *comparison.recording_a, *comparison.recording_b);
    }
    json.end_object();
  }
  json.end_array().member("stability", stability).end_object();
  return json.text();
}

void draw_runs(const io::LoadedCase& loaded, const machine::MachineModel& model,
               const std::vector<analysis::ModelRun>& runs, const std::string& path) {
  std::vector<NamedRun> named;
  named.reserve(runs.size());
  for (const analysis::ModelRun& run : runs) named.push_back({run.method.name, &run.recording});
  // The first that shows something, or any.
  auto shown = std::find_if(runs.begin(), runs.end(), [&](const analysis::ModelRun& run) {
    return !watch_findings(model, run.result.state.machine.watch).empty();
  });
  if (shown == runs.end()) shown = runs.begin();
  const std::string note = watch_note(loaded.note(), model, shown->result.state.machine.watch);
  draw(comparison_figure(model, named, loaded.title(), note), path);
}

int compare(const CompareOptions& options) {
  const InterruptGuard guard;
  check_options(options);
  std::optional<io::Trace> recorded;
  if (!options.against.empty()) {
    recorded = io::read_table(options.against, options.dbc);
    tell_notes(options.against, recorded->notes);
  }
  const std::vector<analysis::Method> chosen = chosen_methods(options, recorded);
  const io::LoadedCase loaded =
      io::load_case(options.scenario, options.machine, options.assignments);
  tell_remarks_on_set(loaded.machine.remarks);
  tell_remarks_on_set(loaded.scenario.remarks);
  std::vector<std::string> inputs = loaded.files();
  inputs.insert(inputs.end(), {options.against, options.dbc});
  std::vector<Output> outputs = {{"--plot", options.plot}, {"--summary", options.summary}};
  if (!options.trace_folder.empty())
    for (const analysis::Method& method : chosen)
      outputs.push_back({"--trace-dir", trace_path(options.trace_folder, loaded, method)});
  check_distinct(outputs, inputs);
  const sim::Simulation simulation(loaded.machine.model, loaded.scenario.scenario);
  const machine::MachineModel& model = simulation.model();
  if (recorded) renamed_columns(options.column_map, model, *recorded);  // refused before the runs

  std::optional<OutputFolder> folder;
  if (!options.trace_folder.empty()) folder.emplace(options.trace_folder, "--trace-dir");
  const std::optional<std::vector<analysis::ModelRun>> finished =
      run_all(simulation, chosen, options);
  if (!finished) return kInterruptedRun;
  const std::vector<analysis::ModelRun>& runs = *finished;
  const std::vector<Comparison> comparisons = compare_all(model, runs, recorded, options);
  std::vector<analysis::ModelStability> stability;
  stability.reserve(runs.size());
  for (const analysis::ModelRun& run : runs) stability.push_back(stability_of(run, simulation));
  const std::vector<std::string> sentences = analysis::stability_sentences(model, stability);

  std::string text = overview(loaded, simulation, runs);
  bool good = true;
  for (const Comparison& comparison : comparisons) {
    text += table(fmt::format("difference {} - {}", comparison.b, comparison.a), comparison.rows);
    text += comparison.coverage;
    if (!recorded) continue;
    const bool wanted = options.tolerance_rad || options.tolerance_Pa;
    if (wanted && !comparison.covered) good = false;
    good = within_tolerance(comparison.rows, options, comparison.covered, text) && good;
  }
  for (const std::string& sentence : sentences) text += "\n" + sentence + "\n";
  if (!model.caution.empty()) text += "warning: " + model.caution + "\n";
  for (const analysis::ModelRun& run : runs)
    for (const std::string& sentence : watch_findings(model, run.result.state.machine.watch))
      text += fmt::format("warning: {} model: {}\n", run.method.name, sentence);

  if (!options.trace_folder.empty()) write_traces(options.trace_folder, loaded, simulation, runs);
  if (!options.summary.empty())
    io::write_file(options.summary, to_json(loaded, simulation, runs, comparisons, sentences));
  say(text);
  if (!options.plot.empty()) draw_runs(loaded, model, runs, options.plot);
  const bool sound = std::all_of(runs.begin(), runs.end(), [&](const analysis::ModelRun& run) {
    return usable(simulation, run.result);
  });
  if (!sound) return kNonFinite;
  return good ? kSuccess : kBeyondTolerance;
}

}  // namespace

Command compare_command() {
  const auto o = std::make_shared<CompareOptions>();
  return {
      .name = "compare",
      .sentence = "Run a scenario with several models, or against a recorded trace",
      .arguments = {scenario_argument(o->scenario),
                    machine_option(o->machine, "Machine in place of the scenario's own"),
                    {.name = "--fidelity",
                     .target = &o->fidelities,
                     .kind = fidelity_value(),
                     .sentence = "Model to run",
                     .without =
                         "full, reduced and paper, with --against the model that made the trace"},
                    tolerance_option(o->relative_tolerance),
                    set_of_case_option(o->assignments),
                    unset_option(o->assignments),
                    plot_option(o->plot, "Plot the runs overlaid, and their differences"),
                    {"--trace-dir", &o->trace_folder, folder_value(),
                     "Write the trace of each run into this folder"},
                    summary_option(o->summary, "Write differences and stability as JSON"),
                    {"--against", &o->against, file_value("TRACE.csv", ".csv"),
                     "Compare with this trace instead; columns are matched by name"},
                    dbc_option(o->dbc, "--against"),
                    {"--map",
                     &o->column_map,
                     {"OURS=THEIRS"},
                     "With --against: a column with another name in that trace"},
                    {.name = "--partial",
                     .target = &o->partial,
                     .sentence = "With --against: the trace may cover only a part of the run"},
                    {"--tolerance-rad",
                     &o->tolerance_rad,
                     {"RAD"},
                     "With --against: status 4 if a joint differs by more"},
                    {"--tolerance-Pa",
                     &o->tolerance_Pa,
                     {"PA"},
                     "With --against: status 4 if a port pressure differs by more"}},
      .examples = {"knuckleboom compare stick_sine --plot models.svg",
                   "knuckleboom compare stick_sine --set controller.stick.kp_V_per_rad=80",
                   "knuckleboom compare boom_sine --fidelity reduced --fidelity converged-full",
                   "knuckleboom compare stick_sine --against old.csv --tolerance-rad 1e-9 "
                   "--tolerance-Pa 1"},
      .run = [o] { return compare(*o); }};
}

}  // namespace knuckleboom::app
