#include "app/commands/bundle_from.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "app/commands/bundle_causes.hpp"
#include "app/commands/bundle_run.hpp"
#include "app/session/filing.hpp"
#include "app/session/load_session.hpp"
#include "app/session/operator_settings.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/analysis/execute.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/input_file.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/recording/session_texts.hpp"
#include "knuckleboom/runtime/replay_check.hpp"
#include "recording/machine_texts.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostRows = 4000;  // of a reference
constexpr double kHeavier = 1.000001;     // what noise does, as masses that are off by so much
// Deviations of the same program that a tolerance leaves room for, and the least share of a channel's range.
constexpr double kOfTicks = 2.0, kOfNoise = 4.0, kOfRange = 1e-4;
// A channel that follows the tick or the noise by so much of its range shows nothing else.
constexpr double kUseless = 0.25;
constexpr double kStill = 1e-9;         // range of a channel that does not move [rad, m]
constexpr double kLeastPressure = 1e3;  // Pa, least range of a pressure

// Parts of a bundle, before its folder is there.
struct Source {
  std::string run;   // lines of bundle.toml that say what is run
  std::string told;  // "session drive.h5, ..."
  std::vector<std::string> assignments;
  BundleRun expected;                               // as recorded
  std::optional<std::vector<io::ContentKey>> keys;  // of its files at that time; nothing: as now
  std::vector<io::NamedText> files;                 // into the folder
  io::InputHeader header;
  std::vector<training::InputEvent> events;  // of a session; empty: none
};

// --- A session --------------------------------------------------------------------

