// knuckleboom verify: bundles of recorded runs as regression tests. docs/reference/bundle_file.md
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/commands/logs.hpp"
#include "app/commands/options.hpp"
#include "app/commands/watched_run.hpp"
#include "app/session/load_session.hpp"
#include "app/session/watch_texts.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/analysis/execute.hpp"
#include "knuckleboom/analysis/fidelity.hpp"
#include "knuckleboom/analysis/log_scenario.hpp"
#include "knuckleboom/analysis/model_run.hpp"
#include "knuckleboom/analysis/recording.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/bundle_file.hpp"
#include "knuckleboom/io/file_kind.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/trace.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::app {
namespace {

struct VerifyOptions {
  std::vector<std::string> bundles;      // folders
  std::vector<std::string> assignments;  // as of run, on top of the bundle's own
  std::string plot_folder = "out";       // for pictures of what failed; made if needed
  bool update = false;
  std::string reason;  // of the update
};

namespace fs = std::filesystem;

constexpr std::int64_t kTicksToInterrupt = 4096;
constexpr int kDigits = 6;  // of a reference at least

// --- The run ------------------------------------------------------------------

struct Run {
  std::string title;
  std::vector<std::string> header;  // remarks of a reference made from it
  std::vector<sim::Channel> channels;
  io::Trace trace;
  std::int64_t sample_ticks = 1;
  double tick_s = 0.0;
  bool finite = true;
  std::vector<std::string> remarks;
};

std::string machine_line(const std::string& name, const io::ContentHash& hash) {
  return fmt::format("machine: {} {}", name, hash.hex);
}

// Nothing if it was interrupted.
std::optional<Run> run_scenario(const io::Bundle& bundle,
                                const std::vector<std::string>& assignments) {
  const io::LoadedCase loaded = io::load_case(bundle.scenario, bundle.machine, assignments);
  const analysis::Method& method =
      analysis::find_method(bundle.fidelity.empty() ? "reduced" : bundle.fidelity);
  const sim::Simulation simulation(loaded.machine.model, loaded.scenario.scenario);
  analysis::ModelRun run = run_watched(simulation, method, std::nullopt, analysis::kCompareRows);
  if (run.result.interrupted) return std::nullopt;
  return Run{
      fmt::format("{}, {} model", loaded.title(), method.name),
      {io::this_program(), machine_line(loaded.machine.model.name, loaded.machine.hash),
       fmt::format("scenario: {} {}", loaded.scenario.scenario.name, loaded.scenario.hash.hex),
       fmt::format("fidelity: {}", method.name)},
      run.recording.channels(),
      run.recording.to_trace("the run"),
      run.sample_ticks,
      simulation.tick_s(),
      !run.result.non_finite,
      watch_sentences(simulation.model(), run.result.state.machine.watch)};
}

std::optional<Run> run_input(const io::Bundle& bundle,
                             const std::vector<std::string>& assignments) {
  SessionChoice choice;
  choice.machine = bundle.machine;
  const LoadedInput input = load_input(bundle.input, choice);
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
                    "levers; only the machine can be changed",
                    bundle.name, overrides.scenario.front().key));
  const LoadedSession loaded = load_session(choice, overrides.machine);
  const training::Session& session = *loaded.session;
  const std::int64_t ticks = training::InputPlayback(input.file.events).end_tick();
  if (ticks < 0)
    throw UserError(
        fmt::format("{}: the recording has no 'end'; add a last line with it, so that "
                    "the bundle has a length",
                    bundle.input.string()));
  const std::int64_t stride = analysis::recording_stride(ticks, analysis::kCompareRows);
  analysis::Recording recording(session.machine(), static_cast<std::size_t>(ticks / stride) + 1);
  training::SessionState state = session.initial_state();
  training::SessionSnapshot now = session.snapshot(state);
  recording.add(now.sim);
  training::InputPlayback playback(input.file.events);
  const auto apply = [&](const training::Command& command) {
    // A new attempt starts at time 0, and a run over time has one time only.
    if (command.kind == training::CommandKind::kRestart)
      throw UserError(
          fmt::format("{}: the recording restarts the exercise at {:g} s; record one "
                      "attempt for a bundle",
                      bundle.input.string(), static_cast<double>(state.tick) * session.tick_s()));
    session.apply(command, state);
  };
  for (const training::Command& command : loaded.opening) apply(command);
  for (std::int64_t tick = 0; tick < ticks; ++tick) {
    if (tick % kTicksToInterrupt == 0 && interrupted()) return std::nullopt;
    session.step(playback.advance(tick, apply), state, now);
    if ((tick + 1) % stride == 0) recording.add(now.sim);
  }
  std::vector<std::string> remarks = differences(input, loaded);
  for (std::string& sentence : watch_sentences(session.machine(), now.sim.watch))
    remarks.push_back(std::move(sentence));
  return Run{loaded.title(),
             {io::this_program(), machine_line(session.machine().name, loaded.machine_hash),
              fmt::format("exercise: {} {}", session.exercise().name, loaded.exercise_hash.hex),
              fmt::format("input: {}", bundle.input.filename().string())},
             recording.channels(),
             recording.to_trace("the run"),
             stride,
             session.tick_s(),
             now.sim.health.non_finite == 0,
             std::move(remarks)};
}

