#include "app/trainer/ghost.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <map>
#include <utility>

#include "app/session/filing.hpp"
#include "app/shell/exit_status.hpp"
#include "app/shell/log.hpp"
#include "knuckleboom/core/training/score.hpp"
#include "knuckleboom/runtime/replayer.hpp"
#include "language/text.hpp"

namespace knuckleboom::app {
namespace {

constexpr double kFrame_s = 0.04, kLongestGhost_s = 1200.0;
constexpr int kAskedEach = 1024;  // ticks

// Equal but for aids to the eye, faults from outside, and what was changed on the way.
bool same_conditions(const io::SessionHeader& a, const io::SessionHeader& b) {
  const auto option = [](const io::SessionHeader& header, const char* name) {
    const std::string* value = header.option(name);
    return value == nullptr ? std::string() : *value;
  };
  return a.exercise_hash == b.exercise_hash && a.machine_hash == b.machine_hash &&
         a.levers_hash == b.levers_hash && a.rate_Hz == b.rate_Hz && a.judging == b.judging &&
         option(a, "control") == option(b, "control") &&
         option(a, "fidelity") == option(b, "fidelity") &&
         option(a, "fault_seed") == option(b, "fault_seed");
}

struct Candidate {
  std::filesystem::path file;
  std::size_t attempt;
  double value;
};

std::vector<Candidate> candidates_of(const LoadedSession& loaded, const std::string& learner_key) {
  const learners::Database database(learners_file(), learners::Access::kRead);
  const training::Exercise& exercise = loaded.exercise();
  const training::Figure* figure =
      training::find_figure(exercise.points.given() ? "points" : "time_s");
  std::vector<Candidate> out;
  for (const learners::Summary& one : database.list()) {
    if (!learner_key.empty() && one.learner.key != learner_key) continue;
    for (const learners::FiledSession& session :
         filed_sessions(database, one.learner, exercise.name)) {
      if (session.trust < kComputedHere) continue;
      for (const learners::Result& result : session.results)
        if (result.passed)
          out.push_back({session.file, static_cast<std::size_t>(result.attempt - 1),
                         learners::figure_of(result, figure->name)});
    }
  }
  const bool more = figure->better == training::Better::kMore;
  std::erase_if(out, [](const Candidate& one) { return std::isnan(one.value); });
  std::ranges::stable_sort(out, [more](const Candidate& a, const Candidate& b) {
    return more ? a.value > b.value : a.value < b.value;
  });
  return out;
}

}  // namespace

void Ghost::add(const training::SessionSnapshot& now) {
  if (now.task.phase == training::TaskPhase::kReady || length_s() > kLongestGhost_s) return;
  while (static_cast<std::int32_t>(step_s_.size()) < now.task.step)
    step_s_.push_back(now.score.time_s);
  if (!frames_.empty() && now.score.time_s < frames_.back().t_s + kFrame_s) return;
  Frame& frame = frames_.emplace_back();
  frame.t_s = now.score.time_s;
  std::copy(std::begin(now.body), std::end(now.body), frame.body.begin());
  frame.grapple_opening = now.grapple_opening;
}

double Ghost::length_s() const { return frames_.empty() ? 0.0 : frames_.back().t_s; }

Ghost::Around Ghost::at(double run_s) {
  const auto later = std::ranges::lower_bound(frames_, run_s, {}, &Frame::t_s);
  const Frame& b = later == frames_.end() ? frames_.back() : *later;
  const Frame& a = later == frames_.begin() ? b : *std::prev(later);
  const auto put = [](const Frame& frame, training::SessionSnapshot& out) {
    std::copy(frame.body.begin(), frame.body.end(), std::begin(out.body));
    out.grapple_opening = frame.grapple_opening;
  };
  put(a, before_);
  put(b, after_);
  return {before_, after_,
          b.t_s > a.t_s ? std::clamp((run_s - a.t_s) / (b.t_s - a.t_s), 0.0, 1.0) : 1.0};
}

std::optional<double> Ghost::gap_s(const training::SessionSnapshot& own) {
  if (own.task.step != own_step_) {
    own_step_ = own.task.step;
    const auto step = static_cast<std::size_t>(own_step_);
    gap_s_.reset();
    if (step >= 1 && step <= step_s_.size()) gap_s_ = own.score.time_s - step_s_[step - 1];
  }
  return gap_s_;
}

void Ghost::restart() {
  own_step_ = 0;
  gap_s_.reset();
}

Ghost ghost_of(io::SessionRecord record, std::size_t attempt,
               const std::function<bool()>& goes_on) {
  const io::SessionAttempt wanted = record.attempts.at(attempt);
  runtime::Replayer replayer(std::move(record));
  if (replayer.source() != runtime::Replayer::Source::kSimulation)
    throw io::FileError(replayer.record().path.string(),
                        "it was recorded by another version, and cannot be shown as a ghost");
  replayer.seek(wanted.begin_tick);
  Ghost out;
  for (int n = 0; replayer.tick() < wanted.end_tick && replayer.step(); ++n) {
    if (n % kAskedEach == 0 && !goes_on()) return {};
    out.add(replayer.snapshot());
  }
  return out;
}

Ghost best_ghost(const LoadedSession& loaded, const std::string& learner_key,
                 const std::function<bool()>& goes_on) {
  io::SessionFiles files;
  const io::SessionHeader now = loaded.session_header();
  std::map<std::filesystem::path, bool> fits;
  for (const Candidate& one : candidates_of(loaded, learner_key)) {
    try {
      const auto [at, first] = fits.try_emplace(one.file, false);
      if (first) at->second = same_conditions(files.outline(one.file).header, now);
      if (!at->second) continue;
      if (Ghost ghost = ghost_of(files.read(one.file), one.attempt, goes_on); !ghost.empty())
        return ghost;
    } catch (const std::exception& error) {  // moved, or of another version
      log(LogLevel::kInfo, error.what());
    }
  }
  throw UserError(tr(
      "No passed attempt that is filed here was made under these conditions: there is no ghost."));
}

}  // namespace knuckleboom::app
