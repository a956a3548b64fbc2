#include "app/learners/learners.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "app/learners/deletion.hpp"
#include "app/learners/habits.hpp"
#include "app/learners/progress.hpp"
#include "app/learners/xapi.hpp"
#include "app/session/filing.hpp"
#include "app/session/names.hpp"
#include "app/session/operator_settings.hpp"
#include "app/session/session_texts.hpp"
#include "app/shell/config_paths.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/log.hpp"
#include "app/shell/plot.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/core/training/score.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "knuckleboom/io/diagnostic.hpp"
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

constexpr std::size_t kNameWidth = 24;

std::string day(const std::string& utc) { return report::date_text(utc).substr(0, 10); }

Learner find(const Database& database, const std::string& name) {
  if (auto learner = database.find(name)) return *learner;
  std::vector<std::string> names;
  for (const Summary& one : database.list()) names.push_back(one.learner.name);
  throw UserError(
      fmt::format("there is no learner '{}'{}", one_line(name),
                  names.empty() ? "; no learner is filed yet" : alternatives(name, names)));
}

// "3 at T3, 1 at T1"; the highest first.
std::string trust_counts(const std::vector<FiledSession>& sessions) {
  std::string text;
  for (int level = kInvigilated; level >= kFiguresOnly; --level) {
    const auto count =
        std::count_if(sessions.begin(), sessions.end(),
                      [level](const FiledSession& one) { return one.trust == level; });
    if (count > 0) text += fmt::format("{}{} at T{}", text.empty() ? "" : ", ", count, level);
  }
  return text;
}

// Sessions that are named as the one before by a later one, and are not filed.
std::size_t missing_links(const std::vector<FiledSession>& sessions) {
  std::set<std::string> there, wanted;
  for (const FiledSession& one : sessions) {
    there.insert(one.digest);
    if (!one.previous.empty()) wanted.insert(one.previous);
  }
  return static_cast<std::size_t>(std::count_if(
      wanted.begin(), wanted.end(), [&](const auto& digest) { return !there.contains(digest); }));
}

// Sessions that begin before the one that came before them, or later than now.
std::size_t against_the_clock(const std::vector<FiledSession>& sessions) {
  std::map<std::string, std::string> started;  // by digest
  for (const FiledSession& one : sessions)
    if (!one.digest.empty()) started[one.digest] = one.started;
  const std::string now = io::now_utc();
  return static_cast<std::size_t>(
      std::count_if(sessions.begin(), sessions.end(), [&](const FiledSession& one) {
        const auto last = started.find(one.previous);
        return one.started > now || (last != started.end() && last->second > one.started);
      }));
}

// Attempts of a session in words, with the times of those that were broken off.
std::string results_text(const FiledSession& session) {
  long long passed = 0, failed = 0, broken = 0;
  for (const Result& result : session.results)
    ++(result.passed ? passed : result.finished ? failed : broken);
  std::string text;
  const auto add = [&text](long long count, const char* what) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  };
  add(passed, "passed");
  add(failed, "failed");
  add(broken, "broken off");
  return text.empty() ? "not begun" : text;
}

// "2 attempts broken off, "; empty: none.
std::string broken_off(const std::vector<FiledSession>& sessions) {
  long long count = 0;
  for (const FiledSession& session : sessions)
    count += std::count_if(session.results.begin(), session.results.end(),
                           [](const Result& result) { return !result.finished; });
  return count == 0 ? "" : counted(count, "attempt", "attempts") + " broken off, ";
}

int list(const Database& database) {
  const std::vector<Summary> all = database.list();
  if (const learners::Deleted gone = database.deleted(); gone.learners > 0)
    say(fmt::format("deleted so far: {} with {}\n", counted(gone.learners, "learner", "learners"),
                    counted(gone.sessions, "session", "sessions")));
  if (all.empty()) {
    say("Nobody is filed yet; 'knuckleboom drive --learner NAME' files what NAME does.\n");
    return kSuccess;
  }
  for (const Summary& one : all) {
    std::string text = counted(one.sessions, "session", "sessions");
    if (one.sessions > 0) {
      const std::vector<FiledSession> sessions = filed_sessions(database, one.learner);
      text += fmt::format(", {} with a pass, {}{} to {}; {}", one.passed, broken_off(sessions),
                          day(one.first), day(one.last), trust_counts(sessions));
    }
    say(fmt::format("{}  {}\n", padded(one.learner.name, kNameWidth), text));
  }
  return kSuccess;
}

