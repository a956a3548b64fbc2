#include "app/trainer/running_review.hpp"

#include <chrono>
#include <exception>
#include <utility>

#include "app/session/filing.hpp"
#include "app/session/trust.hpp"
#include "app/shell/log.hpp"

namespace knuckleboom::app {
namespace {

Review review(const ReviewQuestion& asked) {
  Review out;
  out.attempt = asked.attempt;
  out.phase = asked.phase;
  std::optional<learners::FiledSession> row;
  try {
    const io::SessionRecord record = io::read_session(asked.journal);
    if (record.attempts.size() <= asked.attempt ||
        record.attempts[asked.attempt].phase != asked.phase)
      return out;
    if (asked.advised) out.coaching = coach_attempt(record, asked.attempt);
    if (!asked.learner_id.empty())
      row = filed_session(record, examine_running(record, *asked.exercise));
  } catch (const std::exception& error) {
    log(LogLevel::kInfo, error.what());
  }
  out.written = true;
  if (!asked.learner_id.empty()) {
    out.learning.emplace();
    out.learning->look(asked.learner_id, std::move(row));
  }
  return out;
}

}  // namespace

void RunningReview::ask(ReviewQuestion question) {
  if (!under_way_.valid()) under_way_ = std::async(std::launch::async, review, std::move(question));
}

std::optional<Review> RunningReview::take() {
  if (!under_way_.valid() ||
      under_way_.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    return std::nullopt;
  return under_way_.get();
}

void RunningReview::drop() {
  if (under_way_.valid()) under_way_.get();
}

}  // namespace knuckleboom::app
