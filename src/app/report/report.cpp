#include "app/report/report.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "app/report/attempts.hpp"
#include "app/session/filing.hpp"
#include "app/session/notes.hpp"
#include "app/shell/console.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/interrupt.hpp"
#include "knuckleboom/io/atomic_file.hpp"
#include "language/text.hpp"
#include "learners/same_name.hpp"
#include "report/page.hpp"

namespace knuckleboom::app {
namespace {

namespace fs = std::filesystem;

// Sessions as files, and their entries in the database. A report does not require the database.
class Sources {
 public:
  explicit Sources(bool recompute) : recompute_(recompute) {
    try {
      database_.emplace(learners_file(), learners::Access::kRead);
    } catch (const std::runtime_error& error) {  // UserError, io::FileError
      complain(fmt::format("the learning curves have the given sessions only: {}", error.what()));
    }
  }

  RecordedAttempts read(const std::string& name) {
    io::SessionRecord record = files_.read(find_session(name));
    Examined examined = examine(record, recompute_ ? Check::kCompute : Check::kTrustOwn);
    if (recompute_) {
      if (!examined.computed)
        examined.computed = runtime::recompute(record, [] { return !interrupted(); });
      complain(record.path.string() + ": " + examined.computed->sentence);
      record = std::move(examined.computed->record);
    }
    if (database_) record.events = with_notes(record, database_->notes(record.header.id));
    RecordedAttempts session(std::move(record));
    take_filed_trust(session.header(), examined.trust);
    session.set_examined(std::move(examined));
    for (const std::string& remark : session.remarks()) complain(remark);
    if (const auto learner = learner_of(session.header())) session.set_learner(learner->name);
    return session;
  }

  // Earlier results of its learner under the same conditions, without the known recordings. key: of the
  // curve; empty: the conditions are not known.
  void add_filed(const RecordedAttempts& session, const std::string& key,
                 const std::set<std::string>& known, std::vector<report::Result>& out) const {
    const auto learner = learner_of(session.header());
    if (!learner || key.empty()) return;
    for (const learners::FiledSession& filed :
         filed_sessions(*database_, *learner, session.attempts().front().exercise)) {
      if (known.contains(filed.recording) || filed.started > session.header().start_utc) continue;
      for (const learners::Result& result : filed.results)
        if (result.curve_key == key)
          out.push_back({filed.started,
                         !result.finished ? report::Outcome::kBrokenOff
                         : result.passed  ? report::Outcome::kPassed
                                          : report::Outcome::kFailed,
                         result.figures, filed.trust});
    }
  }

 private:
  // A session computed when it was filed need not be computed again, if the file is still that one.
  void take_filed_trust(const io::SessionHeader& header, Trust& trust) const {
    const auto learner = learner_of(header);
    if (!learner || trust.signature.digest.empty()) return;
    for (const learners::FiledSession& filed : filed_sessions(*database_, *learner))
      if (filed.recording == header.id && filed.digest == trust.signature.digest &&
          filed.trust > trust.level) {
        trust.level = filed.trust;
        trust.why = filed.why;
      }
  }

  // Present name of the learner.
  std::optional<learners::Learner> learner_of(const io::SessionHeader& header) const {
    if (!database_) return std::nullopt;
    auto learner = database_->owner_of(header.id);
    if (!learner && !header.learner_id.empty()) learner = database_->find_by_key(header.learner_id);
    return learner;
  }