// As the commands take it: sessions of the user's folder by their names.
std::string name_in_folder(const FiledSession& session) {
  return session.file.parent_path() == user_session_folder() ? session.file.filename().string()
                                                             : session.file.string();
}

int show(const Database& database, const std::string& name) {
  const Learner learner = find(database, name);
  const std::vector<FiledSession> sessions = filed_sessions(database, learner);
  say(fmt::format("{}: {}\n", one_line(learner.name),
                  counted(static_cast<long long>(sessions.size()), "session", "sessions")));
  if (sessions.empty()) return kSuccess;
  std::vector<std::vector<std::string>> rows = {
      {"  session begun", "exercise", "attempts", "their times [s]", "lasted", "trust", "file"}};
  std::vector<std::string> reasons;  // each once
  for (const FiledSession& session : sessions) {
    std::string trust = fmt::format("T{}", session.trust);
    if (session.trust < kSigned && !session.why.empty()) {
      const std::string reason = fmt::format("T{}: {}", session.trust, session.why);
      auto found = std::find(reasons.begin(), reasons.end(), reason);
      if (found == reasons.end()) found = reasons.insert(found, reason);
      trust += fmt::format(" ({})", found - reasons.begin() + 1);
    }
    rows.push_back({"  " + report::date_text(session.started), session.exercise,
                    results_text(session), attempt_times(session.results),
                    report::quantity(session.duration_s, "s"), trust, name_in_folder(session)});
  }
  say(in_columns(rows, "lllrrll"));
  for (std::size_t i = 0; i < reasons.size(); ++i)
    say(fmt::format("  ({}) {}\n", i + 1, one_line(reasons[i])));
  say("Times from the first lever movement of each attempt; B: broken off, *: not passed. A "
      "session lasts\n"
      "from its start to its end, with all that is before, between and after them.\n");
  if (const std::size_t odd = against_the_clock(sessions); odd > 0)
    say(fmt::format(
        "{} by a clock that was wrong or set back: the chain of sessions, or today's "
        "date, says otherwise\n",
        counted(static_cast<long long>(odd), "session is dated", "sessions are dated")));
  if (const std::size_t missing = missing_links(sessions); missing > 0)
    say(fmt::format("{} came before one of these and {} not filed here\n",
                    counted(static_cast<long long>(missing), "session", "sessions"),
                    missing == 1 ? "is" : "are"));
  return kSuccess;
}

int set(const LearnersOptions& options) {
  Database database(learners_file(), options.settings.empty() ? Access::kRead : Access::kWrite);
  const Learner learner = find(database, options.name);
  OperatorSettings all = database.settings(learner);
  for (const std::string& one : options.settings) {
    if (one.ends_with('=') && one.size() > 1) {
      if (all.erase(one.substr(0, one.size() - 1)) == 0)
        throw UserError(fmt::format("{}: there is no such setting of {}", one_line(one),
                                    one_line(learner.name)));
      continue;
    }
    for (const auto& [name, value] : settings_of(one)) all[name] = value;
  }
  if (!options.settings.empty()) database.set_settings(learner, all);
  const std::string words = in_words(all);
  say(fmt::format("{}: {}\n", one_line(learner.name),
                  words.empty() ? "all as in the files" : words));
  return kSuccess;
}

// --- Compare --------------------------------------------------------------------

// Attempts that may be compared: those that have ended, by the conditions that they were made under.
struct Pool {
  std::string exercise, machine;
  std::vector<Result> results;
  std::size_t broken_off = 0;
};
std::map<std::string, Pool> pools_of(const Database& database, const Learner& learner) {
  std::map<std::string, Pool> out;
  for (const FiledSession& session : filed_sessions(database, learner))
    for (const Result& result : session.results) {
      // A row of an older program says no more than the exercise's name.
      const std::string& key = result.curve_key.empty() ? session.exercise : result.curve_key;
      Pool& pool = out[key];
      pool.exercise = session.exercise;
      pool.machine = session.machine;
      if (result.finished)
        pool.results.push_back(result);
      else
        ++pool.broken_off;
    }
  std::erase_if(out, [](const auto& one) { return one.second.results.empty(); });
  return out;
}