// A machine driven by the reference's own columns.
std::optional<Run> run_log(const io::Bundle& bundle, const std::vector<std::string>& assignments) {
  const io::Overrides overrides = io::sort_overrides(assignments);
  if (!overrides.scenario.empty())
    throw UserError(
        fmt::format("bundle {}: '{}' is a scenario's, but this bundle is driven by a "
                    "log; only the machine can be changed",
                    bundle.name, overrides.scenario.front().key));
  const fs::path path = find_machine(bundle.machine);
  io::refuse_other_kind(path.string(), io::FileKind::kMachine);
  const io::MachineFile machine = io::read_machine(path, overrides.machine);
  const io::Trace log =
      io::read_log(bundle.reference, bundle.map, analysis::log_columns(machine.model));
  analysis::LogRun choice;
  choice.rest_s = bundle.rest_s;
  choice.start = bundle.start;
  choice.delay_s = analysis::delays(machine.model, bundle.delay_s);
  const analysis::Method& method =
      analysis::find_method(bundle.fidelity.empty() ? "full" : bundle.fidelity);
  const sim::Simulation simulation(machine.model,
                                   analysis::log_scenario(machine.model, log, choice));
  analysis::ModelRun run = run_watched(simulation, method, std::nullopt, analysis::kCompareRows);
  if (run.result.interrupted) return std::nullopt;
  Run out{fmt::format("{} driven by its log, {} model", machine.model.name, method.name),
          {},
          run.recording.channels(),
          run.recording.to_trace("the run"),
          run.sample_ticks,
          simulation.tick_s(),
          !run.result.non_finite,
          watch_sentences(simulation.model(), run.result.state.machine.watch)};
  for (double& t : out.trace.data.front()) t += log.data.front().front();
  return out;
}

std::optional<Run> run_bundle(const io::Bundle& bundle, const VerifyOptions& options) {
  std::vector<std::string> assignments = bundle.assignments;
  assignments.insert(assignments.end(), options.assignments.begin(), options.assignments.end());
  try {
    if (bundle.drive_count > 0) return run_log(bundle, assignments);
    return bundle.input.empty() ? run_scenario(bundle, assignments)
                                : run_input(bundle, assignments);
  } catch (const UserError& error) {
    // There may be several bundles: the sentence says which one names what there is not.
    const std::string_view what = error.what();
    if (what.starts_with("bundle ")) throw;
    throw UserError(fmt::format("bundle {}: {}", bundle.name, what));
  }
}

