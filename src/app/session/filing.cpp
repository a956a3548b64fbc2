#include "app/session/filing.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/session/names.hpp"
#include "app/session/session_texts.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/log.hpp"
#include "knuckleboom/recording/session_journal.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

struct WhichExercise {
  std::string name;
  bool free = false;  // no task
};
// As in the report: by its own name, wherever it was read from.
WhichExercise exercise_of(const io::SessionHeader& header) {
  try {
    const std::unique_ptr<training::Session> session = io::make_session(header);
    return {session->exercise().name, session->exercise().task == training::TaskKind::kFree};
  } catch (const io::FileError&) {
  } catch (const std::invalid_argument&) {
  }
  return {header.exercise, false};  // of another version
}

}  // namespace

std::filesystem::path learners_file() {
  const std::filesystem::path folder = user_data_folder();
  if (folder.empty())
    throw UserError(
        "there is no folder for learners: neither XDG_DATA_HOME nor HOME is an absolute path");
  return folder / "learners.db";
}

std::vector<std::string> session_names() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(user_session_folder(), ignored))
    if (entry.path().extension() == io::kSessionSuffix) names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> learner_names() {
  std::vector<std::string> names;
  for (const learners::Summary& one :
       learners::Database(learners_file(), learners::Access::kRead).list())
    names.push_back(one.learner.name);
  return names;
}

learners::FiledSession filed_session(const io::SessionOutline& outline,
                                     const std::filesystem::path& file) {
  const io::SessionHeader& header = outline.header;
  learners::FiledSession out;
  out.recording = header.id;
  out.file = std::filesystem::absolute(file).lexically_normal();
  out.started = header.start_utc;
  const WhichExercise exercise = exercise_of(header);
  out.exercise = exercise.name;
  out.machine = header.machine;
  out.duration_s = static_cast<double>(outline.end.end_tick - header.first_tick) / header.rate_Hz;
  if (!header.parent_id.empty()) return out;
  for (std::size_t i = 0; i < outline.attempts.size(); ++i) {
    const io::SessionAttempt& attempt = outline.attempts[i];
    const bool passed = attempt.phase == training::TaskPhase::kPassed;
    const bool finished = passed || attempt.phase == training::TaskPhase::kFailed;
    if (!finished && (exercise.free || attempt.phase != training::TaskPhase::kRunning)) continue;
    learners::Result result{static_cast<int>(i) + 1, passed, finished, {}};
    for (std::size_t k = 0; k < attempt.figures.size() && k < header.figures.size(); ++k)
      result.figures.emplace_back(header.figures[k].name,
                                  figure_value(header.figures[k].name, attempt.figures[k]));
    out.passed = out.passed || passed;
    out.results.push_back(std::move(result));
  }
  return out;
}

fs::path find_session(const std::string& name_or_file) {
  std::error_code ignored;
  fs::path path = name_or_file;
  const fs::path folder = user_session_folder();
  if (name_or_file.find('/') == std::string::npos && !fs::exists(path, ignored) &&
      !folder.empty()) {
    for (const char* suffix : {"", io::kSessionSuffix}) {
      const fs::path in_folder = folder / (name_or_file + suffix);
      fs::path journal = in_folder;
      journal += io::kJournalSuffix;
      if (!fs::is_regular_file(in_folder, ignored) && !fs::is_regular_file(journal, ignored))
        continue;
      path = in_folder;
      break;
    }
  }
  fs::path journal = path;
  if (path.extension() != io::kJournalSuffix) journal += io::kJournalSuffix;
  if (path.parent_path().empty() && !folder.empty() && !fs::exists(path, ignored) &&
      !fs::exists(journal, ignored))
    throw UserError(fmt::format("{}: there is no such file here or in {}; expected a session",
                                name_or_file, folder.string()));
  if ((fs::exists(path, ignored) && journal != path) || !fs::exists(journal, ignored)) return path;
  try {
    path = io::recover_session(journal);
    complain(
        fmt::format("{} was cut off; what it holds is now in {}", journal.string(), path.string()));
    if (const std::string fault = file_session(path); !fault.empty()) complain(fault);
    return path;
  } catch (const io::FileError& error) {
    // Still being recorded, or disk full: it can still be read.
    complain(error.what());
    return journal;
  }
}

void conceal_learners() {
  try {
    for (std::string& name : learner_names()) conceal_in_log(std::move(name));
  } catch (const std::exception&) {  // no database, no names
  }
}

WhoDrives who_drives(const std::string& name) {
  conceal_in_log(name);
  WhoDrives out{learners::checked_name(name), {}, {}};
  try {
    learners::Database database(learners_file(), learners::Access::kWrite);
    const learners::Learner learner = database.find_or_add(out.name);
    out.name = learner.name;
    out.key = learner.key;
  } catch (const std::exception& error) {
    out.fault = fmt::format("{}; the session is {}", error.what(),
                            user_data_folder().empty() ? "not filed" : "recorded, but not filed");
  }
  return out;
}

std::string file_session(const std::filesystem::path& file) noexcept {
  try {
    const io::SessionOutline outline = io::read_session_outline(file);
    const io::SessionHeader& header = outline.header;
    if (header.learner.empty()) return {};
    learners::Database database(learners_file(), learners::Access::kWrite);
    // The learner may have been renamed or deleted meanwhile.
    const auto by_key =
        header.learner_id.empty() ? std::nullopt : database.find_by_key(header.learner_id);
    if (!by_key && !header.learner_id.empty())
      return fmt::format("{} is not filed: its learner is not in the database any more",
                         file.string());
    database.file(by_key ? *by_key : database.find_or_add(header.learner),
                  filed_session(outline, file));
    return {};
  } catch (const std::exception& error) {
    try {
      return fmt::format("the session is not filed: {}", error.what());
    } catch (...) {
      return "the session is not filed";
    }
  }
}

}  // namespace knuckleboom::app
