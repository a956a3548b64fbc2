#include "app/commands/bundle_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/commands/watched_run.hpp"
#include "app/session/load_session.hpp"
#include "app/session/watch_texts.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/analysis/execute.hpp"
#include "knuckleboom/analysis/fidelity.hpp"
#include "knuckleboom/analysis/log_scenario.hpp"
#include "knuckleboom/analysis/model_run.hpp"
#include "knuckleboom/analysis/recording.hpp"
#include "knuckleboom/io/file_kind.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/recording/table_file.hpp"

namespace knuckleboom::app {
namespace {

constexpr std::int64_t kTicksToInterrupt = 4096;
constexpr int kDigits = 6;  // of a reference at least

// Without title, header and files. Nothing if it was interrupted.
std::optional<BundleRun> run_method(const sim::Simulation& simulation,
                                    const analysis::Method& method) {
  analysis::ModelRun run = run_watched(simulation, method, std::nullopt, analysis::kCompareRows);
  if (run.result.interrupted) return std::nullopt;
  BundleRun out;
  out.channels = run.recording.channels();
  out.trace = run.recording.to_trace("the run");
  out.sample_ticks = run.sample_ticks;
  out.tick_s = simulation.tick_s();
  out.finite = !run.result.non_finite;
  out.remarks = watch_sentences(simulation.model(), run.result.state.machine.watch);
  return out;
}

std::optional<BundleRun> run_scenario(const io::Bundle& bundle,
                                      const std::vector<std::string>& assignments, int finer) {
  io::LoadedCase loaded = io::load_case(bundle.scenario, bundle.machine, assignments);
  loaded.scenario.scenario.tick_s /= finer;
  const analysis::Method& method =
      analysis::find_method(bundle.fidelity.empty() ? "reduced" : bundle.fidelity);
  const sim::Simulation simulation(loaded.machine.model, loaded.scenario.scenario);
  std::optional<BundleRun> run = run_method(simulation, method);
  if (!run) return std::nullopt;
  run->title = fmt::format("{}, {} model", loaded.title(), method.name);
  run->header = {
      io::this_program(), machine_line(loaded.machine.model.name, loaded.machine.hash),
      fmt::format("scenario: {} {}", loaded.scenario.scenario.name, loaded.scenario.hash.hex),
      fmt::format("fidelity: {}", method.name)};
  run->files = {{io::FileKind::kScenario, loaded.scenario_path}};
  if (!loaded.machine_path.empty())
    run->files.push_back({io::FileKind::kMachine, loaded.machine_path});
  return run;
}

std::optional<BundleRun> run_input(const io::Bundle& bundle,
                                   const std::vector<std::string>& assignments, int finer) {
  SessionChoice choice;
  choice.machine = bundle.machine;
  LoadedInput input = load_input(bundle.input, choice);
  choice.rate_Hz *= finer;
  for (training::InputEvent& event : input.file.events) event.tick *= finer;
  if (!bundle.fidelity.empty()) {
    const analysis::Method& method = analysis::find_method(bundle.fidelity);
    if (method.converged)
      throw UserError(
          fmt::format("bundle {}: fidelity {} needs a scenario; recorded levers run by "
                      "full, reduced or paper",
                      bundle.name, method.name));
    choice.fidelity = method.fidelity;
  }
  const io::Overrides overrides = io::sort_overrides(assignments);
  if (!overrides.scenario.empty())
    throw UserError(
        fmt::format("bundle {}: '{}' is a scenario's, but this bundle has recorded "
                    "levers; only machine, exercise and levers can be changed",
                    bundle.name, overrides.scenario.front().key));
  const LoadedSession loaded = load_session(choice, overrides);
  const training::Session& session = *loaded.session;
  if (training::InputPlayback(input.file.events).end_tick() < 0)
    throw UserError(
        fmt::format("{}: the recording has no 'end'; add a last line with it, so that "
                    "the bundle has a length",
                    bundle.input.string()));
  for (const training::InputEvent& event : input.file.events)
    // A new attempt starts at time 0, and a run over time has one time only.
    if (event.kind == training::InputEventKind::kCommand &&
        event.command.kind == training::CommandKind::kRestart)
      throw UserError(
          fmt::format("{}: the recording restarts the exercise at {:g} s; record one "
                      "attempt for a bundle",
                      bundle.input.string(), static_cast<double>(event.tick) * session.tick_s()));
  std::optional<BundleRun> run = run_levers(session, input.file.events, loaded.opening);
  if (!run) return std::nullopt;
  run->title = loaded.title();
  run->header = {io::this_program(), machine_line(session.machine().name, loaded.machine_hash),
                 fmt::format("exercise: {} {}", session.exercise().name, loaded.exercise_hash.hex),
                 fmt::format("input: {}", bundle.input.filename().string())};
  const std::vector<std::string> changed = differences(input, loaded);
  run->remarks.insert(run->remarks.begin(), changed.begin(), changed.end());
  run->files = {{io::FileKind::kExercise, loaded.exercise_path},
                {io::FileKind::kMachine, loaded.machine_path},
                {io::FileKind::kLevers, loaded.levers_path}};
  return run;
}

// A machine driven by the reference's own columns.
std::optional<BundleRun> run_log(const io::Bundle& bundle,
                                 const std::vector<std::string>& assignments, int finer) {
  const io::Overrides overrides = io::sort_overrides(assignments);
  if (const io::Override* other = io::beyond_machine(overrides))
    throw UserError(
        fmt::format("bundle {}: '{}' is no key of the machine, but this bundle is driven by a log; "
                    "only the machine can be changed",
                    bundle.name, other->key));
  const std::filesystem::path path = find_machine(bundle.machine);
  io::refuse_other_kind(path.string(), io::FileKind::kMachine);
  const io::MachineFile machine = io::read_machine(path, overrides.machine);
  const io::Trace log =
      io::read_log(bundle.reference, bundle.map, analysis::log_columns(machine.model));
  analysis::LogRun choice;
  choice.rest_s = bundle.rest_s;
  choice.start = bundle.start;
  choice.tick_s /= finer;
  choice.delay_s = analysis::delays(machine.model, bundle.delay_s);
  const analysis::Method& method =
      analysis::find_method(bundle.fidelity.empty() ? "full" : bundle.fidelity);
  const sim::Simulation simulation(machine.model,
                                   analysis::log_scenario(machine.model, log, choice));
  std::optional<BundleRun> run = run_method(simulation, method);
  if (!run) return std::nullopt;
  run->title = fmt::format("{} driven by its log, {} model", machine.model.name, method.name);
  run->files = {{io::FileKind::kMachine, path}};
  for (double& t : run->trace.data.front()) t += log.data.front().front();
  return run;
}

std::pair<std::string_view, std::span<const io::Override>> overrides_of(
    io::FileKind kind, const io::Overrides& overrides) {
  switch (kind) {
    case io::FileKind::kScenario:
      return {io::kScenarioPrefix, overrides.scenario};
    case io::FileKind::kExercise:
      return {io::kExercisePrefix, overrides.exercise};
    case io::FileKind::kLevers:
      return {io::kLeversPrefix, overrides.levers};
    default:
      return {io::kMachinePrefix, overrides.machine};
  }
}

std::vector<std::string> assignments_of(const io::Bundle& bundle, const BundleChange& change) {
  std::vector<std::string> all = bundle.assignments;
  all.insert(all.end(), change.assignments.begin(), change.assignments.end());
  return all;
}

// Number of digits at which the last one is a thousandth of the tolerance.
int digits_of(const io::BundleChannel& channel, const std::vector<double>& column) {
  double largest = 0.0;
  for (const double value : column) largest = std::max(largest, std::fabs(value));
  const double tolerance =
      std::min(largest_allowed(channel.tolerance), largest_allowed(channel.rms));
  if (!std::isfinite(tolerance) || !(largest > 0.0)) return kDigits;
  const double digits = std::ceil(std::log10(largest / tolerance)) + 3.0;
  return static_cast<int>(
      std::clamp<double>(digits, kDigits, std::numeric_limits<double>::max_digits10));
}

}  // namespace

std::string machine_line(const std::string& name, const io::ContentHash& hash) {
  return fmt::format("machine: {} {}", name, hash.hex);
}

void log_update(const io::Bundle& bundle, const std::string& reason) {
  const std::string date = io::now_utc().substr(0, sizeof "2026-11-28" - 1);
  io::log_bundle_update(bundle, date, io::this_program(), reason);
}

double largest_allowed(const io::LogQuantity& asked) {
  return asked.given ? asked.value : std::numeric_limits<double>::infinity();
}

std::optional<BundleRun> run_levers(
    const training::Session& session, std::span<const training::InputEvent> events,
    std::span<const training::Command> opening,
    const std::function<void(const training::SessionState&)>& look) {
  training::InputPlayback playback(events);
  const std::int64_t ticks = playback.end_tick();
  const std::int64_t stride = analysis::recording_stride(ticks, analysis::kCompareRows);
  analysis::Recording recording(session.machine(), static_cast<std::size_t>(ticks / stride) + 1);
  const auto state = std::make_unique<training::SessionState>(session.initial_state());
  const auto now = std::make_unique<training::SessionSnapshot>(session.snapshot(*state));
  recording.add(now->sim);
  const auto apply = [&](const training::Command& command) { session.apply(command, *state); };
  for (const training::Command& command : opening) apply(command);
  for (std::int64_t tick = 0; tick < ticks; ++tick) {
    if (tick % kTicksToInterrupt == 0 && interrupted()) return std::nullopt;
    if (look && tick > 0) look(*state);
    session.step(playback.advance(tick, apply), *state, *now);
    if ((tick + 1) % stride == 0) recording.add(now->sim);
  }
  BundleRun out;
  out.channels = recording.channels();
  out.trace = recording.to_trace("the run");
  out.sample_ticks = stride;
  out.tick_s = session.tick_s();
  out.finite = now->sim.health.non_finite == 0;
  out.remarks = watch_sentences(session.machine(), now->sim.watch);
  return out;
}

std::optional<BundleRun> run_bundle(const io::Bundle& bundle, const BundleChange& change) {
  const std::vector<std::string> assignments = assignments_of(bundle, change);
  try {
    if (bundle.drive_count > 0) return run_log(bundle, assignments, change.finer);
    return bundle.input.empty() ? run_scenario(bundle, assignments, change.finer)
                                : run_input(bundle, assignments, change.finer);
  } catch (const UserError& error) {
    // There may be several bundles: the sentence says which one names what there is not.
    const std::string_view what = error.what();
    if (what.starts_with("bundle ")) throw;
    throw UserError(fmt::format("bundle {}: {}", bundle.name, what));
  }
}

std::vector<io::ContentKey> bundle_keys(const io::Bundle& bundle, const BundleChange& change,
                                        const std::vector<BundleFile>& files) {
  const io::Overrides overrides = io::sort_overrides(assignments_of(bundle, change));
  std::vector<io::ContentKey> out;
  for (const BundleFile& file : files) {
    if (file.path.extension() != ".toml") continue;
    const auto& [prefix, own] = overrides_of(file.kind, overrides);
    for (io::ContentKey& key : io::content_keys(file.path, file.kind, prefix, own))
      out.push_back(std::move(key));
  }
  return out;
}

std::string reference_text(const io::Bundle& bundle, const BundleRun& run) {
  std::string text;
  for (const std::string& line : run.header) text += fmt::format("# {}\n", printable(line));
  text += "t_s";
  std::vector<const std::vector<double>*> columns;
  std::vector<int> digits;
  for (const io::BundleChannel& channel : bundle.channels) {
    text += "," + channel.name;
    columns.push_back(&run.trace.column(channel.name));
    digits.push_back(digits_of(channel, *columns.back()));
  }
  text += "\n";
  const std::int64_t ticks = analysis::ticks_per_sample(bundle.rate_Hz, run.tick_s);
  if (ticks % run.sample_ticks != 0)
    throw UserError(
        fmt::format("bundle {}: the run is too long for a reference at {:g} Hz; choose "
                    "a lower 'rate_Hz'",
                    bundle.name, bundle.rate_Hz));
  const auto step = static_cast<std::size_t>(ticks / run.sample_ticks);
  for (std::size_t row = 0; row < run.trace.rows(); row += step) {
    fmt::format_to(std::back_inserter(text), "{:.{}g}", run.trace.data.front()[row], 10);
    for (std::size_t c = 0; c < columns.size(); ++c)
      fmt::format_to(std::back_inserter(text), ",{:.{}g}", (*columns[c])[row], digits[c]);
    text += "\n";
  }
  return text;
}

}  // namespace knuckleboom::app