std::vector<io::KnownColumn> known_columns(const Run& run) {
  std::vector<io::KnownColumn> out;
  for (const sim::Channel& channel : run.channels)
    if (channel.name != "t_s") out.push_back({channel.name, channel.unit});
  out.push_back({"tank_Pa", "Pa"});
  return out;
}

const sim::Channel& channel_of(const Run& run, const io::Bundle& bundle, const std::string& name) {
  std::vector<std::string> names;
  for (const sim::Channel& channel : run.channels) {
    if (channel.name == name) return channel;
    names.push_back(channel.name);
  }
  throw UserError(fmt::format("bundle {}: the run has no channel '{}'{}", bundle.name, name,
                              alternatives(name, names)));
}

void check_channels(const Run& run, const io::Bundle& bundle) {
  for (std::size_t i = 0; i < bundle.channels.size(); ++i) {
    const io::BundleChannel& channel = bundle.channels[i];
    const sim::Channel& ours = channel_of(run, bundle, channel.name);
    for (const io::LogQuantity* asked : {&channel.tolerance, &channel.rms}) {
      if (!asked->given || asked->unit == ours.unit) continue;
      const io::Diagnostic& place = bundle.map.columns[i].place;
      throw io::FileError(
          {{place.file, place.line, place.column,
            fmt::format("the tolerance of '{}' is in {}, but the channel is in {}", channel.name,
                        asked->unit.empty() ? std::string("no unit") : asked->unit,
                        ours.unit.empty() ? std::string("no unit") : ours.unit)}});
    }
  }
}

// --- Comparing ----------------------------------------------------------------

struct Row {
  io::ColumnDifference found;
  std::string unit;
  double tolerance = 0.0, rms = 0.0;  // infinite: any
  bool good = false;
};

double largest_allowed(const io::LogQuantity& asked) {
  return asked.given ? asked.value : std::numeric_limits<double>::infinity();
}

std::vector<Row> compare_channels(const io::Bundle& bundle, const Run& run,
                                  const io::Trace& reference) {
  std::vector<Row> rows;
  for (const io::BundleChannel& channel : bundle.channels) {
    Row row;
    row.found = io::deviation(run.trace, reference, channel.name, channel.from_s, channel.to_s);
    row.unit = channel.tolerance.given ? channel.tolerance.unit : channel.rms.unit;
    row.tolerance = largest_allowed(channel.tolerance);
    row.rms = largest_allowed(channel.rms);
    row.good = row.found.samples > 0 && row.found.max <= row.tolerance && row.found.rms <= row.rms;
    rows.push_back(std::move(row));
  }
  return rows;
}

// Part of the reference that lies beyond the run's end has not been compared.
std::string uncovered(const io::Bundle& bundle, const Run& run, const io::Trace& reference) {
  const double run_from = run.trace.data.front().front();
  const double run_to = run.trace.data.front().back();
  const auto wanted = [](double t, const io::BundleChannel& channel) {
    return t >= channel.from_s && t <= channel.to_s;
  };
  constexpr double kSlack = 1e-6;  // s, of a time that was rounded
  std::size_t outside = 0;
  for (const double t : reference.data.front()) {
    const bool any = std::any_of(bundle.channels.begin(), bundle.channels.end(),
                                 [&](const auto& channel) { return wanted(t, channel); });
    if (any && (t < run_from - kSlack || t > run_to + kSlack)) ++outside;
  }
  if (outside == 0) return {};
  return fmt::format("  {} of the reference {} outside the run, which goes from {:g} to {:g} s\n",
                     counted(static_cast<long long>(outside), "row", "rows"),
                     outside == 1 ? "lies" : "lie", run_from, run_to);
}

