#include "app/learners/habits.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "app/session/coaching.hpp"
#include "app/session/filing.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/text.hpp"
#include "knuckleboom/recording/session_file.hpp"
#include "report/text.hpp"

namespace knuckleboom::app {
namespace {

constexpr std::size_t kLatestSessions = 10;
constexpr double kApart = 1e6;  // s between the sessions' times in a row; no session lasts so long

// Occasions of several sessions in a row.
struct SeenTogether {
  coach::Occasions occasions;
  coach::Told told;
  std::vector<std::string> names;  // of the sessions, in their order
  std::size_t attempts = 0;
};

void add(const io::SessionRecord& record, SeenTogether& pool) {
  const double offset_s = kApart * static_cast<double>(pool.names.size());
  for (const CoachView& view : coach_views(record)) {
    pool.told.signals |= view.told.signals;
    ++pool.attempts;
    for (std::size_t habit = 0; habit < view.occasions.size(); ++habit)
      for (coach::Occasion one : view.occasions[habit]) {
        one.begin_s += offset_s;
        one.at_s += offset_s;
        pool.occasions[habit].push_back(one);
      }
  }
  pool.names.push_back(one_line(record.path.filename().string()));
}

// "NAME.h5 0:12.3, 1:05.0; OTHER.h5 0:30.0"
std::string moments(const std::vector<double>& marks_s, const SeenTogether& pool) {
  std::string text, last;
  for (const double mark_s : marks_s) {
    const double session = std::floor(mark_s / kApart);
    const std::string& name = pool.names.at(static_cast<std::size_t>(session));
    if (name != last)
      text += (text.empty() ? "" : "; ") + name + " ";
    else
      text += ", ";
    text += report::clock_text(mark_s - kApart * session);
    last = name;
  }
  return text;
}

}  // namespace

std::string habits_text(const learners::Database& database, const learners::Learner& learner,
                        const std::string& exercise) {
  std::vector<learners::FiledSession> filed = filed_sessions(database, learner, exercise);
  if (filed.size() > kLatestSessions)
    filed.erase(filed.begin(), filed.end() - static_cast<std::ptrdiff_t>(kLatestSessions));
  io::SessionFiles files;
  SeenTogether pool;
  for (const learners::FiledSession& session : filed) {
    try {
      const io::SessionRecord record = files.read(session.file);
      if (record.header.id != session.recording)
        throw io::FileError(session.file.string(),
                            "it is another session than the one that was filed");
      add(record, pool);
    } catch (const io::FileError& error) {
      complain(one_line(error.what()));
    }
  }
  if (pool.names.empty())
    throw UserError(fmt::format("there is no session of '{}'{} to look at", one_line(learner.name),
                                exercise.empty() ? "" : " in this exercise"));
  const coach::Advice advice = coach::advise(pool.occasions, pool.told);
  Coaching coaching = coaching_of(advice, {});
  for (CoachLine& line : coaching.lines)
    if (!line.finding.marks_s.empty())
      line.text += " Look at " + moments(line.finding.marks_s, pool) + ".";
  return fmt::format("{}: {} in {}\n", one_line(learner.name),
                     counted(static_cast<long long>(pool.attempts), "attempt", "attempts"),
                     counted(static_cast<long long>(pool.names.size()), "session", "sessions")) +
         to_text(coaching);
}

}  // namespace knuckleboom::app
