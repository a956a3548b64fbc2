// Runs a session at a fixed rate on its own thread.
//
//   levers (latest value), events (queue) -> tick -> the two newest snapshots (latest value)
//                                                 -> input recording (queue)
//
// The other side can never delay a tick: no lock is shared and the thread never waits for a reader.
// The step is never stretched; see Pacer for what happens when time runs short.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "knuckleboom/core/command/operator_input.hpp"
#include "knuckleboom/core/training/attempt_plan.hpp"
#include "knuckleboom/core/training/input_event.hpp"
#include "knuckleboom/core/training/session.hpp"
#include "knuckleboom/core/training/session_snapshot.hpp"
#include "knuckleboom/runtime/pacer.hpp"
#include "knuckleboom/runtime/tick_times.hpp"

namespace knuckleboom::runtime {

// The object run by the thread. Called by the simulation thread only, from start() until stop() has
// returned.
class Ticker {
 public:
  virtual ~Ticker() = default;
  virtual void apply(const training::Command& command) = 0;
  virtual void tick(const command::OperatorInput& input, training::SessionSnapshot& out) = 0;
  virtual void observe(training::SessionSnapshot& out) = 0;  // as it is now, without a tick
  // Input of the session from its tick on: changes of the levers, commands after apply(), the end.
  virtual void record(const training::InputEvent&) {}
};

struct ThreadSettings {
  double rate_Hz = 1000.0;
  int catch_up_ticks = Pacer::kDefaultCatchUp;
  int ticks_per_publication = 1;
  bool ask_for_priority = true;
  bool start_paused = false;
  bool record = true;           // the input, for drain()
  std::int64_t first_tick = 0;  // number of the first tick, in the recording and for the playback
  // Not empty: levers and commands are taken from here and not from set_input(); at its end, if it says
  // one, the thread pauses.
  std::vector<training::InputEvent> playback;
  training::AttemptPlan plan;  // in addition to levers and playback; recorded as well
};

// Timing of the thread.
struct ThreadHealth {
  std::int64_t ticks = 0;
  std::int64_t overruns = 0;  // see Pacer
  double lost_s = 0.0;        // real time given up by the catch-up limit
  TimeSummary lateness;       // of the start of ticks
  double tick_mean_us = 0.0;  // cost of a tick
  double tick_max_us = 0.0;
  double publish_mean_us = 0.0;  // cost of publishing a snapshot
  std::int64_t inputs = 0;       // number of lever events used
  double input_mean_us = 0.0;    // from a lever event to the start of the first tick that uses it
  double input_max_us = 0.0;
  std::int64_t recording_lost = 0;  // input events lost by the recording
  bool priority_granted = false;
  bool memory_locked = false;
};

// Data for the view.
struct Published {
  training::SessionSnapshot older{}, newer{};
  std::int64_t older_due_ns = 0, newer_due_ns = 0;  // of their ticks, CLOCK_MONOTONIC
  std::int64_t interval_ns = 0;                     // between two publications
  bool jumped = false;  // a restart lies between them: nothing to interpolate
  bool paused = false;
  bool playing = false;     // levers come from the playback
  bool played_out = false;  // its end has been reached
  ThreadHealth health;
};
static_assert(std::is_trivially_copyable_v<Published>);

struct ThreadExchange;
class SimulationTicks;
struct ThreadEvent {
  enum class Kind : std::int32_t { kPause, kResume, kStep, kCommand };
  Kind kind;
  training::Command command;
};

// All public functions except set_input() are for one thread, its creator.
class SimulationThread {
 public:
  // The ticker and the clock must outlive it. Throws std::invalid_argument for a rate or a number of
  // ticks that is not above 0.
  explicit SimulationThread(Ticker& ticker, ThreadSettings settings = {},
                            Clock& clock = monotonic_clock());
  ~SimulationThread();  // stops
  SimulationThread(const SimulationThread&) = delete;
  SimulationThread& operator=(const SimulationThread&) = delete;

  void start();  // once
  // Ends after the current tick; waiting commands are still applied. May be called at any time and
  // more than once; afterwards the ticker belongs to the caller again.
  void stop();

  // Events: executed in this order before the next tick and never dropped. Those that do not fit
  // into the queue wait here for the next call of any of these functions, refresh() or read().
  void pause();
  void resume();
  void step_once();  // one tick; nothing unless paused
  void post(const training::Command& command);

  // Lever positions, used from the next tick on. event_ns: time of the movement, CLOCK_MONOTONIC;
  // 0: unknown, not counted in the latency. May be called from another thread, but from one at a
  // time.
  void set_input(const command::OperatorInput& input, std::int64_t event_ns = 0);

  // True if there are new data since the last call. published(): data of the last refresh().
  bool refresh();
  const Published& published() const;
  bool read(Published& out);

  // Appends the events recorded since the last call. Must be called within 16 s at 2000 ticks per
  // second, or events are lost.
  void drain(std::vector<training::InputEvent>& out);
  // False: events were lost; the drained events do not reproduce the run.
  bool recording_valid() const;

  bool running() const;
  std::size_t waiting() const;  // events that did not fit into the queue

 private:
  void send(const ThreadEvent& event);
  void wake();

  std::unique_ptr<ThreadExchange> exchange_;
  std::unique_ptr<SimulationTicks> ticks_;
  bool stopped_ = false;
};

}  // namespace knuckleboom::runtime
