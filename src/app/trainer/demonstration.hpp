// An exercise done by the program, through the levers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "app/session/load_session.hpp"
#include "knuckleboom/core/training/demonstrator.hpp"
#include "knuckleboom/core/training/input_event.hpp"

namespace knuckleboom::app {

// Tick by tick, up to the end of the attempt or `longest_s`, plus `rest_s` at rest.
class Demonstration {
 public:
  // Throws std::invalid_argument with a message if the levers are insufficient.
  Demonstration(const training::Session& session, double longest_s, double rest_s);
  // Levers for a tick, from what is seen before it. After the end they stay.
  command::OperatorInput drive(std::int64_t tick, const training::SessionSnapshot& now);
  // A command before the levers of that tick: what is wrong.
  std::optional<training::Command> says(const training::SessionSnapshot& now) const;
  std::int64_t end() const { return end_; }  // first tick that is no part of it; may move forward

 private:
  training::Demonstrator demonstrator_;
  training::DemonstratorState state_;
  double tick_s_;
  std::int64_t longest_, rest_, end_;  // ticks
  command::OperatorInput last_{};
};

// The input of a whole attempt, up to its end or `longest_s`, plus `rest_s` at rest. Empty if the
// program was interrupted meanwhile. Throws std::invalid_argument with a message if the levers are
// insufficient. each: gets the snapshot after each tick. goes_on: asked from time to time; without it, until it is
// interrupted.
std::vector<training::InputEvent> demonstration(
    const LoadedSession& loaded, double longest_s, double rest_s,
    const std::function<void(const training::SessionSnapshot&)>& each = {},
    const std::function<bool()>& goes_on = {});

// With boom-tip control, unless another mode was chosen, and without anybody's settings.
SessionChoice demonstrable(SessionChoice choice);

}  // namespace knuckleboom::app
