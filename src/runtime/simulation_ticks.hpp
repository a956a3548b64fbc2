// The loop of the simulation thread, its private data, and what it exchanges with its owner.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "knuckleboom/runtime/event_queue.hpp"
#include "knuckleboom/runtime/latest_value.hpp"
#include "knuckleboom/runtime/simulation_thread.hpp"
#include "paced_loop.hpp"

namespace knuckleboom::runtime {

struct StampedInput {
  command::OperatorInput input;
  std::int64_t event_ns;
};

struct ThreadExchange {
  using Recording = EventQueue<training::InputEvent, 32768>;

  // To the simulation.
  PatientQueue<ThreadEvent, 256> events;
  LatestValue<StampedInput> input;
  std::atomic<std::uint32_t> calls{0};  // changes whenever a paused thread should check its events

  // From the simulation.
  LatestValue<Published> published;
  std::unique_ptr<Recording> recording;  // null: not wanted
  std::atomic<std::int64_t> recording_lost{0};
};

class SimulationTicks {
 public:
  SimulationTicks(Ticker& ticker, ThreadSettings settings, Clock& clock, ThreadExchange& exchange);

  void start();
  bool running() const { return loop_.running(); }
  void ask_to_stop() { loop_.ask_to_stop(); }
  void stop() { loop_.stop(); }
  // After stop(), on any thread: waiting commands, then the end.
  void apply_waiting();
  void finish();

 private:
  void run();
  bool wants_tick();

  void take_events();
  void take_event(const ThreadEvent& event);
  void apply(const training::Command& command);
  void show_as_it_is();

  bool take_input();  // false: the playback is over, there is no tick
  void take_playback();
  void take_levers();
  void measure_input(std::int64_t event_ns);

  void tick(std::int64_t due_ns);
  void publish(bool at_end = false);
  void record(training::InputEventKind kind, const training::Command& command = {});

  Ticker& ticker_;
  const ThreadSettings settings_;
  Clock& clock_;
  ThreadExchange& exchange_;

  std::int64_t tick_;  // the next
  bool paused_;
  bool step_ = false;  // one tick, though paused
  bool ran_ = false;

  training::InputPlayback playback_;
  training::AttemptPlan plan_;
  std::int64_t end_tick_;  // of the playback, -1: none
  bool playing_, played_out_ = false;
  command::OperatorInput input_{};  // of the next tick
  command::OperatorInput recorded_{};
  bool any_recorded_ = false;
  std::int64_t event_ns_ = 0;    // of the newest lever event that was used
  std::int64_t resumed_ns_ = 0;  // levers moved during a pause are not late

  training::SessionSnapshot shot_[2]{};
  std::int64_t due_ns_[2]{};
  int newer_ = 0;           // index of the newer of the two
  bool jumped_ = false;     // between the two
  bool jump_next_ = false;  // in the next tick
  bool changed_ = false;    // something new for the reader while paused
  int unpublished_ticks_ = 0;

  PacedLoop loop_;  // the last: its thread ends first
};

}  // namespace knuckleboom::runtime
