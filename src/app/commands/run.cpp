// knuckleboom run: one scenario on one machine.
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/commands/controller.hpp"
#include "app/commands/figures.hpp"
#include "app/commands/options.hpp"
#include "app/commands/summary.hpp"
#include "app/commands/watched_run.hpp"
#include "app/session/watch_texts.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/text.hpp"
#include "app/telemetry/telemetry_server.hpp"
#include "knuckleboom/analysis/execute.hpp"
#include "knuckleboom/analysis/fidelity.hpp"
#include "knuckleboom/analysis/model_run.hpp"
#include "knuckleboom/analysis/recording.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/state_file.hpp"
#include "knuckleboom/io/trace.hpp"

namespace knuckleboom::app {
namespace {

struct RunOptions {
  std::string scenario, machine;
  std::string fidelity;  // empty: that of the resumed state, else reduced
  std::vector<std::string> assignments;
  std::optional<double> relative_tolerance;
  bool realtime = false;
  TelemetryOptions telemetry;
  std::string trace, plot, summary, save, resume;  // files; empty: none
  std::string controller;                          // likewise; an FMU
  std::optional<double> trace_rate_Hz;             // nothing: about 100
  std::optional<double> save_at_s;                 // nothing: at the end
};

// Everything that can be refused is refused before the first tick.
void check_outputs(const RunOptions& options) {
  if (!options.plot.empty()) check_picture_path(options.plot);
  if (!options.trace.empty()) check_output_path(options.trace, "--trace");
  if (!options.summary.empty()) check_output_path(options.summary, "--summary");
  if (!options.save.empty()) check_output_path(options.save, "--save");
}

void check_against_inputs(const RunOptions& options, const io::LoadedCase& loaded) {
  const std::vector<Output> outputs = {{"--trace", options.trace},
                                       {"--plot", options.plot},
                                       {"--summary", options.summary},
                                       {"--save", options.save}};
  check_distinct(outputs, loaded.files());
  // Going on from a state and saving the next one over it is sound.
  check_distinct({outputs.begin(), outputs.end() - 1}, {options.resume});
}

std::int64_t save_tick(const RunOptions& options, const sim::Simulation& simulation,
                       const sim::SimState& start) {
  if (options.save.empty()) return -1;
  if (!options.save_at_s) return simulation.tick_count();
  const double t = *options.save_at_s;
  const double exact = t / simulation.tick_s();
  if (!(exact >= 0.0 && exact < 9e15) || std::llround(exact) < start.tick ||
      std::llround(exact) > simulation.tick_count())
    throw UserError(
        fmt::format("--save-at {:g} s lies outside this run, which goes from {:g} to {:g} s", t,
                    simulation.time(start), simulation.scenario().duration_s));
  return std::llround(exact);
}

sim::SimState start_state(const RunOptions& options, const io::LoadedCase& loaded,
                          const sim::Simulation& simulation, analysis::Method& method) {
  if (options.resume.empty()) return simulation.initial_state(method.fidelity);
  std::string saved_by;
  sim::SimState state = io::read_state(options.resume, loaded.machine.hash, loaded.scenario.hash,
                                       simulation, &saved_by);
  if (state.tick >= simulation.tick_count())
    throw UserError(
        fmt::format("{}: the state was saved at {:g} s, where the scenario ends; there is "
                    "nothing left to run",
                    options.resume, simulation.time(state)));
  if (options.fidelity.empty()) {
    // By its state: what was called reduced when it was saved may be called paper now.
    method = analysis::find_method((analysis::find_method(saved_by).converged ? "converged-" : "") +
                                   std::string(machine::word_of(state.fidelity)));
  } else if (state.fidelity != method.fidelity) {
    throw UserError(
        fmt::format("{}: the state was saved by the {} model; resume with that fidelity",
                    options.resume, machine::word_of(state.fidelity)));
  }
  return state;
}

std::string unwritten(const RunOptions& options, bool saved) {
  std::vector<std::string> files;
  for (const std::string& file : {options.trace, options.plot, options.summary})
    if (!file.empty()) files.push_back(file);
  if (!options.save.empty() && !saved) files.push_back(options.save);
  if (files.empty()) return "no output was asked for";
  return fmt::format("{} {} not written", listing(files), files.size() == 1 ? "was" : "were");
}

using RunFeed = ShotFeed<sim::Snapshot>;

std::shared_ptr<RunFeed> run_feed(std::vector<sim::Channel> channels, double tick_s) {
  return std::make_shared<RunFeed>(
      tick_s, [](const sim::Snapshot& from, sim::Snapshot& to) { to = from; },
      [channels = std::move(channels)](const sim::Snapshot& shot, std::vector<double>& row) {
        for (std::size_t i = 0; i < channels.size(); ++i) row[i] = channels[i].value(shot);
      });
}

std::vector<io::ChannelInfo> infos_of(const std::vector<sim::Channel>& channels) {
  std::vector<io::ChannelInfo> out;
  for (const sim::Channel& one : channels) out.push_back({one.name, one.unit, one.description});
  return out;
}

int run(const RunOptions& options) {
  const InterruptGuard guard;  // before the first temporary file and the first child
  analysis::Method method =
      analysis::find_method(options.fidelity.empty() ? "reduced" : options.fidelity);
  if (options.save_at_s && options.save.empty())
    throw UserError("--save-at says when to save; add --save FILE to say where to");
  check_outputs(options);
  if (!options.controller.empty() && method.converged)
    throw UserError(
        fmt::format("--controller: {} has no ticks for a controller; choose full, reduced or paper",
                    method.name));
  const io::LoadedCase loaded =
      io::load_case(options.scenario, options.machine, options.assignments);
  tell_remarks_on_set(loaded.machine.remarks);
  tell_remarks_on_set(loaded.scenario.remarks);
  check_against_inputs(options, loaded);
  const sim::Simulation simulation(loaded.machine.model, loaded.scenario.scenario);
  const sim::SimState start = start_state(options, loaded, simulation, method);
  std::string controller;
  const std::unique_ptr<analysis::Engine> engine =
      options.controller.empty()
          ? analysis::make_engine(simulation, method, options.relative_tolerance)
          : controlled_engine(simulation, options.controller, controller);

  analysis::ExecuteOptions execution;
  execution.realtime = options.realtime;
  execution.save_tick = save_tick(options, simulation, start);
  bool saved = false;
  execution.save = [&](const sim::SimState& state) {
    io::write_state(options.save, state, loaded.machine.hash, loaded.scenario.hash, method.name);
    saved = true;
  };

  const std::int64_t ticks = simulation.tick_count();
  std::unique_ptr<io::TraceWriter> trace;
  std::int64_t trace_ticks = 0;
  if (!options.trace.empty()) {
    trace_ticks = options.trace_rate_Hz
                      ? analysis::ticks_per_sample(*options.trace_rate_Hz, simulation.tick_s())
                      : analysis::default_ticks_per_sample(simulation.tick_s());
    io::TraceHeader header = trace_header(loaded, simulation, method);
    if (!controller.empty()) header.remarks.push_back("Controller: " + controller);
    trace = std::make_unique<io::TraceWriter>(options.trace, header);
  }
  analysis::Recording recording(simulation.model());
  std::int64_t plot_ticks = 0;
  if (!options.plot.empty()) {
    plot_ticks = analysis::recording_stride(ticks - start.tick, kPlotRows);
    recording = analysis::Recording(simulation.model(), static_cast<std::size_t>(kPlotRows) + 2);
  }
  const std::vector<sim::Channel> channels = sim::channels(simulation.model());
  const std::unique_ptr<TelemetryServer> telemetry = open_telemetry(options.telemetry);
  std::shared_ptr<RunFeed> feed;
  if (telemetry) {
    feed = run_feed(channels, simulation.tick_s());
    telemetry->show(infos_of(channels), feed);
  }
  // One rate of samples serves all; each takes those it wants. gcd(n, 0) is n.
  execution.sample_ticks =
      std::gcd(std::gcd(trace_ticks, plot_ticks), feed ? feed->period_ticks() : 0);
  std::vector<double> row(channels.size());
  execution.sample = [&](const sim::Snapshot& snapshot) {
    if (feed) feed->offer(snapshot.tick, snapshot);
    if (plot_ticks > 0 && snapshot.tick % plot_ticks == 0) recording.add(snapshot);
    if (trace_ticks == 0 || snapshot.tick % trace_ticks != 0) return;
    for (std::size_t i = 0; i < channels.size(); ++i) row[i] = channels[i].value(snapshot);
    trace->write(row);
  };

  if (const std::string purpose = io::purpose_sentence(loaded.machine); !purpose.empty())
    say(purpose + "\n");
  const analysis::RunResult result = execute_watched(simulation, *engine, start, execution);
  if (result.interrupted) {
    complain(fmt::format("stopped at {:g} s of {:g} s; {}", simulation.time(result.state),
                         simulation.scenario().duration_s, unwritten(options, saved)));
    return kInterruptedRun;
  }

  RunSummary summary = summarise(loaded, simulation, method, result, options.realtime);
  summary.controller = controller;
  if (trace) trace->close();
  if (!options.summary.empty()) io::write_file(options.summary, to_json(summary));
  say(to_text(summary));
  if (!options.plot.empty())
    draw(run_figure(simulation.model(), simulation.scenario(), recording,
                    fmt::format("{}, {} model", loaded.title(), method.name),
                    watch_note(loaded.note(), simulation.model(), result.state.machine.watch)),
         options.plot);
  if (!options.save.empty() && !saved)
    complain(fmt::format("{} was not written; the run ended before that time", options.save));
  return usable(simulation, result) ? kSuccess : kNonFinite;
}

}  // namespace

Command run_command() {
  const auto o = std::make_shared<RunOptions>();
  return {
      .name = "run",
      .sentence = "Run a scenario and summarise the result",
      .arguments = joined(
          {{scenario_argument(o->scenario),
            machine_option(o->machine, "Machine in place of the scenario's own"),
            {.name = "--fidelity",
             .target = &o->fidelity,
             .kind = fidelity_value(),
             .sentence = "Model of the hydraulics",
             .without = "reduced"},
            tolerance_option(o->relative_tolerance),
            set_of_case_option(o->assignments),
            unset_option(o->assignments),
            {"--trace", &o->trace, file_value("FILE", ".csv"),
             "Write the channels over time as CSV"},
            {.name = "--trace-rate",
             .target = &o->trace_rate_Hz,
             .kind = {"HZ"},
             .sentence = "Rows per second in the trace; must divide the tick rate",
             .without = "100, or the next lower rate that does"},
            plot_option(o->plot, "Plot joints, valve commands, port pressures and the tip's path"),
            summary_option(o->summary, "Write the summary as JSON"),
            {.name = "--controller",
             .target = &o->controller,
             .kind = file_value("FMU", ".fmu"),
             .sentence = "An FMU in place of the joint controllers; its code runs in this "
                         "program, so take none from strangers",
             .excludes = {"--save", "--resume"}},
            {.name = "--realtime",
             .target = &o->realtime,
             .sentence = "Start each tick at its point in real time"}},
           telemetry_options(o->telemetry, "--realtime"),
           {{"--save", &o->save, file_value("FILE", ".state"),
             "Save the state, to continue from with --resume"},
            {.name = "--save-at",
             .target = &o->save_at_s,
             .kind = {"T"},
             .sentence = "Time of the state that is saved [s]",
             .without = "the end"},
            {"--resume", &o->resume, file_value("FILE", ".state"),
             "Continue from a saved state"}}}),
      .examples =
          {"knuckleboom run stick_sine --fidelity full --plot stick.png",
           "knuckleboom run boom_pulse --trace boom.csv --summary boom.json",
           "knuckleboom run stick_sine --set controller.stick.kp_V_per_rad=80 --fidelity full",
           "knuckleboom run tip_circle --realtime --telemetry 8765",
           "knuckleboom run stick_sine --save half.state --save-at 20",
           "knuckleboom run stick_sine --resume half.state"},
      .run = [o] { return run(*o); }};
}

}  // namespace knuckleboom::app
