// Latency from a lever event to the frame that shows its effect.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "knuckleboom/core/command/operator_input.hpp"
#include "knuckleboom/runtime/tick_times.hpp"

namespace knuckleboom::app {

class InputLatency {
 public:
  // The program detected an event in this frame and sent this input to the simulation.
  void sent(const command::OperatorInput& input, std::int64_t event_ns, std::int64_t frame);
  // A frame of a state that used this input was swapped to the screen.
  void shown(const command::OperatorInput& input, std::int64_t now_ns, std::int64_t frame);
  // Pending inputs will not be shown (a pause, a restart).
  void forget() { waiting_.clear(); }

  const runtime::TickTimes& times() const { return times_; }
  double newest_ms() const { return newest_ms_; }  // below 0: none yet
  // Events by the number of frames: 0: shown in the frame that detected it; the last entry counts
  // this many or more.
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
