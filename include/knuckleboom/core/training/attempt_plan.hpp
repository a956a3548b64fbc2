// Timed commands of every attempt, independent of the levers' source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "knuckleboom/core/training/session.hpp"

namespace knuckleboom::training {

struct AttemptCommand {
  std::int64_t tick;  // of the attempt: ticks run in it before
  Command command;
};

class AttemptPlan {
 public:
  AttemptPlan() = default;
  // commands: in the order of their ticks. begin: tick of the session at which the running attempt
  // began; commands before the tick `now` count as done.
  explicit AttemptPlan(std::vector<AttemptCommand> commands, std::int64_t begin = 0,
                       std::int64_t now = 0)
      : commands_(std::move(commands)), begin_(begin) {
    while (next_ < commands_.size() && begin_ + commands_[next_].tick < now) ++next_;
  }

  // An attempt begins with this tick of the session.
  void restart(std::int64_t tick) {
    begin_ = tick;
    next_ = 0;
  }
  // Calls apply(const Command&) for everything up to and with this tick of the session.
  template <class Apply>
  void advance(std::int64_t tick, Apply apply) {
    for (; next_ < commands_.size() && begin_ + commands_[next_].tick <= tick; ++next_)
      apply(commands_[next_].command);
  }

 private:
  std::vector<AttemptCommand> commands_;
  std::int64_t begin_ = 0;
  std::size_t next_ = 0;
};

}  // namespace knuckleboom::training
