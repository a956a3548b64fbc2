// A training session for the simulation thread, or for a headless run.
#pragma once

#include <cstdint>

#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/runtime/session_recorder.hpp"
#include "knuckleboom/runtime/simulation_thread.hpp"

namespace knuckleboom::runtime {

// Sees every tick on its thread, where it neither waits nor allocates.
class TickWatcher {
 public:
  virtual ~TickWatcher() = default;
  virtual void after_tick(std::int64_t tick, const training::SessionSnapshot& snapshot) = 0;
};

class SessionTicker : public Ticker {
 public:
  // The session must outlive it.
  explicit SessionTicker(const training::Session& session)
      : SessionTicker(session, session.initial_state()) {}
  SessionTicker(const training::Session& session, const training::SessionState& state)
      : session_(session), state_(state) {}

  // Records everything from now on; the recorder must have begun with this state and outlive the
  // ticker. nullptr: no recording. Not while a thread runs it.
  void record_into(SessionRecorder* recorder) { recorder_ = recorder; }

  // Shows every tick from now on; nullptr: none. Not while a thread runs it.
  void show_to(TickWatcher* watcher) { watcher_ = watcher; }

  void apply(const training::Command& command) override {
    if (recorder_ != nullptr) recorder_->before(command, state_);
    session_.apply(command, state_);
  }
  void tick(const command::OperatorInput& input, training::SessionSnapshot& out) override {
    session_.step(input, state_, out);
    if (recorder_ != nullptr) recorder_->after_tick(state_, out);
    if (watcher_ != nullptr) watcher_->after_tick(state_.tick, out);
  }
  void record(const training::InputEvent& event) override {
    if (recorder_ != nullptr) recorder_->input(event);
  }
  void observe(training::SessionSnapshot& out) override { out = session_.snapshot(state_); }

  // Not while a thread runs it.
  const training::SessionState& state() const { return state_; }

 private:
  const training::Session& session_;
  training::SessionState state_;
  SessionRecorder* recorder_ = nullptr;
  TickWatcher* watcher_ = nullptr;
};

}  // namespace knuckleboom::runtime