std::vector<io::ContentKey> keys_of(const io::SessionHeader& header) {
  const std::vector<io::Override> variant = io::drawn_variant(header);
  const std::vector<io::NamedText> bases = io::texts_of(header.texts, "base");
  const auto keys = [&](const char* role, io::FileKind kind, const char* prefix) {
    const io::SessionText& text = *io::text_of(header.texts, role);
    return io::content_keys(text.text, text.name, kind, prefix,
                            kind == io::FileKind::kExercise ? variant : std::vector<io::Override>(),
                            kind == io::FileKind::kMachine ? &bases : nullptr);
  };
  std::vector<io::ContentKey> all = keys("exercise", io::FileKind::kExercise, io::kExercisePrefix);
  for (const auto& more : {keys("machine", io::FileKind::kMachine, io::kMachinePrefix),
                           keys("levers", io::FileKind::kLevers, io::kLeversPrefix)})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

bool is_there(const std::string& name, fs::path (*find)(const std::string&)) {
  try {
    std::error_code ignored;
    return !name.empty() && fs::exists(find(name), ignored);
  } catch (const UserError&) {
    return false;
  }
}

// The name of a file that anybody finds, else of a copy that goes into the bundle.
std::string kept(const io::SessionHeader& header, const char* role, const std::string& name,
                 fs::path (*find)(const std::string&), bool own, Source& source) {
  if (!own && is_there(name, find)) return name;
  const std::string file = fmt::format("{}.toml", role);
  source.files.push_back({file, io::text_of(header.texts, role)->text});
  return file;
}

// Up to the first restart: a run over time has one time only.
std::int64_t take_events(const io::SessionRecord& session, std::vector<training::InputEvent>& out) {
  std::int64_t end = session.end.end_tick;
  for (const training::InputEvent& event : session.inputs) {
    const bool restart = event.kind == training::InputEventKind::kCommand &&
                         event.command.kind == training::CommandKind::kRestart;
    if (restart && event.tick == 0) continue;
    if (restart) end = std::min(end, event.tick);
    if (restart || event.tick > end || event.kind == training::InputEventKind::kEnd) break;
    out.push_back(event);
  }
  training::InputEvent last{};
  last.tick = end;
  last.kind = training::InputEventKind::kEnd;
  out.push_back(last);
  return end;
}

// Computed from its own texts, which are all there. Nothing if it was interrupted.
std::optional<BundleRun> compute(const io::SessionRecord& record, const fs::path& path,
                                 std::span<const training::InputEvent> events) {
  const LoadedSession loaded = recorded_session(record.header);
  const training::Session& session = *loaded.session;
  const auto look = [&](const training::SessionState& state) {
    const auto recorded = runtime::HashCheck::recorded(record.hashes, state.tick);
    if (!recorded) return;
    const std::optional<std::uint64_t> ours = record.hash(state);
    if (ours && ours != recorded)
      throw UserError(fmt::format(
          "{}: it does not come out as it was recorded, from {:g} s at the latest, so nothing is "
          "expected of it; 'knuckleboom replay' says more",
          path.string(), static_cast<double>(state.tick) * session.tick_s()));
  };
  std::optional<BundleRun> run = run_levers(session, events, {}, look);
  if (!run) return std::nullopt;
  run->title = loaded.title();
  run->header = {record.header.program, machine_line(session.machine().name, loaded.machine_hash),
                 fmt::format("exercise: {} {}", session.exercise().name, loaded.exercise_hash.hex),
                 "input: input.csv"};
  return run;
}

std::optional<Source> of_session(const fs::path& path) {
  const io::SessionRecord record = io::read_session(path);
  for (const std::string& remark : record.remarks) complain(remark);
  const io::SessionHeader& header = record.header;
  if (header.first_tick != 0)
    throw UserError(
        fmt::format("{}: this session took over another one and begins within it; take that one",
                    path.string()));
  Source source;
  const std::int64_t end = take_events(record, source.events);
  if (end <= 0) throw UserError(fmt::format("{}: nothing was driven in it", path.string()));
  if (end < record.end.end_tick)
    say(fmt::format("{}: its first attempt is taken, of {:g} s\n", path.string(),
                    static_cast<double>(end) * record.tick_s()));
  std::optional<BundleRun> run = compute(record, path, source.events);
  if (!run) return std::nullopt;
  source.expected = std::move(*run);
  source.keys = keys_of(header);
  // The operator's own settings are in the texts alone.
  const bool own = header.option(kSettingsOption) != nullptr;
  source.header.program = header.program;
  source.header.exercise = kept(header, "exercise", header.exercise, find_exercise, own, source);
  source.header.levers = kept(header, "levers", header.levers, find_levers, own, source);
  const auto machine = [](const std::string& name) { return find_machine(name); };
  if (!is_there(header.machine, machine) && !io::texts_of(header.texts, "base").empty())
    throw UserError(
        fmt::format("{}: its machine '{}' is not in the configuration folder, and is based on "
                    "another file; put both there",
                    path.string(), header.machine));
  source.header.machine = kept(header, "machine", header.machine, machine, false, source);
  source.header.rate_Hz = header.rate_Hz;
  source.header.fault_seed = header.seed("fault_seed");
  for (const io::Override& one : io::drawn_variant(header))
    source.assignments.push_back(fmt::format("{}.{}={}", io::kExercisePrefix, one.key, one.value));
  source.run = "input = \"input.csv\"\n";
  source.told =
      fmt::format("session {} of {}, exercise {}", header.id, header.start_utc, header.exercise);
  return source;
}

// --- A trace ----------------------------------------------------------------------

// Behind a word at the start of a remark.
std::string remark_of(const io::Trace& trace, std::string_view word) {
  for (const std::string& line : trace.header_lines)
    if (line.starts_with(word)) return line.substr(word.size());
  return {};
}

[[noreturn]] void refuse_no_trace(const fs::path& path) {
  throw UserError(fmt::format(
      "{}: it does not say what it is a trace of, as those of 'knuckleboom run --trace' do in "
      "their first lines; for a machine's own log write the bundle by hand, with [[drive]]: "
      "docs/reference/bundle_file.md",
      path.string()));
}

// One sentence in place of a row of numbers that are none.
void look_at_first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!file || !std::getline(file, line)) return;  // as the reader says
  if (line.starts_with("# knuckleboom input"))
    throw UserError(fmt::format(
        "{}: this is a recording of levers; give the session, or write a bundle with 'input' by "
        "hand: docs/reference/bundle_file.md",
        path.string()));
  if (!line.starts_with('#')) refuse_no_trace(path);
}

Source of_trace(const fs::path& path, const std::vector<std::string>& assignments) {
  look_at_first_line(path);
  Source source;
  source.assignments = assignments;
  BundleRun& expected = source.expected;
  expected.trace = io::read_trace(path);
  const io::Trace& trace = expected.trace;
  const std::string scenario = remark_of(trace, "scenario: ");
  const std::string machine = remark_of(trace, "machine: ");
  const std::string fidelity = remark_of(trace, "fidelity: ");
  const std::size_t blank = scenario.rfind(' ');
  if (blank == std::string::npos || blank == 0 || machine.empty() || fidelity.empty())
    refuse_no_trace(path);
  const std::string name = scenario.substr(0, blank);
  const auto same_files = [&](const std::string& with) {
    const io::LoadedCase loaded = io::load_case(name, with, assignments);
    return loaded.scenario.hash.hex == scenario.substr(blank + 1) &&
           loaded.machine.model.name + ' ' + loaded.machine.hash.hex == machine;
  };
  const std::string other = machine.substr(0, machine.rfind(' '));
  const bool own_machine = same_files({});
  if (!own_machine &&
      !(is_there(other, [](const std::string& n) { return find_machine(n); }) && same_files(other)))
    throw UserError(
        fmt::format("{}: the files of scenario '{}' and machine '{}' are not those it was made of; "
                    "make it anew, or give with --set what was changed for it",
                    path.string(), name, other));
  source.run = fmt::format("scenario = {}\n", io::toml_string(name));
  if (!own_machine) source.run += fmt::format("machine = {}\n", io::toml_string(other));
  source.run += fmt::format("fidelity = {}\n", io::toml_string(fidelity));
  source.told = fmt::format("trace {} of {}", path.filename().string(), name);
  const std::vector<double>& t = trace.data.front();
  if (trace.columns.front() != "t_s" || t.size() < 2)
    throw UserError(
        fmt::format("{}: its first column must be t_s, with two rows or more", path.string()));
  expected.header = trace.header_lines;
  expected.tick_s = std::strtod(remark_of(trace, "tick_s: ").c_str(), nullptr);
  if (!(expected.tick_s > 0.0)) expected.tick_s = t[1] - t[0];
  expected.sample_ticks = std::max<std::int64_t>(1, std::llround((t[1] - t[0]) / expected.tick_s));
  return source;
}