std::string value_of(const Result& result, const training::Figure& figure) {
  const double value = learners::figure_of(result, figure.name);
  return std::isfinite(value) ? report::quantity(value, figure.unit, figure.elapsed) : "-";
}

// The one with the most points, or else the shortest: of those that were passed, if any was.
const Result& best_of(const std::vector<Result>& results) {
  const auto worth = [](const Result& one) {
    const double points = learners::figure_of(one, "points");
    const double time_s = learners::figure_of(one, "time_s");
    return std::pair(one.passed, !std::isnan(points)   ? points
                                 : !std::isnan(time_s) ? -time_s
                                                       : -std::numeric_limits<double>::max());
  };
  return *std::max_element(results.begin(), results.end(),
                           [&worth](const auto& a, const auto& b) { return worth(a) < worth(b); });
}

void compare_in(const Learner& of_a, const Pool& pool_a, const Learner& of_b, const Pool& pool_b) {
  const auto passed = [](const Pool& pool) {
    const auto count = std::count_if(pool.results.begin(), pool.results.end(),
                                     [](const Result& result) { return result.passed; });
    std::string text = fmt::format("{} of {} passed", count, pool.results.size());
    if (pool.broken_off > 0) text += fmt::format(", {} broken off", pool.broken_off);
    return text;
  };
  say(fmt::format("{} on {}: {} {}, {} {}\n", one_line(pool_a.exercise), one_line(pool_a.machine),
                  one_line(of_a.name), passed(pool_a), one_line(of_b.name), passed(pool_b)));
  std::vector<std::vector<std::string>> rows = {
      {"", of_a.name, "", "", of_b.name, "", ""},
      {"", "first", "best", "last", "first", "best", "last"}};
  const std::vector<Result>&a = pool_a.results, &b = pool_b.results;
  const Result *best_a = &best_of(a), *best_b = &best_of(b);
  for (const training::Figure& figure : training::figures()) {
    std::vector<std::string> row = {"  " + std::string(figure.label)};
    for (const Result* one : {&a.front(), best_a, &a.back(), &b.front(), best_b, &b.back()})
      row.push_back(value_of(*one, figure));
    // Not measured by anybody here.
    if (std::any_of(row.begin() + 1, row.end(), [](const auto& value) { return value != "-"; }))
      rows.push_back(std::move(row));
  }
  say(in_columns(rows, "lrrrrrr"));
}

int compare_learners(const Database& database, const LearnersOptions& options) {
  const Learner a = find(database, options.name), b = find(database, options.other);
  if (a.id == b.id)
    throw UserError(
        fmt::format("'{}' is both of the learners to compare; name two", one_line(a.name)));
  const std::map<std::string, Pool> of_a = pools_of(database, a), of_b = pools_of(database, b);
  std::set<std::string> in_a, in_b, both;
  for (const auto& [key, pool] : of_a) in_a.insert(pool.exercise);
  for (const auto& [key, pool] : of_b) in_b.insert(pool.exercise);
  std::set_intersection(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(),
                        std::inserter(both, both.end()));
  if (!options.exercise.empty()) {
    if (!both.contains(options.exercise))
      throw UserError(fmt::format(
          "{} and {} have not both finished the exercise '{}'{}", one_line(a.name),
          one_line(b.name), options.exercise,
          both.empty() ? ", nor any other"
                       : alternatives(options.exercise,
                                      std::vector<std::string>(both.begin(), both.end()))));
    both = {options.exercise};
  }
  if (both.empty()) {
    say(fmt::format("There is no exercise that both {} and {} have finished.\n", one_line(a.name),
                    one_line(b.name)));
    return kSuccess;
  }
  for (const std::string& exercise : both) {
    bool any = false;
    for (const auto& [key, pool] : of_a)
      if (const auto other = of_b.find(key); pool.exercise == exercise && other != of_b.end()) {
        compare_in(a, pool, b, other->second);
        any = true;
      }
    if (!any)
      say(fmt::format(
          "{}: both have finished it, but never under the same conditions; 'knuckleboom "
          "report A.h5 --expert B.h5' says what differs\n",
          one_line(exercise)));
  }
  return kSuccess;
}

// --- Export, import -------------------------------------------------------------