std::string table(const std::vector<Row>& rows) {
  const bool any_rms =
      std::any_of(rows.begin(), rows.end(), [](const Row& row) { return std::isfinite(row.rms); });
  const auto limit = [](double value, const std::string& unit) {
    return std::isfinite(value) ? with_prefix(value, unit) : std::string("any");
  };
  const auto rms_limit = [&](const std::string& what) {
    return any_rms ? fmt::format("{:>12}", what) : std::string();
  };
  std::string text = fmt::format("  {:<22}{:>12}{:>12}{:>12}{:>12}{}\n", "channel", "worst", "at",
                                 "tolerance", "rms", rms_limit("tolerance"));
  for (const Row& row : rows) {
    if (row.found.samples == 0) {
      text += fmt::format("  {:<22}has no number to compare with   FAILED\n", row.found.column);
      continue;
    }
    text += fmt::format("  {:<22}{:>12}{:>12}{:>12}{:>12}{}{}\n", row.found.column,
                        with_prefix(row.found.max, row.unit),
                        fmt::format("{:.3f} s", row.found.time_of_max_s),
                        limit(row.tolerance, row.unit), with_prefix(row.found.rms, row.unit),
                        rms_limit(limit(row.rms, row.unit)), row.good ? "" : "   FAILED");
  }
  return text;
}

// --- The picture of what failed -----------------------------------------------

Curve curve(const std::string& title, const io::Trace& trace, const std::string& column, int color,
            LineStyle style) {
  Curve out{title, {}, {}, color, style};
  const std::vector<double>& t = trace.data.front();
  const std::vector<double>& y = trace.column(column);
  const std::size_t step = std::max<std::size_t>(1, t.size() / 8000);
  for (std::size_t i = 0; i < t.size(); i += step) {
    out.x.push_back(t[i]);
    out.y.push_back(y[i]);
  }
  return out;
}

// Every failed channel: run over reference, and beside it the difference between its tolerances.
Figure failure_figure(const io::Bundle& bundle, const Run& run, const io::Trace& reference,
                      const std::vector<Row>& rows) {
  Figure figure{
      fmt::format("{}: {}", bundle.name, run.title), "reference: " + bundle.origin, {}, 2};
  for (const Row& row : rows) {
    if (row.good || row.found.samples == 0) continue;
    const std::string& name = row.found.column;
    const std::string unit = row.unit.empty() ? "1" : row.unit;
    const double spread = std::isfinite(row.tolerance) ? row.tolerance : row.rms;
    Panel values{name, "time [s]", fmt::format("[{}]", unit), {}, false, spread};
    values.curves.push_back(curve("reference", reference, name, 0, LineStyle::kThick));
    values.curves.push_back(curve("run", run.trace, name, 1, LineStyle::kThin));
    Panel apart{fmt::format("{}: run - reference", name),
                "time [s]",
                fmt::format("difference [{}]", unit),
                {},
                false,
                spread};
    Curve difference{"difference", {}, {}, 1, LineStyle::kSolid};
    for (std::size_t i = 0; i < reference.rows(); ++i) {
      const double t = reference.data.front()[i];
      const double y = io::value_at(run.trace, name, t) - reference.column(name)[i];
      if (!std::isfinite(y)) continue;
      difference.x.push_back(t);
      difference.y.push_back(y);
    }
    apart.curves.push_back(std::move(difference));
    const std::vector<double> ends = {reference.data.front().front(),
                                      reference.data.front().back()};
    for (const double sign : {1.0, -1.0})
      if (std::isfinite(row.tolerance))
        apart.curves.push_back({sign > 0.0 ? "tolerance" : "",
                                ends,
                                {sign * row.tolerance, sign * row.tolerance},
                                6,
                                LineStyle::kDashed});
    figure.panels.push_back(std::move(values));
    figure.panels.push_back(std::move(apart));
  }
  return figure;
}

// A plot that cannot be drawn does not change the verdict.
void draw_failure(const io::Bundle& bundle, const Run& run, const io::Trace& reference,
                  const std::vector<Row>& rows, const std::string& folder) {
  const Figure figure = failure_figure(bundle, run, reference, rows);
  if (figure.panels.empty()) return;
  const fs::path path = fs::path(folder) / (bundle.name + ".svg");
  try {
    const OutputFolder made(folder, "--plot-dir");
    check_picture_path(path);
    draw(figure, path);
    say(fmt::format("  plot: {}\n", path.string()));
  } catch (const UserError& error) {
    complain(error.what());
  } catch (const RunFailure& error) {
    complain(error.what());
  }
}

