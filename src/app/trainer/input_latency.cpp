#include "app/trainer/input_latency.hpp"

#include <algorithm>

namespace knuckleboom::app {
namespace {

constexpr std::size_t kMostWaiting = 256;

}  // namespace

void InputLatency::sent(const command::OperatorInput& input, std::int64_t event_ns,
                        std::int64_t frame) {
  if (waiting_.size() == kMostWaiting) waiting_.pop_front();
  waiting_.push_back({input, event_ns, frame});
}

void InputLatency::shown(const command::OperatorInput& input, std::int64_t now_ns,
                         std::int64_t frame) {
  // The newest match: a lever may pass the same position twice, and the shown state includes all
  // earlier inputs.
  const auto match = std::find_if(waiting_.rbegin(), waiting_.rend(),
                                  [&input](const Sent& sent) { return sent.input == input; });
  if (match == waiting_.rend()) return;
  const auto end = match.base();
  for (auto sent = waiting_.begin(); sent != end; ++sent) {
    times_.add(now_ns - sent->event_ns);
    const auto taken = static_cast<std::size_t>(std::max<std::int64_t>(0, frame - sent->frame));
    ++frames_[std::min(taken, kFrames - 1)];
    newest_ms_ = static_cast<double>(now_ns - sent->event_ns) * 1e-6;
  }
  waiting_.erase(waiting_.begin(), end);
}

}  // namespace knuckleboom::app