learners::CsvStyle style_of(const LearnersOptions& options) {
  if (!options.output.ends_with(".csv"))
    throw UserError(
        fmt::format("--output {}: tables are written as CSV or as a workbook; end the name "
                    "in .csv or .xlsx",
                    options.output));
  const std::string separator = options.separator == "tab" ? "\t" : options.separator;
  if (separator != "," && separator != ";" && separator != "\t")
    throw UserError(
        fmt::format("--separator {}: expected a comma, a semicolon or 'tab'", options.separator));
  if (options.decimal != "." && options.decimal != ",")
    throw UserError(fmt::format("--decimal {}: expected a point or a comma", options.decimal));
  if (options.decimal == separator)
    throw UserError("--decimal and --separator are the same; take --separator ';'");
  return {separator.front(), options.decimal.front()};
}

int export_table(const Database& database, const LearnersOptions& options) {
  if (options.all == !options.name.empty())
    throw UserError(options.all ? "export takes a learner or --all, not both; leave one away"
                                : "export needs a learner's name, or --all for every learner");
  if (!options.xapi.empty() && !is_xapi_base(options.xapi))
    throw UserError(
        fmt::format("--xapi {}: expected an address such as https://school.example/crane, "
                    "without '/' at its end",
                    one_line(options.xapi)));
  if (!options.xapi.empty() && !options.output.ends_with(".json"))
    throw UserError(fmt::format(
        "--output {}: statements are written as JSON; end the name in .json", options.output));
  std::vector<learners::LearnerSessions> rows;
  if (options.all) {
    for (const Summary& one : database.list())
      rows.emplace_back(one.learner, filed_sessions(database, one.learner));
  } else {
    const Learner learner = find(database, options.name);
    rows.emplace_back(learner, filed_sessions(database, learner));
  }
  check_distinct({{"--output", options.output}}, {learners_file().string()});
  std::vector<std::string> order;
  for (const training::Figure& figure : training::figures()) order.emplace_back(figure.name);
  if (!options.xapi.empty())
    io::write_file(options.output, xapi_statements(options.xapi, rows));
  else if (options.output.ends_with(".xlsx"))
    learners::write_workbook(options.output, rows, order);
  else
    io::write_file(options.output, learners::csv_table(rows, order, style_of(options)));
  return kSuccess;
}

// Learner of a session. Throws UserError on a contradiction.
Learner owner_of(Database& database, const io::SessionHeader& header, const std::string& file,
                 const std::string& wanted) {
  auto named = header.learner_id.empty() ? std::nullopt : database.find_by_key(header.learner_id);
  if (!named && !header.learner.empty()) named = database.find(header.learner);
  const std::string& name = wanted.empty() ? header.learner : wanted;
  if (name.empty() && !named)
    throw UserError(
        fmt::format("{}: the session names no learner; give one with --learner NAME", file));
  const bool same = wanted.empty() || (header.learner.empty() && !named) ||
                    (!header.learner.empty() && learners::same_name(wanted, header.learner)) ||
                    (named && database.find(wanted) && database.find(wanted)->id == named->id);
  if (!same)
    throw UserError(fmt::format("{}: the session is of '{}'", file,
                                one_line(named ? named->name : header.learner)));
  if (named) return *named;
  // From another computer: somebody new keeps the id that the session has.
  return database.find_or_add(name, header.learner_id);
}