// --- Updating -----------------------------------------------------------------

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
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

std::string reference_text(const io::Bundle& bundle, const Run& run) {
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

// A map with columns of its own: the table was made by others, and is written in another way.
bool is_foreign(const io::LogMap& map) {
  return !map.time.empty() || !map.time_unit.empty() || map.shift_s != 0.0 ||
         (map.separator != 0 && map.separator != ',') || map.decimal_comma.value_or(false) ||
         map.header_row > 0 || map.skip_rows >= 0 ||
         std::any_of(map.columns.begin(), map.columns.end(), [](const io::LogColumn& column) {
           const bool renamed = !column.column.empty() && column.column != column.name;
           return renamed || !column.unit.empty() || column.scale != 1.0 || column.offset.given;
         });
}

// The bundle says what its table is; what stands there says so itself. A file that is not there, or is
// empty, may be written.
bool is_written_by_update(const fs::path& reference) {
  std::error_code error;
  const fs::file_status status = fs::status(reference, error);
  if (status.type() == fs::file_type::not_found) return true;
  std::ifstream file(reference);
  std::string line;
  if (!fs::is_regular_file(status) || !file) return false;
  return !std::getline(file, line) || line.starts_with("# knuckleboom ");
}

int update(const io::Bundle& bundle, const VerifyOptions& options) {
  if (bundle.drive_count > 0)
    throw UserError(fmt::format(
        "bundle {}: its table is a log that drives the machine, and is not written over; "
        "change the tolerances instead",
        bundle.name));
  if (!bundle.external.empty() || is_foreign(bundle.map))
    throw UserError(
        fmt::format("bundle {}: the reference is somebody else's data ({}) and is not "
                    "written over; change the tolerances instead",
                    bundle.name, bundle.origin));
  if (!is_written_by_update(bundle.reference))
    throw UserError(
        fmt::format("{}: this is no reference that --update has written and it stays; name another "
                    "file in the bundle, or move it away",
                    bundle.reference.string()));
  const std::optional<Run> run = run_bundle(bundle, options);
  if (!run) return kInterruptedRun;
  if (!run->finite)
    throw UserError(
        fmt::format("bundle {}: the run left the real numbers; the reference stays as "
                    "it was",
                    bundle.name));
  check_channels(*run, bundle);
  const std::string text = reference_text(bundle, *run);
  // The reason first: a change that nobody can explain is worse than a reason without one.
  io::log_bundle_update(bundle, today(), io::this_program(), options.reason);
  io::write_file(bundle.reference, text);
  say(fmt::format("{}: reference written, {} in {}\n", bundle.name,
                  counted(static_cast<long long>(bundle.channels.size()), "channel", "channels"),
                  bundle.reference.string()));
  return kSuccess;
}

// --- One bundle ---------------------------------------------------------------

// Notes that the machine file has changed since the reference was made.
void add_machine_remark(const Run& run, const io::Trace& reference, std::string& text) {
  constexpr std::string_view kKey = "machine:";
  for (const std::string& line : reference.header_lines)
    if (line.starts_with(kKey) &&
        std::find(run.header.begin(), run.header.end(), line) == run.header.end())
      text += "  the machine file has changed since the reference was made\n";
}

bool there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

int verify_one(const io::Bundle& bundle, const VerifyOptions& options) {
  if (!bundle.external.empty() && (bundle.reference.empty() || !there(bundle.reference))) {
    say(fmt::format(
        "{}: skipped; its data, {}, {}\n", bundle.name, bundle.external,
        bundle.reference.empty()
            ? fmt::format("lie outside the project; name their folder in {}", io::kExternalData)
            : "are not in " + bundle.reference.parent_path().string()));
    return kSuccess;
  }
  if (bundle.drive_count == 0 && !there(bundle.reference))
    throw UserError(fmt::format(
        "{}: there is no such reference{}", bundle.reference.string(),
        is_foreign(bundle.map)
            ? std::string()
            : fmt::format("; 'knuckleboom verify {} --update --reason \"first run\"' writes it",
                          bundle.folder.string())));
  const std::optional<Run> run = run_bundle(bundle, options);
  if (!run) return kInterruptedRun;
  check_channels(*run, bundle);
  const io::Trace reference = io::read_log(bundle.reference, bundle.map, known_columns(*run));
  tell_notes(bundle.reference, reference.notes);
  const std::vector<Row> rows = compare_channels(bundle, *run, reference);
  const std::string missing = uncovered(bundle, *run, reference);
  const bool good = missing.empty() && run->finite &&
                    std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.good; });
  std::string text = fmt::format("{}: {}, {}\n", bundle.name, good ? "ok" : "FAILED", run->title);
  text += table(rows) + missing;
  if (!run->finite) text += "  the run left the real numbers\n";
  if (!good) add_machine_remark(*run, reference, text);
  for (const std::string& remark : run->remarks) text += "  " + remark + "\n";
  say(text);
  if (!good) draw_failure(bundle, *run, reference, rows, options.plot_folder);
  if (!run->finite) return kNonFinite;
  return good ? kSuccess : kBeyondTolerance;
}

