#include "app/trainer/demonstration.hpp"

#include <algorithm>
#include <cmath>

#include "app/session/session_texts.hpp"
#include "app/shell/interrupt.hpp"
#include "knuckleboom/core/training/demonstrator.hpp"

namespace knuckleboom::app {
namespace {

training::InputEvent event(std::int64_t tick, training::InputEventKind kind) {
  training::InputEvent out{};
  out.tick = tick;
  out.kind = kind;
  return out;
}

}  // namespace

SessionChoice demonstrable(SessionChoice choice) {
  if (!choice.control) choice.control = command::ControlMode::kBoomTip;
  return choice;
}

std::vector<training::InputEvent> demonstration(const LoadedSession& loaded, double longest_s,
                                                double rest_s) {
  const training::Session& session = *loaded.session;
  const training::Demonstrator demonstrator(session);
  training::SessionState state = session.initial_state();
  training::DemonstratorState operator_state = demonstrator.initial_state();
  std::vector<training::InputEvent> events;
  for (const training::Command& command : loaded.opening) {
    session.apply(command, state);
    events.push_back(event(0, training::InputEventKind::kCommand));
    events.back().command = command;
  }
  training::SessionSnapshot snapshot = session.snapshot(state);
  const double dt = session.tick_s();
  const auto longest = static_cast<std::int64_t>(std::llround(longest_s / dt));
  auto end = longest;
  command::OperatorInput last{};
  std::int64_t tick = 0;
  for (; tick < end; ++tick) {
    if (tick % 1024 == 0 && interrupted()) return {};
    const command::OperatorInput input = demonstrator.drive(snapshot, dt, operator_state);
    if (input != last) {
      events.push_back(event(tick, training::InputEventKind::kInput));
      events.back().input = last = input;
    }
    session.step(input, state, snapshot);
    if (has_ended(snapshot) && end == longest)
      end = std::min(longest, tick + static_cast<std::int64_t>(std::llround(rest_s / dt)));
  }
  events.push_back(event(tick, training::InputEventKind::kEnd));
  return events;
}

}  // namespace knuckleboom::app