int import_files(const LearnersOptions& options) {
  Database database(learners_file(), Access::kWrite);
  io::SessionFiles sessions;
  int failed = 0;
  for (const std::string& name : options.files) {
    try {
      const std::filesystem::path file = find_session(name);
      const io::SessionRecord record = sessions.read(file);
      for (const std::string& remark : record.remarks) complain(remark);
      Examined examined = examine(record, Check::kCompute);
      const Learner learner = owner_of(database, record.header, name, options.learner);
      if (examined.trust.level > kComputedHere && record.header.learner_id != learner.key) {
        examined.trust.level = kComputedHere;
        examined.trust.why = "the signed session does not name this learner";
      }
      const FiledSession session = filed_session(record, examined);
      // Signed by nobody who is trusted, its id could have been changed to count once more.
      const auto original =
          examined.trust.level == kComputedHere ? original_of(database, session) : std::nullopt;
      if (original)
        throw UserError(
            fmt::format("{}: it has the attempts of {} under another id, and is not filed again",
                        one_line(name), one_line(original->file.string())));
      const bool is_new = file_sealed(database, learner, session);
      say(fmt::format("{} is {}filed under {}: {}{}\n", one_line(file.string()),
                      is_new ? "" : "already ", one_line(learner.name),
                      trust_text(examined.trust.level),
                      examined.trust.why.empty() ? "" : "; " + one_line(examined.trust.why)));
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

// --- Backup, restore ----------------------------------------------------------

int back_up(const LearnersOptions& options) {
  Database(learners_file(), Access::kRead).back_up(options.output);
  say(fmt::format("{} has all that is filed, names included; keep it as you keep these\n",
                  one_line(options.output)));
  return kSuccess;
}

std::pair<Database, std::vector<Summary>> copy_of(const std::string& file) {
  try {
    Database copy(file, Access::kRead);
    std::vector<Summary> all = copy.list();
    return {std::move(copy), std::move(all)};
  } catch (const io::FileError&) {
    throw UserError(
        fmt::format("{}: this copy cannot be read, and nothing was changed; name one that "
                    "'knuckleboom learners backup' has written",
                    file));
  }
}

// The copy is opened as a database first: what is none, is damaged or newer, is refused.
int restore(const LearnersOptions& options) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_regular_file(options.output, error))
    throw UserError(fmt::format("{}: there is no such file", options.output));
  const fs::path place = learners_file();
  if (fs::equivalent(options.output, place, error))
    throw UserError(
        fmt::format("{}: that is what is filed now; name a copy of it", options.output));
  const auto [copy, all] = copy_of(options.output);
  const std::size_t there = all.size();
  if (there == 0) throw UserError(fmt::format("{}: nobody is filed in it", options.output));
  std::set<std::string> kept;
  for (const Summary& one : all) kept.insert(one.learner.key);
  std::string lost;
  for (const Summary& one : Database(place, Access::kRead).list())
    if (!kept.contains(one.learner.key)) lost += "  " + one_line(one.learner.name) + "\n";
  if (!lost.empty()) say(fmt::format("filed now and not in the copy:\n{}", lost));
  if (!options.yes) {
    complain(fmt::format(
        "nothing was changed; --yes puts {} in the place of what is filed now, {}; who was deleted "
        "since then is back again",
        one_line(options.output), counted(static_cast<long long>(there), "learner", "learners")));
    return kUserMistake;
  }
  Database(place, Access::kWrite).replace_by(copy);
  say(fmt::format("restored: {}\n", counted(static_cast<long long>(there), "learner", "learners")));
  return kSuccess;
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
    for (const std::filesystem::path& file : own.files) say(one_line(file.string()) + "\n");
    for (const auto& [file, sentence] : own.others) complain(one_line(sentence));
    const std::string listed = own.files.empty() ? "no file"
                               : own.files.size() == 1
                                   ? "the file above"
                                   : fmt::format("the {} files above", own.files.size());
    complain(fmt::format(
        "nothing was deleted; --yes deletes '{}', {} and {} for good", one_line(learner.name),
        counted(static_cast<long long>(filed.size()), "filed session", "filed sessions"), listed));
    return kUserMistake;
  }
  const std::vector<std::string> left = remove_files(own.files);
  for (const std::string& sentence : left) complain(sentence);
  if (!left.empty()) {
    complain(
        fmt::format("'{}' stays filed until these files can be deleted", one_line(learner.name)));
    return kUserMistake;
  }
  database.remove(learner);
  for (const std::filesystem::path& file : own.missing)
    complain(
        fmt::format("{} is not there any more; if it was moved, delete it by hand", file.string()));
  for (const auto& [file, sentence] : own.others) complain(one_line(sentence));
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
  if (options.action == "backup") return back_up(options);
  if (options.action == "restore") return restore(options);
  if (options.action == "delete") return delete_learner(options);
  if (options.action == "add") {
    Database(learners_file(), Access::kWrite).add(options.name);
    return kSuccess;
  }
  if (options.action == "set") return set(options);
  if (options.action == "rename") {
    Database database(learners_file(), Access::kWrite);
    database.rename(find(database, options.name), options.other);
    return kSuccess;
  }
  const Database database(learners_file(), Access::kRead);
  if (options.action == "show") return show(database, options.name);
  if (options.action == "compare") return compare_learners(database, options);
  if (options.action == "export") return export_table(database, options);
  if (options.action == "coach") {
    say(habits_text(database, find(database, options.name), options.exercise));
    return kSuccess;
  }
  if (options.action == "progress") {
    say(progress_text(database, options.exercise));
    return kSuccess;
  }
  return list(database);
}

}  // namespace knuckleboom::app