// --- Channels and tolerances --------------------------------------------------------

struct Proposal {
  std::string channel, unit;
  double range = 0.0;
  double ticks = 0.0, noise = 0.0;  // deviations of the same program
  double tolerance = 0.0;           // 0: useless
};

// The next of 1, 2, 5, 10, ... above.
double rounded_up(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0})
    if (step * power >= value * (1.0 - 1e-9)) return step * power;
  return 10.0 * power;
}

double range_of(const std::vector<double>& column) {
  const auto [low, high] = std::minmax_element(column.begin(), column.end());
  return *high - *low;
}

// Joints and pressures that move.
std::vector<Proposal> moving_channels(const BundleRun& run, const io::Trace& expected) {
  std::vector<Proposal> out;
  for (const sim::Channel& channel : run.channels) {
    const bool pressure = channel.unit == "Pa";
    const bool position = channel.unit == "rad" || channel.unit == "m";
    if ((!pressure && !position) || channel.name.find("_ref_") != std::string::npos ||
        channel.name.starts_with("tip_") || channel.name.ends_with("_length_m") ||
        channel.name == "pump_Pa" || expected.find(channel.name) < 0)
      continue;
    const double range = range_of(expected.column(channel.name));
    if (range > (pressure ? kLeastPressure : kStill))
      out.push_back({channel.name, channel.unit, range});
  }
  return out;
}

// False if it was interrupted.
bool propose(const io::Bundle& bundle, const BundleRun& now, std::vector<Proposal>& channels) {
  const auto apart = [&](const BundleChange& change, double Proposal::*into) {
    const std::optional<BundleRun> other = run_bundle(bundle, change);
    if (!other) return false;
    for (Proposal& one : channels)
      one.*into = io::deviation(other->trace, now.trace, one.channel,
                                now.trace.data.front().front(), now.trace.data.front().back())
                      .max;
    return true;
  };
  if (!apart({{}, 2}, &Proposal::ticks)) return false;
  try {
    const std::string heavier = fmt::format("machine.body.*.mass*={}", kHeavier);
    if (!apart({{heavier}, 1}, &Proposal::noise)) return false;
  } catch (const io::FileError&) {
    // A bench has no bodies.
  }
  for (Proposal& one : channels) {
    const double needed =
        std::max({kOfTicks * one.ticks, kOfNoise * one.noise, kOfRange * one.range});
    if (needed < kUseless * one.range) one.tolerance = rounded_up(needed);
  }
  return true;
}

std::string table(const std::vector<Proposal>& channels) {
  std::string text = fmt::format("  {:<22}{:>12}{:>12}{:>12}{:>12}\n", "channel", "range",
                                 "half ticks", "noise", "tolerance");
  for (const Proposal& one : channels)
    text += fmt::format("  {:<22}{:>12}{:>12}{:>12}{:>12}\n", one.channel,
                        with_prefix(one.range, one.unit), with_prefix(one.ticks, one.unit),
                        with_prefix(one.noise, one.unit),
                        one.tolerance > 0.0 ? with_prefix(one.tolerance, one.unit) : "left out");
  return text;
}

// --- The folder ---------------------------------------------------------------------

