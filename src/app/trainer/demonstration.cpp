#include "app/trainer/demonstration.hpp"

#include <algorithm>
#include <cmath>

#include "app/session/session_texts.hpp"
#include "app/shell/interrupt.hpp"

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
  choice.settings.clear();  // as the files have it, whoever watches
  return choice;
}

Demonstration::Demonstration(const training::Session& session, double longest_s, double rest_s)
    : demonstrator_(session),
      state_(demonstrator_.initial_state()),
      tick_s_(session.tick_s()),
      longest_(std::llround(longest_s / tick_s_)),
      rest_(std::llround(rest_s / tick_s_)),
      end_(longest_) {}

command::OperatorInput Demonstration::drive(std::int64_t tick,
                                            const training::SessionSnapshot& now) {
  if (has_ended(now) && end_ == longest_) end_ = std::min(longest_, tick - 1 + rest_);
  if (tick < end_) last_ = demonstrator_.drive(now, tick_s_, state_);
  return last_;
}

std::optional<training::Command> Demonstration::says(const training::SessionSnapshot& now) const {
  const std::int32_t fault = demonstrator_.diagnosis(now);
  if (fault < 0) return std::nullopt;
  return training::Command{training::CommandKind::kDiagnose, fault};
}

std::vector<training::InputEvent> demonstration(
    const LoadedSession& loaded, double longest_s, double rest_s,
    const std::function<void(const training::SessionSnapshot&)>& each,
    const std::function<bool()>& goes_on) {
  const training::Session& session = *loaded.session;
  Demonstration shown(session, longest_s, rest_s);
  training::SessionState state = session.initial_state();
  std::vector<training::InputEvent> events;
  for (const training::Command& command : loaded.opening) {
    session.apply(command, state);
    events.push_back(event(0, training::InputEventKind::kCommand));
    events.back().command = command;
  }
  training::SessionSnapshot snapshot = session.snapshot(state);
  command::OperatorInput last{};
  std::int64_t tick = 0;
  for (; tick < shown.end(); ++tick) {
    if (tick % 1024 == 0 && (goes_on ? !goes_on() : interrupted())) return {};
    if (const auto said = shown.says(snapshot)) {
      events.push_back(event(tick, training::InputEventKind::kCommand));
      events.back().command = *said;
      session.apply(*said, state);
    }
    const command::OperatorInput input = shown.drive(tick, snapshot);
    if (input != last) {
      events.push_back(event(tick, training::InputEventKind::kInput));
      events.back().input = last = input;
    }
    session.step(input, state, snapshot);
    if (each) each(snapshot);
  }
  events.push_back(event(tick, training::InputEventKind::kEnd));
  return events;
}

}  // namespace knuckleboom::app
