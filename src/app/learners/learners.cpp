#include "app/learners/learners.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "app/learners/deletion.hpp"
#include "app/session/filing.hpp"
#include "app/session/names.hpp"
#include "app/session/session_texts.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/log.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/core/training/score.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "learners/database.hpp"
#include "learners/same_name.hpp"
#include "learners/table.hpp"
#include "report/text.hpp"

namespace knuckleboom::app {
namespace {

using learners::Access;
using learners::Database;
using learners::FiledSession;
using learners::Learner;
using learners::Result;
using learners::Summary;

constexpr std::size_t kNameWidth = 24, kValueWidth = 14;

// Padded with blanks; characters count, not bytes.
std::string padded(const std::string& text, std::size_t width, bool right = false) {
  const std::string shown = printable(text);
  const auto characters =
      static_cast<std::size_t>(std::count_if(shown.begin(), shown.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
      }));
  const std::string blanks(characters < width ? width - characters : 0, ' ');
  return right ? blanks + shown : shown + blanks;
}

std::string day(const std::string& utc) { return report::date_text(utc).substr(0, 10); }

Learner find(const Database& database, const std::string& name) {
  if (auto learner = database.find(name)) return *learner;
  std::vector<std::string> names;
  for (const Summary& one : database.list()) names.push_back(one.learner.name);
  throw UserError(
      fmt::format("there is no learner '{}'{}", printable(name),
                  names.empty() ? "; no learner is filed yet" : alternatives(name, names)));
}

int list(const Database& database) {
  const std::vector<Summary> all = database.list();
  if (all.empty()) {
    say("Nobody is filed yet; 'knuckleboom drive --learner NAME' files what NAME does.\n");
    return kSuccess;
  }
  for (const Summary& one : all) {
    std::string text = counted(one.sessions, "session", "sessions");
    if (one.sessions > 0)
      text += fmt::format(", {} with a pass, {} to {}", one.passed, day(one.first), day(one.last));
    say(fmt::format("{}  {}\n", padded(one.learner.name, kNameWidth), text));
  }
  return kSuccess;
}

int show(const Database& database, const std::string& name) {
  const Learner learner = find(database, name);
  const std::vector<FiledSession> sessions = database.sessions(learner);
  say(fmt::format("{}: {}\n", printable(learner.name),
                  counted(static_cast<long long>(sessions.size()), "session", "sessions")));
  for (const FiledSession& session : sessions) {
    const auto passed = std::count_if(session.results.begin(), session.results.end(),
                                      [](const Result& result) { return result.passed; });
    const auto finished = std::count_if(session.results.begin(), session.results.end(),
                                        [](const Result& result) { return result.finished; });
    const std::string result =
        finished == 0 ? "not finished" : fmt::format("{} of {} passed", passed, finished);
    say(fmt::format("  {}  {}  {}  {}  {}\n", report::date_text(session.started),
                    padded(session.exercise, 16), padded(result, 16),
                    padded(report::quantity(session.duration_s, "s"), 12, true),
                    printable(session.file.string())));
  }
  return kSuccess;
}

// --- Compare --------------------------------------------------------------------

std::vector<Result> results_of(const Database& database, const Learner& learner,
                               const std::string& exercise) {
  std::vector<Result> out;
  for (const FiledSession& session : database.sessions(learner, exercise))
    std::copy_if(session.results.begin(), session.results.end(), std::back_inserter(out),
                 [](const Result& result) { return result.finished; });
  return out;
}

std::set<std::string> exercises_of(const Database& database, const Learner& learner) {
  std::set<std::string> out;
  for (const FiledSession& session : database.sessions(learner))
    if (std::any_of(session.results.begin(), session.results.end(),
                    [](const Result& result) { return result.finished; }))
      out.insert(session.exercise);
  return out;
}

std::string value_of(const Result& result, const training::Figure& figure) {
  for (const auto& [key, value] : result.figures)
    if (key == figure.name) return report::quantity(value, figure.unit, figure.elapsed);
  return "-";
}

void compare_in(const std::string& exercise, const std::vector<Result>& a,
                const std::vector<Result>& b) {
  const auto passed = [](const std::vector<Result>& results) {
    const auto count = std::count_if(results.begin(), results.end(),
                                     [](const Result& result) { return result.passed; });
    return fmt::format("{} of {} passed", count, results.size());
  };
  const auto row = [](const std::string& label, const std::vector<std::string>& values) {
    std::string text = "  " + padded(label, kNameWidth);
    for (const std::string& value : values) text += padded(value, kValueWidth, true);
    say(text + "\n");
  };
  say(fmt::format("{}: {} and {}\n", printable(exercise), passed(a), passed(b)));
  row("", {"first", "last", "first", "last"});
  for (const training::Figure& figure : training::figures())
    row(std::string(figure.label), {value_of(a.front(), figure), value_of(a.back(), figure),
                                    value_of(b.front(), figure), value_of(b.back(), figure)});
}

int compare_learners(const Database& database, const LearnersOptions& options) {
  const Learner a = find(database, options.name), b = find(database, options.other);
  if (a.id == b.id)
    throw UserError(
        fmt::format("'{}' is both of the learners to compare; name two", printable(a.name)));
  const std::set<std::string> of_a = exercises_of(database, a), of_b = exercises_of(database, b);
  std::vector<std::string> both;
  std::set_intersection(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                        std::back_inserter(both));
  if (!options.exercise.empty()) {
    if (std::find(both.begin(), both.end(), options.exercise) == both.end())
      throw UserError(
          fmt::format("{} and {} have not both finished the exercise '{}'{}", printable(a.name),
                      printable(b.name), options.exercise,
                      both.empty() ? ", nor any other" : alternatives(options.exercise, both)));
    both = {options.exercise};
  }
  if (both.empty()) {
    say(fmt::format("There is no exercise that both {} and {} have finished.\n", printable(a.name),
                    printable(b.name)));
    return kSuccess;
  }
  say(fmt::format("{} and {}\n", printable(a.name), printable(b.name)));
  for (const std::string& exercise : both)
    compare_in(exercise, results_of(database, a, exercise), results_of(database, b, exercise));
  return kSuccess;
}

// --- Export, import -------------------------------------------------------------

int export_table(const Database& database, const LearnersOptions& options) {
  if (options.all == !options.name.empty())
    throw UserError(options.all ? "export takes a learner or --all, not both; leave one away"
                                : "export needs a learner's name, or --all for every learner");
  std::vector<learners::LearnerSessions> rows;
  if (options.all) {
    for (const Summary& one : database.list())
      rows.emplace_back(one.learner, database.sessions(one.learner));
  } else {
    const Learner learner = find(database, options.name);
    rows.emplace_back(learner, database.sessions(learner));
  }
  check_distinct({{"--output", options.output}}, {learners_file().string()});
  io::write_file(options.output, learners::csv_table(rows));
  return kSuccess;
}

// Learner of a session. Throws UserError on a contradiction.
Learner owner_of(Database& database, const io::SessionHeader& header, const std::string& file,
                 const std::string& wanted) {
  auto named = header.learner_id.empty() ? std::nullopt : database.find_by_key(header.learner_id);
  if (!named && !header.learner.empty()) named = database.find(header.learner);
  const std::string& name = wanted.empty() ? header.learner : wanted;
  if (name.empty())
    throw UserError(
        fmt::format("{}: the session names no learner; give one with --learner NAME", file));
  const bool same = wanted.empty() || header.learner.empty() ||
                    learners::same_name(wanted, header.learner) ||
                    (named && database.find(wanted) && database.find(wanted)->id == named->id);
  if (!same)
    throw UserError(fmt::format("{}: the session is of '{}'", file, printable(header.learner)));
  if (named && (wanted.empty() || !header.learner.empty())) return *named;
  return database.find_or_add(name);
}

int import_files(const LearnersOptions& options) {
  Database database(learners_file(), Access::kWrite);
  io::SessionFiles sessions;
  int failed = 0;
  for (const std::string& name : options.files) {
    try {
      const std::filesystem::path file = find_session(name);
      const io::SessionOutline outline = sessions.outline(file);
      for (const std::string& remark : outline.remarks) complain(remark);
      const Learner learner = owner_of(database, outline.header, name, options.learner);
      const bool is_new = database.file(learner, filed_session(outline, file));
      say(fmt::format("{} is {}filed under {}\n", printable(file.string()),
                      is_new ? "" : "already ", printable(learner.name)));
    } catch (const io::FileError& error) {
      complain(error.what());
      ++failed;
    } catch (const UserError& error) {
      complain(error.what());
      ++failed;
    }
  }
  return failed > 0 ? kUserMistake : kSuccess;
}

// --- Delete ---------------------------------------------------------------------

int delete_learner(const LearnersOptions& options) {
  Database database(learners_file(), options.yes ? Access::kWrite : Access::kRead);
  const Learner learner = find(database, options.name);
  const std::vector<FiledSession> filed = database.sessions(learner);
  std::vector<std::string> other_keys;
  for (const Summary& one : database.list())
    if (one.learner.id != learner.id) other_keys.push_back(one.learner.key);
  const Belongings own = belongings_of(learner, filed, user_session_folder(), other_keys);
  for (const std::string& remark : own.remarks) complain(remark);
  if (!options.yes) {
    for (const std::filesystem::path& file : own.files) say(printable(file.string()) + "\n");
    for (const auto& [file, sentence] : own.others) complain(printable(sentence));
    const std::string listed = own.files.empty() ? "no file"
                               : own.files.size() == 1
                                   ? "the file above"
                                   : fmt::format("the {} files above", own.files.size());
    complain(fmt::format(
        "nothing was deleted; --yes deletes '{}', {} and {} for good", printable(learner.name),
        counted(static_cast<long long>(filed.size()), "filed session", "filed sessions"), listed));
    return kUserMistake;
  }
  const std::vector<std::string> left = remove_files(own.files);
  for (const std::string& sentence : left) complain(sentence);
  if (!left.empty()) {
    complain(
        fmt::format("'{}' stays filed until these files can be deleted", printable(learner.name)));
    return kUserMistake;
  }
  database.remove(learner);
  for (const std::filesystem::path& file : own.missing)
    complain(
        fmt::format("{} is not there any more; if it was moved, delete it by hand", file.string()));
  for (const auto& [file, sentence] : own.others) complain(printable(sentence));
  say(fmt::format(
      "deleted, with {}; reports and tables that were written stay where they are\n",
      counted(static_cast<long long>(own.files.size()), "session file", "session files")));
  return kSuccess;
}

}  // namespace

int run_learners(const LearnersOptions& options) {
  conceal_learners();
  for (const std::string& name : {options.name, options.other, options.learner})
    conceal_in_log(name);
  if (options.action == "import") return import_files(options);
  if (options.action == "delete") return delete_learner(options);
  if (options.action == "add") {
    Database(learners_file(), Access::kWrite).add(options.name);
    return kSuccess;
  }
  if (options.action == "rename") {
    Database database(learners_file(), Access::kWrite);
    database.rename(find(database, options.name), options.other);
    return kSuccess;
  }
  const Database database(learners_file(), Access::kRead);
  if (options.action == "show") return show(database, options.name);
  if (options.action == "compare") return compare_learners(database, options);
  if (options.action == "export") return export_table(database, options);
  return list(database);
}

}  // namespace knuckleboom::app