// Under another name until it is whole; gone if it never is.
class NewFolder {
 public:
  explicit NewFolder(fs::path name)
      : name_(std::move(name)), made_(name_.string() + fmt::format(".{}.tmp", getpid())) {
    std::error_code error;
    if (fs::symlink_status(name_, error).type() != fs::file_type::not_found)
      throw UserError(
          fmt::format("{}: this is there already, and stays; give another name", name_.string()));
    if (!fs::create_directory(made_, error))
      throw UserError(fmt::format("{}: the folder cannot be made: {}", name_.string(),
                                  error ? error.message() : "its name is taken"));
  }
  ~NewFolder() {
    std::error_code ignored;
    if (!done_) fs::remove_all(made_, ignored);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  fs::path operator/(const std::string& file) const { return made_ / file; }
  const fs::path& path() const { return made_; }
  void finish() {
    std::error_code error;
    fs::rename(made_, name_, error);  // not onto a folder that has something in it
    if (error)
      throw UserError(fmt::format("{}: the folder cannot be given its name: {}", name_.string(),
                                  error.message()));
    done_ = true;
  }

 private:
  fs::path name_, made_;
  bool done_ = false;
};

// The highest rate that divides the ticks and keeps the reference short.
double rate_of(const BundleRun& run) {
  const double end_s = run.trace.data.front().back() - run.trace.data.front().front();
  std::int64_t ticks = std::max(analysis::default_ticks_per_sample(run.tick_s), run.sample_ticks);
  while (ticks % run.sample_ticks != 0 ||
         end_s / (static_cast<double>(ticks) * run.tick_s) > static_cast<double>(kMostRows))
    ++ticks;
  return 1.0 / (static_cast<double>(ticks) * run.tick_s);
}

std::string bundle_text(const Source& source, const std::vector<Proposal>& channels) {
  std::string text = fmt::format("format = 1\ndescription = {}\norigin = {}\n{}",
                                 io::toml_string(source.expected.title),
                                 io::toml_string(source.told + "; no measurement"), source.run);
  if (!source.assignments.empty()) {
    text += "set = [";
    for (const std::string& one : source.assignments)
      text += (text.back() == '[' ? "" : ", ") + io::toml_string(one);
    text += "]\n";
  }
  text += fmt::format("\n[reference]\nfile = \"reference.csv\"\nrate_Hz = {:.10g}\n",
                      rate_of(source.expected));
  for (const Proposal& one : channels)
    text += fmt::format("\n[[channel]]\nname = \"{}\"\ntolerance_{} = {:.3g}\n", one.channel,
                        one.unit, one.tolerance);
  return text;
}

void write_input(const Source& source, const NewFolder& folder) {
  for (const io::NamedText& file : source.files) io::write_file(folder / file.name, file.text);
  if (source.events.empty()) return;
  io::InputWriter writer(folder / "input.csv", source.header);
  writer.write(source.events);
  writer.close();
}

}  // namespace

int bundle_from(const fs::path& source_path, const fs::path& name,
                const std::vector<std::string>& assignments) {
  const bool session = is_session_file(source_path);
  if (session && !assignments.empty())
    throw UserError(
        "--set goes with --from TRACE alone; a session says itself what it was made from");
  std::optional<Source> source =
      session ? of_session(find_session(source_path.string())) : of_trace(source_path, assignments);
  if (!source) return kInterruptedRun;
  if (!source->expected.finite)
    throw UserError(fmt::format("{}: it leaves the real numbers, so nothing is expected of it",
                                source_path.string()));
  fs::path folder_name = name;
  if (!folder_name.has_filename()) folder_name = folder_name.parent_path();
  NewFolder folder(folder_name);
  write_input(*source, folder);
  // With any channel, to be run.
  io::write_file(folder / "bundle.toml",
                 bundle_text(*source, {{"any", "rad", 0.0, 0.0, 0.0, 1.0}}));
  io::Bundle bundle = io::read_bundle(folder.path(), {});
  const std::optional<BundleRun> now = run_bundle(bundle, {});
  if (!now) return kInterruptedRun;
  if (source->expected.title.empty()) source->expected.title = now->title;
  std::vector<Proposal> channels = moving_channels(*now, source->expected.trace);
  if (!propose(bundle, *now, channels)) return kInterruptedRun;
  say(table(channels));
  std::erase_if(channels, [](const Proposal& one) { return !(one.tolerance > 0.0); });
  if (channels.empty())
    throw UserError(
        fmt::format("{}: no joint or pressure moves in it that ticks of half the length would not "
                    "change as much; nothing could be compared",
                    source_path.string()));
  io::write_file(folder / "bundle.toml", bundle_text(*source, channels));
  bundle = io::read_bundle(folder.path(), {});
  io::write_file(bundle.reference, reference_text(bundle, source->expected));
  write_keys(bundle, source->expected.header.front(),
             source->keys ? *source->keys : bundle_keys(bundle, {}, now->files));
  log_update(bundle, "made from " + source->told);
  folder.finish();
  say(fmt::format("{}: made from {}\n", folder_name.string(), source->told));
  return kSuccess;
}

}  // namespace knuckleboom::app
