// knuckleboom judge: the figures of logs, traces and recorded sessions. docs/reference/figures.md
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/commands/logs.hpp"
#include "app/commands/options.hpp"
#include "app/session/coaching.hpp"
#include "app/session/filing.hpp"
#include "app/session/open_session.hpp"
#include "app/session/session_texts.hpp"
#include "app/session/watch_texts.hpp"
#include "app/session/work_times.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/json.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/table_notes.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/analysis/log_observations.hpp"
#include "knuckleboom/analysis/spectral_arc.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/recording/session_journal.hpp"

namespace knuckleboom::app {
namespace {

struct JudgeOptions {
  std::vector<std::string> files;
  std::string map;         // a log map; empty: columns by our names
  std::string dbc;         // of logs of a CAN bus
  std::string machine;     // of logs that have joints instead of the tip
  std::string exercise;    // whose limits are shown
  std::string summary;     // JSON; empty: none
  bool recompute = false;  // sessions, from their inputs
};

namespace fs = std::filesystem;

struct Judgement {
  std::string file, heading;
  // By training::figures(); nothing: why it is not known, and what that is due to.
  std::vector<std::optional<double>> values;
  std::vector<std::string> why;
  std::optional<double> spectral_arc{};                      // of a log
  std::vector<view::panels::FigureRow> work{};               // elements, where they are told
  std::vector<std::pair<std::string, double>> named_work{};  // the same by name, of a session
  std::string remark{};                                      // a line, or empty
  Coaching coaching{};
  std::string watched{};  // how far the watch could look, or empty
  std::vector<std::string> warnings{};
};

// Every attempt as it was judged when it was made, or now if it is computed again.
std::vector<Judgement> judge_session(const fs::path& path, bool recompute) {
  const io::SessionRecord session =
      recompute ? open_session(path.string(), true) : io::read_session(path);
  for (const std::string& remark : session.remarks) complain(remark);
  const RecordedWork work(session);
  std::vector<Coaching> coaching = coach_attempts(session);
  std::vector<Judgement> out;
  for (std::size_t i = 0; i < session.attempts.size(); ++i) {
    const io::SessionAttempt& attempt = session.attempts[i];
    Judgement one{path.string(),
                  fmt::format("{}, attempt {} of {}, as judged by {}", session.header.exercise,
                              i + 1, session.attempts.size(), session.header.program),
                  {},
                  {},
                  {}};
    for (const training::Figure& figure : training::figures()) {
      const auto& names = session.header.figures;
      const auto at = std::find_if(names.begin(), names.end(),
                                   [&](const auto& info) { return info.name == figure.name; });
      const auto index = static_cast<std::size_t>(at - names.begin());
      one.values.push_back(index < attempt.figures.size()
                               ? std::optional<double>(attempt.figures[index])
                               : std::nullopt);
      one.why.emplace_back("not in the log");
    }
    if (const auto end = work.at_end_of(i)) {
      one.work = element_rows(*end);
      one.named_work = named_work(*end);
    }
    one.coaching = std::move(coaching[i]);
    out.push_back(std::move(one));
  }
  if (out.empty())
    throw UserError(
        fmt::format("{}: the session holds no attempt that has ended; knuckleboom "
                    "replay --headless shows how far it came",
                    path.string()));
  return out;
}

// Why a log does not tell a figure; empty: it does.
std::string why_unknown(const training::Figure& figure, const analysis::LogObservations& log,
                        const training::ScoreState& state) {
  using namespace training;
  const std::uint32_t missing = figure.needs & ~log.observed;
  constexpr std::uint32_t kNoise = kObservedWay | kObservedCalm;
  if ((missing & ~(kNoise | kObservedDense)) != 0) return "not in the log";
  if ((missing & kObservedDense) != 0) return "not in the log: the tip too seldom";
  if ((missing & kNoise) != 0)
    return fmt::format("too noisy: {:.2f} m/s at rest",
                       (missing & kObservedWay) != 0 ? log.noise.way : log.noise.speed);
  const bool smoothness = figure.averages && (figure.needs & kObservedDense) != 0;
  if (smoothness && state.legs.left_out > 0.0 && state.legs.measured == 0.0)
    return "not in the log: no leg whole";
  return {};
}

// How far a log allowed to look for what no real machine does.
std::string watched_text(const analysis::LogObservations& log,
                         const machine::MachineModel& machine) {
  std::vector<std::string> joints, unseen, pistons;
  for (int i = 0; i < machine.joint_count(); ++i) {
    const auto& seen = log.watched_joints;
    const bool is_seen = std::find(seen.begin(), seen.end(), i) != seen.end();
    const std::string name = machine.shown_name(i);
    std::vector<std::string>& names = is_seen ? joints : unseen;
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  for (const int k : log.watched_pistons) pistons.push_back(machine.actuator_name(k));
  if (joints.empty()) return "nothing: the log has no position of a joint";
  std::string text = fmt::format("speeds and limits of {}", listing(joints));
  if (!pistons.empty()) text += fmt::format("; pistons of {}", listing(pistons));
  text += "; not pressures and energy";
  if (!unseen.empty()) text += fmt::format(", and not {}, which the log has not", listing(unseen));
  return text;
}

// Both tracks, the phases of a load, and the single list that follows from the tracks.
std::vector<view::panels::FigureRow> work_rows(const analysis::LogObservations& log) {
  const analysis::LogWork work = analysis::judge_work(log);
  const double dt = log.dt;
  std::vector<double> tracks[training::kTracks], single(training::kElements), phases;
  for (const training::ElementTrack& track : work.state.track)
    for (const std::int64_t ticks : track.ticks)
      tracks[&track - work.state.track].push_back(dt * static_cast<double>(ticks));
  for (const training::FinalPiece& piece : training::single_list(work.pieces))
    single[static_cast<std::size_t>(piece.element)] +=
        dt * static_cast<double>(piece.end - piece.begin);
  for (const std::int64_t ticks : work.state.phase_ticks)
    phases.push_back(dt * static_cast<double>(ticks));
  const bool drives = tracks[1][static_cast<std::size_t>(training::Element::kMove)] > 0.0;
  std::vector<view::panels::FigureRow> rows =
      element_rows({tracks[0], tracks[1], phases, drives, work.state.load > 0});
  if (!drives) return rows;
  for (view::panels::FigureRow& one : element_rows({single, {}, {}, false, false})) {
    one.label = "As a single list";
    one.value += fmt::format("; {}", training::kSingleListRule);
    rows.push_back(std::move(one));
  }
  return rows;
}

// The same rules as for a session, as far as the log's signals go.
Coaching coach_log(const analysis::LogObservations& log) {
  coach::Told told;
  told.free = log.free;
  const bool dense = (log.observed & training::kObservedDense) != 0;
  const auto add = [&told](bool there, std::uint32_t bit) { told.signals |= there ? bit : 0U; };
  add(dense && (log.observed & training::kObservedCalm) != 0, coach::kTip);
  add((log.observed & training::kObservedGrip) != 0, coach::kGrips);
  add((log.observed & training::kObservedTravel) != 0, coach::kTravel);
  add(!log.work.empty(), coach::kWork);
  add(!log.reach_m.empty(), coach::kReach);
  add((log.observed & training::kObservedDrive) != 0, coach::kDriving);
  add((log.observed & training::kObservedHead) != 0, coach::kHead);
  for (std::size_t i = 0; i < log.functions.size(); ++i)
    if (log.functions[i] == "rotator") told.rotator = static_cast<int>(i);
  add(told.rotator >= 0, coach::kRotator);

  coach::Observer observer(told);
  std::vector<double> times_s;
  const auto every =
      dense ? static_cast<std::size_t>(std::lround(training::kElementSample / log.dt)) : log.rows;
  analysis::visit_rows(log, [&](std::size_t i, const training::Observation& row) {
    const double t = log.dt * static_cast<double>(i);
    if (i % every != 0 || t > log.end_s) return;
    coach::Sample sample;
    sample.seen = row;
    if (i > 0 && i / every <= log.work.size()) sample.work = log.work[i / every - 1];
    if (i < log.reach_m.size()) sample.reach_m = log.reach_m[i];
    observer.add(sample);
    times_s.push_back(log.start_s + t);
  });
  return coaching_of(coach::advise(observer.finish(), told), times_s);
}

Judgement judge_log(const fs::path& path, const io::LogMap& map,
                    const machine::MachineModel* machine) {
  const analysis::LogObservations log = analysis::read_observations(path, map, machine);
  tell_notes(path, log.notes);
  const training::ScoreState state = analysis::judge(log);
  Judgement out{
      path.string(),
      fmt::format("from {:g} s, {:.4g} Hz, by {}", log.start_s, log.rate_Hz, listing(log.columns)),
      {},
      {},
      {}};
  if (machine != nullptr) {
    out.watched = watched_text(log, *machine);
    out.warnings = watch_sentences(*machine, log.watch);
  }
  for (const training::Figure& figure : training::figures()) {
    out.why.push_back(why_unknown(figure, log, state));
    out.values.push_back(out.why.back().empty() ? std::optional<double>(figure.read(state.score))
                                                : std::nullopt);
    // Beside the jerk, which a real sensor's noise disturbs more.
    if (figure.member == &training::Score::smoothness && out.values.back())
      if (const double arc = analysis::spectral_arc(log); std::isfinite(arc))
        out.spectral_arc = arc;
  }
  if (!log.work.empty()) out.work = work_rows(log);
  out.coaching = coach_log(log);
  const std::uint32_t movements = training::kObservedDense | training::kObservedCalm;
  if (state.legs.left_out > 0.0 && (log.observed & movements) == movements)
    out.remark = fmt::format("legs left out, as they have gaps or began before the log: {:.0f}",
                             state.legs.left_out);
  return out;
}

bool is_praise(const CoachLine& line) { return line.finding.verdict == coach::Verdict::kPraised; }

std::string to_text(const Judgement& judged, const training::Exercise* exercise) {
  std::string text = fmt::format("{}: {}\n", judged.file, judged.heading);
  for (std::size_t i = 0; i < judged.values.size(); ++i) {
    const training::Figure& figure = training::figures()[i];
    std::string line = judged.values[i] ? value_text(figure, *judged.values[i]) : judged.why[i];
    const training::Limit* limit = exercise == nullptr ? nullptr : limit_of(*exercise, figure.name);
    if (limit == nullptr && judged.values[i] &&
        (std::isnan(*judged.values[i]) ||
         (exercise != nullptr &&
          training::tells_nothing(exercise->task, figure, *judged.values[i]))))
      continue;
    if (limit != nullptr) {
      line = fmt::format("{:<14}  {}", line, limit_text(figure, *limit));
      if (judged.values[i] && is_beyond(figure, *limit, *judged.values[i], true))
        line += "   BEYOND";
    }
    text += fmt::format("  {:<20} {}\n", figure.label, line);
    if (figure.member == &training::Score::smoothness && judged.spectral_arc)
      text += fmt::format("  {:<20} {:.2f}\n", "Smoothness (SPARC)", *judged.spectral_arc);
  }
  for (const view::panels::FigureRow& row : judged.work)
    text += fmt::format("  {:<20} {}\n", row.label, row.value);
  text += to_text(judged.coaching);
  if (!judged.remark.empty()) text += fmt::format("  {}\n", judged.remark);
  if (!judged.watched.empty()) text += fmt::format("  {:<20} {}\n", "watched", judged.watched);
  for (const std::string& warning : judged.warnings)
    text += fmt::format("  warning: {}\n", warning);
  return text;
}

void add_coaching(const Coaching& coaching, JsonWriter& json) {
  json.key("advice").begin_array();
  for (const CoachLine& line : coaching.lines) {
    json.begin_object().member("rule", coach::number_of(line.finding.habit));
    json.member("habit", std::string(coach::rule_of(line.finding.habit).habit));
    json.member("praise", is_praise(line)).member("text", line.text);
    json.member("occasions", line.finding.occasions).member("counted", line.finding.counted);
    json.member("figure", line.finding.figure).member("bound", line.finding.bound);
    json.member("lost_s", line.finding.lost_s).key("at_s").begin_array();
    for (const double at_s : line.marks_s) json.value(at_s);
    json.end_array().end_object();
  }
  json.end_array().member("looked_at", coaching.seen);
  json.member("not_looked_at", coaching.silent);
}

std::string to_json(const std::vector<Judgement>& all) {
  JsonWriter json;
  json.begin_array();
  for (const Judgement& judged : all) {
    json.begin_object().member("file", judged.file).key("figures").begin_object();
    for (std::size_t i = 0; i < judged.values.size(); ++i) {
      if (!judged.values[i]) continue;
      const training::Figure& figure = training::figures()[i];
      const double value = *judged.values[i];
      json.member(figure.name, training::is_undefined(figure, value) ? std::nan("") : value);
    }
    if (judged.spectral_arc) json.member("spectral_arc", *judged.spectral_arc);
    json.end_object().key("unknown").begin_object();
    for (std::size_t i = 0; i < judged.values.size(); ++i)
      if (!judged.values[i]) json.member(training::figures()[i].name, judged.why[i]);
    json.end_object();
    if (!judged.named_work.empty()) {
      json.key("work").begin_object();
      for (const auto& [name, value] : judged.named_work) json.member(name, value);
      json.end_object();
    }
    add_coaching(judged.coaching, json);
    if (!judged.watched.empty()) json.member("watched", judged.watched);
    json.member("warnings", judged.warnings).end_object();
  }
  return json.end_array().text();
}

bool beyond_a_limit(const Judgement& judged, const training::Exercise& exercise) {
  for (std::size_t i = 0; i < judged.values.size(); ++i) {
    const training::Figure& figure = training::figures()[i];
    const training::Limit* limit = limit_of(exercise, figure.name);
    if (limit != nullptr && judged.values[i] && is_beyond(figure, *limit, *judged.values[i], true))
      return true;
  }
  return false;
}

int judge(const JudgeOptions& options) {
  if (!options.summary.empty()) {
    check_output_path(options.summary, "--summary");
    std::vector<std::string> inputs = options.files;
    inputs.insert(inputs.end(), {options.map, options.dbc});
    check_distinct({{"--summary", options.summary}}, inputs);
  }
  const io::LogMap map = named_map(options.map, options.dbc);
  const std::optional<io::MachineFile> machine = named_machine(options.machine);
  std::optional<io::ExerciseFile> exercise;
  if (!options.exercise.empty()) exercise = io::read_exercise(find_exercise(options.exercise));

  std::vector<Judgement> all;
  for (const std::string& file : options.files) {
    if (!is_session_file(file)) {
      all.push_back(judge_log(file, map, machine ? &machine->model : nullptr));
      continue;
    }
    for (Judgement& one : judge_session(file, options.recompute)) all.push_back(std::move(one));
  }
  std::string text;
  bool good = true;
  for (const Judgement& judged : all) {
    if (!text.empty()) text += '\n';
    text += to_text(judged, exercise ? &exercise->exercise : nullptr);
    if (exercise && beyond_a_limit(judged, exercise->exercise)) good = false;
  }
  if (!options.summary.empty()) io::write_file(options.summary, to_json(all));
  say(text);
  return good ? kSuccess : kBeyondTolerance;
}

}  // namespace

Command judge_command() {
  const auto o = std::make_shared<JudgeOptions>();
  return {.name = "judge",
          .sentence = "Judge how a crane was driven: logs, traces and recorded sessions",
          .arguments = {{.name = "file",
                         .target = &o->files,
                         .kind = file_value(),
                         .sentence = "Table (text, MATLAB, HDF5, CAN) or session file",
                         .required = true},
                        {.name = "--map",
                         .target = &o->map,
                         .kind = file_value("FILE", ".toml"),
                         .sentence = "Log map: meaning and unit of each column",
                         .without = "the program's own names"},
                        dbc_option(o->dbc),
                        machine_option(o->machine,
                                       "Machine of a log that has joints instead of the tip"),
                        {"--exercise", &o->exercise, exercise_value(),
                         "Exercise whose limits apply; status 4 if a figure exceeds one"},
                        summary_option(o->summary, "Write the figures as JSON"),
                        {.name = "--recompute",
                         .target = &o->recompute,
                         .sentence = "Compute sessions again from their inputs first, whatever "
                                     "program recorded them"}},
          .examples = {"knuckleboom judge crane.csv --map crane_map.toml",
                       "knuckleboom judge joints.csv --machine harvester",
                       "knuckleboom judge mine.h5 --exercise reach"},
          .run = [o] { return judge(*o); }};
}

}  // namespace knuckleboom::app
