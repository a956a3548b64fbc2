#include "app/judge.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "app/check.hpp"
#include "app/config_paths.hpp"
#include "app/console.hpp"
#include "app/exit_status.hpp"
#include "app/json.hpp"
#include "app/log_observations.hpp"
#include "app/plot.hpp"
#include "app/text.hpp"
#include "app/trainer/session_texts.hpp"
#include "knuckleboom/core/training/scorer.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/session_file.hpp"
#include "knuckleboom/io/session_journal.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

struct Judgement {
  std::string file, heading;
  // By training::figures(); nothing: not in the log.
  std::vector<std::optional<double>> values;
};

bool is_session(const fs::path& path) {
  return path.extension() == io::kSessionSuffix || path.extension() == io::kJournalSuffix;
}

// Every attempt as it was judged when it was made.
std::vector<Judgement> judge_session(const fs::path& path) {
  const io::SessionOutline session = io::read_session_outline(path);
  std::vector<Judgement> out;
  for (std::size_t i = 0; i < session.attempts.size(); ++i) {
    const io::SessionAttempt& attempt = session.attempts[i];
    Judgement one{path.string(),
                  fmt::format("{}, attempt {} of {}, as judged by {}", session.header.exercise,
                              i + 1, session.attempts.size(), session.header.program),
                  {}};
    for (const training::Figure& figure : training::figures()) {
      const auto& names = session.header.figures;
      const auto at = std::find_if(names.begin(), names.end(),
                                   [&](const auto& info) { return info.name == figure.name; });
      const auto index = static_cast<std::size_t>(at - names.begin());
      one.values.push_back(index < attempt.figures.size()
                               ? std::optional<double>(attempt.figures[index])
                               : std::nullopt);
    }
    out.push_back(std::move(one));
  }
  if (out.empty())
    throw UserError(
        fmt::format("{}: the session holds no attempt that has ended; knuckleboom "
                    "replay --headless shows how far it came",
                    path.string()));
  return out;
}

Judgement judge_log(const fs::path& path, const io::LogMap& map,
                    const machine::MachineModel* machine) {
  const LogObservations log = read_observations(path, map, machine);
  training::ScoreState state{};
  training::set_start(log.rows.front(), state);
  for (std::size_t i = 1; i < log.rows.size(); ++i) training::gather(true, log.rows[i], state);
  training::finish(log.rows.back(), state);
  Judgement out{
      path.string(),
      fmt::format("from {:g} s, {:.4g} Hz, by {}", log.start_s, log.rate_Hz, listing(log.columns)),
      {}};
  for (const training::Figure& figure : training::figures())
    out.values.push_back((figure.needs & ~log.observed) == 0
                             ? std::optional<double>(figure.read(state.score))
                             : std::nullopt);
  return out;
}

std::string to_text(const Judgement& judged, const training::Exercise* exercise) {
  std::string text = fmt::format("{}: {}\n", judged.file, judged.heading);
  for (std::size_t i = 0; i < judged.values.size(); ++i) {
    const training::Figure& figure = training::figures()[i];
    std::string line =
        judged.values[i] ? value_text(figure, *judged.values[i]) : std::string("not in the log");
    const training::Limit* limit = exercise == nullptr ? nullptr : limit_of(*exercise, figure.name);
    if (limit != nullptr) {
      line = fmt::format("{:<14}  {}", line, limit_text(figure, *limit));
      if (judged.values[i] && is_beyond(*limit, *judged.values[i], true)) line += "   BEYOND";
    }
    text += fmt::format("  {:<20} {}\n", figure.label, line);
  }
  return text;
}

std::string to_json(const std::vector<Judgement>& all) {
  JsonWriter json;
  json.begin_array();
  for (const Judgement& judged : all) {
    json.begin_object().member("file", judged.file).key("figures").begin_object();
    for (std::size_t i = 0; i < judged.values.size(); ++i)
      if (judged.values[i]) json.member(training::figures()[i].name, *judged.values[i]);
    json.end_object().end_object();
  }
  return json.end_array().text();
}

bool beyond_a_limit(const Judgement& judged, const training::Exercise& exercise) {
  for (std::size_t i = 0; i < judged.values.size(); ++i) {
    const training::Limit* limit = limit_of(exercise, training::figures()[i].name);
    if (limit != nullptr && judged.values[i] && is_beyond(*limit, *judged.values[i], true))
      return true;
  }
  return false;
}

}  // namespace

int judge(const JudgeOptions& options) {
  if (!options.summary.empty()) {
    check_output_path(options.summary, "--summary");
    std::vector<std::string> inputs = options.files;
    inputs.push_back(options.map);
    check_distinct({{"--summary", options.summary}}, inputs);
  }
  const io::LogMap map = options.map.empty() ? io::LogMap() : io::read_log_map(options.map);
  std::optional<io::MachineFile> machine;
  if (!options.machine.empty()) {
    const fs::path path = find_machine(options.machine);
    refuse_other_kind(path.string(), FileKind::kMachine);
    machine = io::read_machine(path);
  }
  std::optional<io::ExerciseFile> exercise;
  if (!options.exercise.empty()) exercise = io::read_exercise(find_exercise(options.exercise));

  std::vector<Judgement> all;
  for (const std::string& file : options.files) {
    if (!is_session(file)) {
      all.push_back(judge_log(file, map, machine ? &machine->model : nullptr));
      continue;
    }
    for (Judgement& one : judge_session(file)) all.push_back(std::move(one));
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

}  // namespace knuckleboom::app
