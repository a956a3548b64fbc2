// The loop of the simulation thread, and its private data.
#pragma once

#include <cstdint>

#include "health_meter.hpp"
#include "knuckleboom/runtime/pacer.hpp"
#include "knuckleboom/runtime/simulation_thread.hpp"
#include "thread_exchange.hpp"

namespace knuckleboom::runtime {

class SimulationTicks {
 public:
  SimulationTicks(Ticker& ticker, ThreadSettings settings, Clock& clock, ThreadExchange& exchange);

  void run();  // until exchange.stopping
  // After run(), if it ran at all, on any thread: waiting commands, then the end.
  void apply_waiting();
  void finish();

 private:
  void loop();
  bool stopping() const { return exchange_.stopping.load(std::memory_order_acquire); }

  void take_events();
  void take_event(const ThreadEvent& event);
  void apply(const training::Command& command);
  void show_as_it_is();

  bool take_input();  // false: the playback is over, there is no tick
  void take_playback();
  void take_levers();
  void measure_input(std::int64_t event_ns);

  void tick(std::int64_t due_ns);
  void publish();
  void record(training::InputEventKind kind, const training::Command& command = {});

  Ticker& ticker_;
  const ThreadSettings settings_;
  Clock& clock_;
  ThreadExchange& exchange_;
  Pacer pacer_;

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

  HealthMeter meter_;
  ThreadHealth health_;
  std::int64_t summary_ns_ = 0;  // when the quantiles were last computed
};

}  // namespace knuckleboom::runtime