  bool recompute_;
  io::SessionFiles files_;
  std::optional<learners::Database> database_;
};

void check(const ReportOptions& options) {
  if (!options.output.ends_with(".html") && !options.output.ends_with(".htm"))
    throw UserError(
        fmt::format("--output {}: a report is a page; its name ends in .html", options.output));
  std::vector<std::string> read = options.files;
  read.push_back(options.expert);
  for (const std::string& file : read) {
    std::error_code ignored;
    if (fs::equivalent(file, options.output, ignored))
      throw UserError(fmt::format("--output {}: that is the session itself", options.output));
  }
}

// Key of an attempt's curve; empty: not known.
std::string key_at(const RecordedAttempts& session, int number) {
  const auto& all = session.examined().conditions;
  const auto index = static_cast<std::size_t>(number - 1);
  return index < all.size() ? curve_key_of(all[index]) : std::string();
}

// Attempts of the same learner under the judged one's conditions, before it.
void add_earlier(const RecordedAttempts& session, int until, const report::Attempt& judged,
                 const std::string& key, std::vector<report::Result>& out) {
  if (!session.header().parent_id.empty()) return;  // it began in the middle
  for (const report::Attempt& attempt : session.attempts()) {
    const bool begun = attempt.outcome == report::Outcome::kPassed ||
                       attempt.outcome == report::Outcome::kFailed ||
                       attempt.outcome == report::Outcome::kBrokenOff;
    if (!begun || key_at(session, attempt.number) != key || attempt.number >= until ||
        attempt.exercise != judged.exercise ||
        !learners::same_name(attempt.learner, judged.learner))
      continue;
    report::Result result{attempt.started, attempt.outcome, {}, session.examined().trust.level};
    for (const report::Figure& figure : attempt.figures)
      result.figures.emplace_back(figure.name, figure.value);
    out.push_back(std::move(result));
  }
}

// Attempts under other conditions are shown together, but it is said what differs.
void say_what_differs(const RecordedAttempts& session, int number, const RecordedAttempts& other,
                      int other_number, report::Attempt& judged) {
  const auto& a = session.examined().conditions;
  const auto& b = other.examined().conditions;
  const auto i = static_cast<std::size_t>(number - 1),
             k = static_cast<std::size_t>(other_number - 1);
  if (i >= a.size() || k >= b.size()) return;
  const std::vector<std::string> different = differing(a[i], b[k]);
  if (different.empty()) return;
  std::string text;
  for (const std::string& one : different) text += (text.empty() ? "" : "; ") + one;
  judged.remarks.push_back(tr_format(
      "The expert's attempt was made under other conditions, so that figures say less: {}.", text));
  complain(judged.remarks.back());
}

}  // namespace

int write_report(const ReportOptions& options) {
  check(options);
  Sources sources(options.recompute);
  report::Content content;
  const RecordedAttempts session = sources.read(options.files.front());
  const auto count = static_cast<int>(session.attempts().size());
  if (options.attempt > count)
    throw UserError(fmt::format("--attempt {}: the session has {}", options.attempt,
                                count == 1 ? "one only" : fmt::format("{} only", count)));
  const int number = options.attempt > 0 ? options.attempt : session.usual();
  content.judged = session.complete(number);
  session.add_work_and_advice(number, content.judged);
  const std::string key = key_at(session, number);
  content.same_session = session.attempts();
  content.build = io::this_program();
  std::set<std::string> known = {session.header().id};
  std::string expert_id;
  if (!options.expert.empty()) {
    const RecordedAttempts expert = sources.read(options.expert);
    expert_id = expert.header().id;
    content.expert = expert.complete(expert.usual());
    say_what_differs(session, number, expert, expert.usual(), content.judged);
  }
  for (auto file = options.files.begin() + 1; file != options.files.end(); ++file) {
    const RecordedAttempts other = sources.read(*file);
    if (content.expert && other.header().id == expert_id) continue;
    if (other.header().id == session.header().id) {
      complain(
          fmt::format("{} is the session that is judged; it is not compared with itself", *file));
      continue;
    }
    content.others.push_back(other.complete(other.usual()));
    if (!learners::same_name(content.others.back().learner, content.judged.learner)) continue;
    known.insert(other.header().id);
    if (other.header().start_utc <= session.header().start_utc)
      add_earlier(other, other.attempts().back().number + 1, content.judged, key, content.earlier);
  }
  add_earlier(session, number, content.judged, key, content.earlier);
  sources.add_filed(session, key, known, content.earlier);
  std::stable_sort(
      content.earlier.begin(), content.earlier.end(),
      [](const report::Result& a, const report::Result& b) { return a.started < b.started; });
  io::write_file(options.output, report::page(content));
  say(fmt::format("{}\n", options.output));
  return kSuccess;
}

}  // namespace knuckleboom::app
