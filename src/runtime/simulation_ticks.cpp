#include "simulation_ticks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace knuckleboom::runtime {
namespace {

using training::Command;
using training::InputEventKind;

// Whatever a device reports, the session and its recording get a valid lever position.
command::OperatorInput limited(command::OperatorInput input) {
  for (double& axis : input.axis) axis = std::isfinite(axis) ? std::clamp(axis, -1.0, 1.0) : 0.0;
  return input;
}

bool same(const command::OperatorInput& a, const command::OperatorInput& b) {
  return a.buttons == b.buttons && std::equal(std::begin(a.axis), std::end(a.axis),
                                              std::begin(b.axis), [](double x, double y) {
                                                return x == y && std::signbit(x) == std::signbit(y);
                                              });
}

}  // namespace

SimulationTicks::SimulationTicks(Ticker& ticker, ThreadSettings settings, Clock& clock,
                                 ThreadExchange& exchange)
    : ticker_(ticker),
      settings_(std::move(settings)),
      clock_(clock),
      exchange_(exchange),
      tick_(settings_.first_tick),
      paused_(settings_.start_paused),
      playback_(settings_.playback),
      plan_(settings_.plan),
      end_tick_(playback_.end_tick()),
      playing_(!settings_.playback.empty()),
      loop_(1.0 / settings_.rate_Hz, settings_.catch_up_ticks, clock) {}

void SimulationTicks::start() {
  loop_.start("simulation", settings_.ask_for_priority, [this] { run(); });
}

void SimulationTicks::run() {
  ran_ = true;
  ticker_.observe(shot_[0]);
  shot_[1] = shot_[0];
  due_ns_[0] = due_ns_[1] = clock_.now_ns();
  publish();
  const auto takes = [this] {
    take_events();  // events received while it waited belong to this tick
    return !loop_.stopping() && !paused_ && take_input();
  };
  const auto one = [this] {
    tick(loop_.due_ns());
    return true;
  };
  loop_.run([this] { return wants_tick(); }, takes, one);
}

// While paused it waits for events.
bool SimulationTicks::wants_tick() {
  const std::uint32_t calls = exchange_.calls.load(std::memory_order_acquire);
  take_events();
  if (!paused_) return true;
  if (step_) {
    step_ = false;
    if (take_input()) tick(clock_.now_ns());
    return false;
  }
  if (changed_) publish();
  if (!loop_.stopping()) exchange_.calls.wait(calls, std::memory_order_acquire);
  return false;
}

void SimulationTicks::apply_waiting() {
  ThreadEvent event{};
  while (exchange_.events.pop(event))
    if (event.kind == ThreadEvent::Kind::kCommand) apply(event.command);
}

void SimulationTicks::finish() {
  record(InputEventKind::kEnd);
  if (!ran_) return;
  publish(true);
}

// --- Events -------------------------------------------------------------------

// Events after a step are executed after its tick.
void SimulationTicks::take_events() {
  ThreadEvent event{};
  while (!step_ && exchange_.events.pop(event)) take_event(event);
}

void SimulationTicks::take_event(const ThreadEvent& event) {
  switch (event.kind) {
    case ThreadEvent::Kind::kPause:
      changed_ = changed_ || !paused_;
      paused_ = true;
      return;
    case ThreadEvent::Kind::kResume:
      if (!paused_) return;
      paused_ = false;
      resumed_ns_ = clock_.now_ns();
      loop_.resume();
      return;
    case ThreadEvent::Kind::kStep:
      step_ = paused_;
      return;
    case ThreadEvent::Kind::kCommand:
      apply(event.command);
      if (paused_) show_as_it_is();
      return;
  }
}

void SimulationTicks::apply(const Command& command) {
  ticker_.apply(command);
  if (command.kind == training::CommandKind::kRestart) {
    jump_next_ = true;
    plan_.restart(tick_);
  }
  record(InputEventKind::kCommand, command);
}

// A restart is visible at once, even without a tick.
void SimulationTicks::show_as_it_is() {
  ticker_.observe(shot_[newer_]);
  due_ns_[newer_] = clock_.now_ns();
  jumped_ = true;
  jump_next_ = false;
  changed_ = true;
}

// --- Input --------------------------------------------------------------------

bool SimulationTicks::take_input() {
  if (playing_ && end_tick_ >= 0 && tick_ >= end_tick_) {
    take_playback();
    playing_ = false;
    played_out_ = true;
    paused_ = true;
    changed_ = true;
    return false;
  }
  if (playing_)
    take_playback();
  else
    take_levers();
  plan_.advance(tick_, [this](const Command& command) { apply(command); });
  if (!any_recorded_ || !same(input_, recorded_)) record(InputEventKind::kInput);
  return true;
}

void SimulationTicks::take_playback() {
  input_ = limited(playback_.advance(tick_, [this](const Command& command) { apply(command); }));
}

void SimulationTicks::take_levers() {
  if (!exchange_.input.refresh()) return;
  const StampedInput& levers = exchange_.input.value();
  input_ = limited(levers.input);
  measure_input(levers.event_ns);
}

void SimulationTicks::measure_input(std::int64_t event_ns) {
  if (event_ns <= event_ns_) return;
  event_ns_ = event_ns;
  if (event_ns > resumed_ns_)
    loop_.input_delay.add(std::max<std::int64_t>(clock_.now_ns() - event_ns, 0));
}

// --- Tick ---------------------------------------------------------------------

void SimulationTicks::tick(std::int64_t due_ns) {
  if (unpublished_ticks_ == 0) {
    newer_ = 1 - newer_;
    jumped_ = false;
  }
  jumped_ = jumped_ || jump_next_;
  jump_next_ = false;
  const std::int64_t begin = clock_.now_ns();
  ticker_.tick(input_, shot_[newer_]);
  loop_.tick_cost.add(clock_.now_ns() - begin);
  due_ns_[newer_] = due_ns;
  ++tick_;
  ++unpublished_ticks_;
  if (paused_ || unpublished_ticks_ >= settings_.ticks_per_publication) publish();
}

void SimulationTicks::publish(bool at_end) {
  const std::int64_t begin = clock_.now_ns();
  Published& out = exchange_.published.next();
  training::copy_used(shot_[newer_], out.newer);
  training::copy_used(shot_[1 - newer_], out.older);
  out.newer_due_ns = due_ns_[newer_];
  out.older_due_ns = due_ns_[1 - newer_];
  out.interval_ns = std::llround(1e9 * settings_.ticks_per_publication / settings_.rate_Hz);
  out.jumped = jumped_;
  out.paused = paused_;
  out.playing = playing_;
  out.played_out = played_out_;
  out.health = loop_.health(exchange_.recording_lost.load(std::memory_order_relaxed), at_end);
  exchange_.published.publish();
  unpublished_ticks_ = 0;
  changed_ = false;
  loop_.publication_cost.add(clock_.now_ns() - begin);
}

void SimulationTicks::record(InputEventKind kind, const Command& command) {
  training::InputEvent event{};
  event.tick = tick_;
  event.kind = kind;
  event.command = command;
  if (kind == InputEventKind::kInput) {
    event.input = recorded_ = input_;
    any_recorded_ = true;
  }
  ticker_.record(event);
  if (exchange_.recording && !exchange_.recording->push(event))
    exchange_.recording_lost.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace knuckleboom::runtime