int verify(const VerifyOptions& options) {
  const InterruptGuard guard;
  if (options.update && options.reason.find_first_not_of(" \t\r\n") == std::string::npos)
    throw UserError("--update writes over what was expected; say why with --reason \"...\"");
  if (!options.update && !options.reason.empty())
    throw UserError("--reason belongs to --update; add it, or leave the reason away");
  if (options.update && !options.assignments.empty())
    throw UserError(
        "--update takes the bundle as its file says; put what --set changes into its 'set'");
  const char* data = std::getenv(io::kExternalData);
  int worst = kSuccess;
  const auto fail = [&worst](const std::exception& error) {
    complain(error.what());
    worst = kUserMistake;
  };
  // A faulty bundle does not prevent the check of the others.
  for (const std::string& path : options.bundles) {
    try {
      const io::Bundle bundle = io::read_bundle(path, data != nullptr ? data : "");
      const int status = options.update ? update(bundle, options) : verify_one(bundle, options);
      if (status == kInterruptedRun) {
        complain("stopped; the bundles from here on were not looked at");
        return status;
      }
      if (status != kSuccess && worst != kUserMistake) worst = std::max(worst, status);
    } catch (const UserError& error) {
      fail(error);
    } catch (const io::FileError& error) {
      fail(error);
    } catch (const std::invalid_argument& error) {  // machine and exercise do not go together
      fail(error);
    }
  }
  return worst;
}

}  // namespace

Command verify_command() {
  const auto o = std::make_shared<VerifyOptions>();
  return {
      .name = "verify",
      .sentence = "Run trace bundles again and compare with the expected results",
      .arguments = {{.name = "bundle",
                     .target = &o->bundles,
                     .kind = folder_value("BUNDLE"),
                     .sentence = "Folder with a bundle.toml",
                     .required = true},
                    {.name = "--plot-dir",
                     .target = &o->plot_folder,
                     .kind = folder_value(),
                     .sentence = "Folder for plots of failed channels",
                     .without = "out"},
                    set_of_case_option(o->assignments),
                    unset_option(o->assignments),
                    {.name = "--update",
                     .target = &o->update,
                     .sentence = "Rewrite the references; needs --reason"},
                    {"--reason", &o->reason, {"TEXT"}, "Why; logged in the bundle's history.txt"}},
      .examples = {"knuckleboom verify tests/bundles/*",
                   "knuckleboom verify my_bundle --set controller.stick.kp_V_per_rad=60",
                   "knuckleboom verify my_bundle --update --reason \"valve measured anew\""},
      .run = [o] { return verify(*o); }};
}

}  // namespace knuckleboom::app
