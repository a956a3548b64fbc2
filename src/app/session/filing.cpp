#include "app/session/filing.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/session/names.hpp"
#include "app/session/operator_settings.hpp"
#include "app/session/session_texts.hpp"
#include "app/session/work_times.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/log.hpp"
#include "endpoint/station.hpp"
#include "knuckleboom/recording/session_journal.hpp"
#include "knuckleboom/recording/table_file.hpp"

namespace knuckleboom::app {
namespace fs = std::filesystem;

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

learners::FiledSession filed_session(const io::SessionRecord& record, const Examined& examined) {
  const io::SessionHeader& header = record.header;
  learners::FiledSession out;
  out.recording = header.id;
  out.file = std::filesystem::absolute(record.path).lexically_normal();
  out.started = header.start_utc;
  // As in the report: by its own name, wherever it was read from.
  out.exercise = examined.exercise.empty() ? header.exercise : examined.exercise;
  out.machine = header.machine;
  out.duration_s = record.duration_s();
  out.digest = examined.trust.signature.digest;
  out.previous = header.previous;
  out.trust = examined.trust.level;
  out.why = examined.trust.why;
  out.station = examined.trust.signature.station;
  out.instructor = header.instructor;
  if (!header.parent_id.empty()) return out;
  const RecordedWork work(record);
  for (std::size_t i = 0; i < record.attempts.size(); ++i) {
    const io::SessionAttempt& attempt = record.attempts[i];
    const bool passed = attempt.phase == training::TaskPhase::kPassed;
    const bool finished = passed || attempt.phase == training::TaskPhase::kFailed;
    if (!finished && (examined.free || attempt.phase != training::TaskPhase::kRunning)) continue;
    learners::Result result{static_cast<int>(i) + 1, passed, finished, {}};
    for (std::size_t k = 0; k < attempt.figures.size() && k < header.figures.size(); ++k)
      result.figures.emplace_back(header.figures[k].name,
                                  figure_value(header.figures[k].name, attempt.figures[k]));
    if (const auto end = work.at_end_of(i))
      std::ranges::move(named_work(*end), std::back_inserter(result.figures));
    if (i < examined.conditions.size()) {
      result.key = key_of(examined.conditions[i]);
      result.curve_key = curve_key_of(examined.conditions[i]);
    }
    out.passed = out.passed || passed;
    out.results.push_back(std::move(result));
  }
  return out;
}

namespace {
// Empty, with a message: there is no key.
std::string own_seal(const std::string& text) {
  try {
    return endpoint::seal(own_station(), text);
  } catch (const UserError& error) {
    complain(error.what());
    return {};
  }
}

// None is made: a new key knows no row.
std::optional<endpoint::WireKey> known_station() {
  std::error_code ignored;
  try {
    if (fs::exists(own_station_file(), ignored)) return own_station();
  } catch (const UserError&) {
  }
  return std::nullopt;
}
}  // namespace

bool file_sealed(learners::Database& database, const learners::Learner& learner,
                 learners::FiledSession session) {
  session.seal = own_seal(learners::sealed_text(learner, session));
  return database.file(learner, session);
}

void file_sealed(learners::Database& database, const learners::Learner& learner,
                 learners::QuizTaken quiz) {
  quiz.seal = own_seal(learners::sealed_text(learner, quiz));
  database.file(learner, quiz);
}

std::vector<learners::QuizTaken> filed_quizzes(const learners::Database& database,
                                               const learners::Learner& learner) {
  std::vector<learners::QuizTaken> out = database.quizzes(learner);
  const std::optional<endpoint::WireKey> station = known_station();
  for (learners::QuizTaken& one : out)
    one.believed =
        station && endpoint::seal(*station, learners::sealed_text(learner, one)) == one.seal;
  return out;
}

std::vector<learners::FiledSession> filed_sessions(const learners::Database& database,
                                                   const learners::Learner& learner,
                                                   const std::string& exercise) {
  std::vector<learners::FiledSession> out = database.sessions(learner, exercise);
  const std::optional<endpoint::WireKey> station = known_station();
  for (learners::FiledSession& one : out) {
    if (one.seal.empty() || !station) {
      if (!one.seal.empty())
        one.why = "the key of this computer cannot be read, so the row cannot be checked";
      one.trust = std::min(one.trust, kWholeFile);
    } else if (endpoint::seal(*station, learners::sealed_text(learner, one)) != one.seal) {
      one.trust = kFiguresOnly;
      one.why = "its row in the database is not as it was filed here";
    }
  }
  return out;
}

std::optional<learners::FiledSession> original_of(const learners::Database& database,
                                                  const learners::FiledSession& session) {
  if (session.results.empty()) return std::nullopt;
  const auto attempts = [](const learners::FiledSession& of) {
    learners::FiledSession bare;
    bare.results = of.results;
    return learners::sealed_text({}, bare);
  };
  const std::string wanted = attempts(session);
  // Their keys hold the exercise's text, and with it its name.
  for (const learners::Summary& one : database.list())
    for (learners::FiledSession& other : database.sessions(one.learner, session.exercise))
      if (other.recording != session.recording && attempts(other) == wanted)
        return std::move(other);
  return std::nullopt;
}

// A recording with another id could not be read again.
bool is_learner_key(const std::string& key) {
  return !key.empty() && key.size() <= 64 &&
         key.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string last_filed(const std::string& learner_id) noexcept {
  constexpr int kPatience = 200;  // ms; the trainer does not wait
  try {
    if (learner_id.empty()) return {};
    const std::string digest =
        learners::Database(learners_file(), learners::Access::kRead, kPatience)
            .last_digest(learner_id);
    return is_learner_key(digest) ? digest : std::string();
  } catch (const std::exception&) {
    return {};
  }
}

std::string learner_shown(const io::SessionHeader& header) noexcept {
  try {
    const learners::Database database(learners_file(), learners::Access::kRead);
    auto learner = database.owner_of(header.id);
    if (!learner && !header.learner_id.empty()) learner = database.find_by_key(header.learner_id);
    if (learner) return learner->name;
  } catch (const std::exception&) {  // a file can be shown without it
  }
  return header.learner;
}

bool is_session_file(const std::filesystem::path& path) {
  if (path.extension() == io::kJournalSuffix) return true;
  return path.extension() == io::kSessionSuffix && !io::is_array_file(path);
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

std::string settings_text(const learners::Database& database, const learners::Learner& learner) {
  constexpr std::size_t kMost = 200;  // no layout takes more; the rest was put in by hand
  OperatorSettings known;
  for (const auto& [name, value] : database.settings(learner)) {
    if (known.size() == kMost) break;
    try {
      check_setting(name, value);
      known[name] = value;
    } catch (const UserError& error) {
      log(LogLevel::kWarning, error.what());
    }
  }
  return text_of(known);
}

WhoDrives who_drives(const std::string& name) {
  conceal_in_log(name);
  WhoDrives out{learners::checked_name(name), {}, {}, {}, {}};
  try {
    learners::Database database(learners_file(), learners::Access::kWrite);
    const learners::Learner learner = database.find_or_add(out.name);
    out.name = learner.name;
    out.key = learner.key;
    out.pin_hash = database.pin_hash(learner);
    out.settings = settings_text(database, learner);
    if (is_learner_key(out.key)) return out;
    out.key.clear();
    out.fault =
        "the learner's id in the database was changed by hand; the session is recorded, but "
        "not filed";
  } catch (const std::exception& error) {
    out.fault = fmt::format("{}; the session is {}", error.what(),
                            user_data_folder().empty() ? "not filed" : "recorded, but not filed");
  }
  return out;
}

std::string file_session(const std::filesystem::path& file) noexcept {
  try {
    io::SessionFiles files;
    const io::SessionHeader header = files.outline(file).header;
    if (header.learner.empty() && header.learner_id.empty()) return {};
    const io::SessionRecord record = files.read(file);
    learners::Database database(learners_file(), learners::Access::kWrite);
    // The learner may have been renamed or deleted meanwhile.
    const auto by_key =
        header.learner_id.empty() ? std::nullopt : database.find_by_key(header.learner_id);
    if (!by_key && !header.learner_id.empty())
      return fmt::format("{} is not filed: its learner is not in the database any more",
                         file.string());
    file_sealed(database, by_key ? *by_key : database.find_or_add(header.learner),
                filed_session(record, examine(record, Check::kTrustOwn)));
    return {};
  } catch (const std::exception& error) {
    try {
      return fmt::format("the session is not filed: {}", error.what());
    } catch (...) {
      return "the session is not filed";
    }
  }
}

std::string sign_and_file(const std::filesystem::path& file) noexcept {
  std::string last;
  for (std::string fault : {sign_session(file), file_session(file)}) {
    if (fault.empty()) continue;
    complain(fault);
    last = std::move(fault);
  }
  return last;
}

}  // namespace knuckleboom::app
