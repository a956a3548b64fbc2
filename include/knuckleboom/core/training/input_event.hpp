// A session's input as a list of timed events: recorded live, it reproduces the session.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "knuckleboom/core/command/operator_input.hpp"
#include "knuckleboom/core/training/session.hpp"

namespace knuckleboom::training {

enum class InputEventKind : std::int32_t {
  kInput,    // the levers from this tick on
  kCommand,  // applied before this tick
  kEnd,      // this tick and later ones were not run
};

struct InputEvent {
  std::int64_t tick;  // ticks run before it
  InputEventKind kind;
  Command command;               // of kCommand
  command::OperatorInput input;  // of kInput
};
static_assert(std::is_trivially_copyable_v<InputEvent>);

// Plays a list of events tick by tick. The events, in order of their ticks, must outlive it.
class InputPlayback {
 public:
  explicit InputPlayback(std::span<const InputEvent> events) : events_(events) {}
  // State before this tick: earlier events count as done.
  InputPlayback(std::span<const InputEvent> events, std::int64_t tick) : events_(events) {
    const auto begin = std::lower_bound(
        events.begin(), events.end(), tick,
        [](const InputEvent& event, std::int64_t wanted) { return event.tick < wanted; });
    next_ = static_cast<std::size_t>(begin - events.begin());
    for (std::size_t i = next_; i > 0; --i) {
      if (events[i - 1].kind != InputEventKind::kInput) continue;
      input_ = events[i - 1].input;
      break;
    }
  }

  // Everything up to and with this tick: calls apply(const Command&) for each command and returns
  // the lever positions. Ticks must not decrease.
  template <class Apply>
  const command::OperatorInput& advance(std::int64_t tick, Apply apply) {
    for (; next_ < events_.size() && events_[next_].tick <= tick; ++next_) {
      const InputEvent& event = events_[next_];
      if (event.kind == InputEventKind::kCommand) apply(event.command);
      if (event.kind == InputEventKind::kInput) input_ = event.input;
    }
    return input_;
  }
  // Present lever positions.
  const command::OperatorInput& input() const { return input_; }
  // Number of ticks given by the list; -1: not given.
  std::int64_t end_tick() const {
    const auto end = std::find_if(events_.begin(), events_.end(), [](const InputEvent& event) {
      return event.kind == InputEventKind::kEnd;
    });
    return end == events_.end() ? -1 : end->tick;
  }

 private:
  std::span<const InputEvent> events_;
  std::size_t next_ = 0;
  command::OperatorInput input_{};
};

}  // namespace knuckleboom::training
