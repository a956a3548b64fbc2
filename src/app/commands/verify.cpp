// knuckleboom verify: bundles of recorded runs as regression tests. docs/reference/bundle_file.md
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
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

#include "app/commands/bundle_causes.hpp"
#include "app/commands/bundle_from.hpp"
#include "app/commands/bundle_run.hpp"
#include "app/commands/options.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/table_notes.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/bundle_file.hpp"
#include "knuckleboom/io/trace.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/recording/table_file.hpp"

namespace knuckleboom::app {
namespace {

struct VerifyOptions {
  std::vector<std::string> bundles;      // folders
  std::string from;                      // a session or a trace that the bundle is made from
  std::vector<std::string> assignments;  // as of run, on top of the bundle's own
  std::string plot_folder = "out";       // for pictures of what failed; made if needed
  std::string dbc;  // of references that are logs of a CAN bus; empty: as the bundles say
  bool update = false;
  std::string reason;  // of the update
};

namespace fs = std::filesystem;

constexpr double kMostDelay = 0.05;   // s, that a failed channel is looked through for
constexpr double kLeftByDelay = 0.3;  // share of the rms that is left when a delay is the cause

std::vector<io::KnownColumn> known_columns(const BundleRun& run) {
  std::vector<io::KnownColumn> out;
  for (const sim::Channel& channel : run.channels)
    if (channel.name != "t_s") out.push_back({channel.name, channel.unit});
  out.push_back({"tank_Pa", "Pa"});
  return out;
}

const sim::Channel& channel_of(const BundleRun& run, const io::Bundle& bundle,
                               const std::string& name) {
  std::vector<std::string> names;
  for (const sim::Channel& channel : run.channels) {
    if (channel.name == name) return channel;
    names.push_back(channel.name);
  }
  throw UserError(fmt::format("bundle {}: the run has no channel '{}'{}", bundle.name, name,
                              alternatives(name, names)));
}

void check_channels(const BundleRun& run, const io::Bundle& bundle) {
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
  double from_s = 0.0, to_s = 0.0;
  bool good = false;
};

std::vector<Row> compare_channels(const io::Bundle& bundle, const BundleRun& run,
                                  const io::Trace& reference) {
  std::vector<Row> rows;
  for (const io::BundleChannel& channel : bundle.channels) {
    Row row;
    row.from_s = channel.from_s;
    row.to_s = channel.to_s;
    row.found = io::deviation(run.trace, reference, channel.name, channel.from_s, channel.to_s,
                              {channel.time_s, channel.time_s});
    row.unit = channel.tolerance.given ? channel.tolerance.unit : channel.rms.unit;
    row.tolerance = largest_allowed(channel.tolerance);
    row.rms = largest_allowed(channel.rms);
    row.good = row.found.samples > 0 && row.found.max <= row.tolerance && row.found.rms <= row.rms;
    rows.push_back(std::move(row));
  }
  return rows;
}

// 0: all within their tolerances. Else how many times beyond the root mean square is, over all channels.
double apart(const std::vector<Row>& rows, const BundleRun& run) {
  if (!run.finite) return std::numeric_limits<double>::infinity();
  double sum = 0.0;
  for (const Row& row : rows) {
    if (row.good) continue;
    const double limit = std::min(row.tolerance, row.rms);
    sum += row.found.rms * row.found.rms / (limit > 0.0 ? limit * limit : 1.0);
  }
  return std::sqrt(sum);
}

// Channels that fail by their time alone.
std::string delays(const std::vector<Row>& rows, const BundleRun& run, const io::Trace& reference) {
  std::string text;
  for (const Row& row : rows) {
    if (row.good || !std::isfinite(row.tolerance) || row.found.samples == 0) continue;
    const double delay_s = io::delay(run.trace, reference, row.found.column, row.from_s, row.to_s,
                                     row.tolerance, kMostDelay);
    if (std::isnan(delay_s)) continue;
    io::Trace later = reference;
    for (double& t : later.data.front()) t += delay_s;
    const double left = io::deviation(run.trace, later, row.found.column, row.from_s, row.to_s).rms;
    if (left > kLeftByDelay * row.found.rms) continue;
    text +=
        fmt::format("  {} comes {:.1f} ms {}; time_ms = {:.1f} of its [[channel]] allows that\n",
                    row.found.column, 1e3 * std::fabs(delay_s), delay_s > 0.0 ? "late" : "early",
                    std::ceil(1e4 * std::fabs(delay_s)) * 0.1);
  }
  return text;
}

// Part of the reference that lies beyond the run's end has not been compared.
std::string uncovered(const io::Bundle& bundle, const BundleRun& run, const io::Trace& reference) {
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
Figure failure_figure(const io::Bundle& bundle, const BundleRun& run, const io::Trace& reference,
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
void draw_failure(const io::Bundle& bundle, const BundleRun& run, const io::Trace& reference,
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

// A map with columns of its own: the table was made by others, and is written in another way.
bool is_foreign(const io::LogMap& map) {
  return !map.dbc.empty() || !map.time.empty() || !map.time_unit.empty() || map.shift_s != 0.0 ||
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

// --- One bundle ---------------------------------------------------------------

// Notes that the machine file has changed since the reference was made.
std::string machine_remark(const BundleRun& run, const io::Trace& reference) {
  constexpr std::string_view kKey = "machine:";
  for (const std::string& line : reference.header_lines)
    if (line.starts_with(kKey) &&
        std::find(run.header.begin(), run.header.end(), line) == run.header.end())
      return "  the machine file has changed since the reference was made\n";
  return {};
}

// Why it failed, as far as is known.
std::string why(const io::Bundle& bundle, const BundleChange& change, const BundleRun& run,
                const io::Trace& reference, const std::vector<Row>& rows) {
  const Apart apart_of = [&](const BundleRun& other) {
    const double beyond =
        uncovered(bundle, other, reference).empty() ? 0.0 : std::numeric_limits<double>::infinity();
    return beyond + apart(compare_channels(bundle, other, reference), other);
  };
  const std::string text = causes(bundle, change, run, apart_of);
  return delays(rows, run, reference) + (text.empty() ? machine_remark(run, reference) : text);
}

bool there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

// run: receives it; nothing if it was skipped or interrupted.
int verify_one(const io::Bundle& bundle, const VerifyOptions& options,
               std::optional<BundleRun>& run) {
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
  const BundleChange change{options.assignments, 1};
  run = run_bundle(bundle, change);
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
  if (!good) text += why(bundle, change, *run, reference, rows);
  for (const std::string& remark : run->remarks) text += "  " + remark + "\n";
  say(text);
  if (!good) draw_failure(bundle, *run, reference, rows, options.plot_folder);
  if (!run->finite) return kNonFinite;
  return good ? kSuccess : kBeyondTolerance;
}

// Somebody else's table stays; but with what keys the bundle passes can be told. it_is: why it stays.
int update_keys(const io::Bundle& bundle, const VerifyOptions& options, const std::string& it_is) {
  std::optional<BundleRun> run;
  const int status = verify_one(bundle, options, run);
  if (status == kInterruptedRun || (status == kSuccess && !run)) return status;
  if (status != kSuccess)
    throw UserError(fmt::format("bundle {}: {} not written over; change the tolerances instead",
                                bundle.name, it_is));
  log_update(bundle, options.reason);
  write_keys(bundle, io::this_program(), bundle_keys(bundle, {}, run->files));
  say(fmt::format("{}: {} not written over; the keys with which it passes are in {}\n", bundle.name,
                  it_is, keys_file(bundle).string()));
  return kSuccess;
}

int update(const io::Bundle& bundle, const VerifyOptions& options) {
  if (bundle.drive_count > 0)
    return update_keys(bundle, options, "its table is a log that drives the machine, and is");
  if (!bundle.external.empty() || is_foreign(bundle.map))
    return update_keys(
        bundle, options,
        fmt::format("the reference is somebody else's data ({}) and is", bundle.origin));
  if (!is_written_by_update(bundle.reference))
    throw UserError(
        fmt::format("{}: this is no reference that --update has written and it stays; name another "
                    "file in the bundle, or move it away",
                    bundle.reference.string()));
  const std::optional<BundleRun> run = run_bundle(bundle, {options.assignments, 1});
  if (!run) return kInterruptedRun;
  if (!run->finite)
    throw UserError(
        fmt::format("bundle {}: the run left the real numbers; the reference stays as "
                    "it was",
                    bundle.name));
  check_channels(*run, bundle);
  const std::string text = reference_text(bundle, *run);
  // The reason first: a change that nobody can explain is worse than a reason without one.
  log_update(bundle, options.reason);
  io::write_file(bundle.reference, text);
  write_keys(bundle, io::this_program(), bundle_keys(bundle, {}, run->files));
  say(fmt::format("{}: reference written, {} in {}\n", bundle.name,
                  counted(static_cast<long long>(bundle.channels.size()), "channel", "channels"),
                  bundle.reference.string()));
  return kSuccess;
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
  if (!options.from.empty()) {
    if (options.update || options.bundles.size() != 1)
      throw UserError("--from makes one new bundle; give the name of its folder, and no --update");
    const int status = bundle_from(options.from, options.bundles.front(), options.assignments);
    if (status != kSuccess) return status;
  }
  if (options.bundles.empty())
    throw UserError("bundle is required: folders with a bundle.toml; --help shows what there is");
  const char* data = std::getenv(io::kExternalData);
  int worst = kSuccess;
  const auto fail = [&worst](const std::exception& error) {
    complain(error.what());
    worst = kUserMistake;
  };
  VerifyOptions changed = options;
  if (!options.from.empty()) changed.assignments.clear();  // they are in the bundle
  // A faulty bundle does not prevent the check of the others.
  for (const std::string& path : options.bundles) {
    try {
      io::Bundle bundle = io::read_bundle(path, data != nullptr ? data : "");
      if (!options.dbc.empty()) bundle.map.dbc = options.dbc;
      std::optional<BundleRun> run;
      const int status =
          options.update ? update(bundle, options) : verify_one(bundle, changed, run);
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
                     .sentence = "Folder with a bundle.toml"},
                    {.name = "--plot-dir",
                     .target = &o->plot_folder,
                     .kind = folder_value(),
                     .sentence = "Folder for plots of failed channels",
                     .without = "out"},
                    set_of_case_option(o->assignments),
                    unset_option(o->assignments),
                    dbc_option(o->dbc),
                    {.name = "--from",
                     .target = &o->from,
                     .kind = file_value("SESSION|TRACE"),
                     .sentence =
                         "Make the bundle, which is not there yet, from a recorded session or a "
                         "trace of run, with tolerances that are proposed"},
                    {.name = "--update",
                     .target = &o->update,
                     .sentence = "Rewrite the references; needs --reason"},
                    {"--reason", &o->reason, {"TEXT"}, "Why; logged in the bundle's history.txt"}},
      .examples = {"knuckleboom verify tests/bundles/*",
                   "knuckleboom verify my_bundle --set controller.stick.kp_V_per_rad=60",
                   "knuckleboom verify my_bundle --from monday.h5",
                   "knuckleboom verify my_bundle --update --reason \"valve measured anew\""},
      .run = [o] { return verify(*o); }};
}

}  // namespace knuckleboom::app
