// From a lever event to the picture that shows what came of it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "knuckleboom/core/command/operator_input.hpp"
#include "knuckleboom/runtime/tick_times.hpp"

namespace knuckleboom::app {

class InputLatency {
 public:
  // The program saw an event in this frame and handed this input to the simulation.
  void sent(const command::OperatorInput& input, std::int64_t event_ns, std::int64_t frame);
  // A picture of a state that this input has led to was handed to the screen.
  void shown(const command::OperatorInput& input, std::int64_t now_ns, std::int64_t frame);
  // What is on its way will not be shown (a pause, a restart).
  void forget() { waiting_.clear(); }

  const runtime::TickTimes& times() const { return times_; }
  double newest_ms() const { return newest_ms_; }  // below 0: none yet
  // Events by the frames it took: 0: the frame that saw the event showed it as well; the last entry
  // counts all that took as long or longer.
  static constexpr std::size_t kFrames = 4;
  const std::array<std::int64_t, kFrames>& frames() const { return frames_; }

 private:
  struct Sent {
    command::OperatorInput input;
    std::int64_t event_ns, frame;
  };
  std::deque<Sent> waiting_;
  runtime::TickTimes times_;
  std::array<std::int64_t, kFrames> frames_{};
  double newest_ms_ = -1.0;
};

}  // namespace knuckleboom::app
