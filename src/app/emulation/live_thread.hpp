// An emulation as a bench in real time: its tick thread, and the interface to it.
//
//   sockets, log -> receive -> commands -> step -> send -> sockets
//                                           └──> recorder, signal log, published state
//
// Nothing in a tick waits, allocates, writes or throws. The same ticks without thread and clock give the same
// bits for the same commands and the same input.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "app/emulation/live_endpoints.hpp"
#include "app/emulation/signal_log.hpp"
#include "app/telemetry/telemetry_feed.hpp"
#include "knuckleboom/core/emulation/hil_bench.hpp"
#include "knuckleboom/runtime/emulation_recorder.hpp"
#include "knuckleboom/runtime/event_queue.hpp"
#include "knuckleboom/runtime/latest_value.hpp"
#include "knuckleboom/runtime/simulation_thread.hpp"
#include "runtime/paced_loop.hpp"

namespace knuckleboom::app {

// A request to the tick thread, executed between two ticks.
struct LiveCommand {
  enum class Kind : std::int32_t {
    kBench,
    kCopy,  // a copy of the present state: for a snapshot, or to be shown
    kLog,   // loop.value: 1 on, 0 off
    kQuit,
  };
  Kind kind;
  std::int32_t id;  // returned with the answer; any number
  emulation::HilCommand bench;
};
struct TimedCommand {
  std::int64_t tick;  // it is executed before this tick
  LiveCommand command;
};

// A notice of the tick thread.
struct LiveNotice {
  enum class Kind : std::int32_t {
    kRefused,   // a command; sentence says why
    kMode,      // mode or reason changed
    kSilent,    // signals of the mask have become stale ...
    kHeard,     // ... and are received again
    kPhase,     // index: of the phase that begins
    kFinished,  // all phases are over
  };
  Kind kind;
  std::int32_t id;
  std::int64_t tick;
  emulation::HilMode mode;
  emulation::HilReason reason;
  std::int64_t index;
  double value;
  std::uint64_t mask;    // of incoming signals
  const char* sentence;  // static storage
};

struct LiveCopy {
  std::int32_t id;
  emulation::HilState state;
};

// Data for readers, about 60 times per second.
struct PublishedBench {
  emulation::HilState state;
  std::int64_t due_ns;  // of its last tick, CLOCK_MONOTONIC
  EndpointCounters endpoints;
  runtime::ThreadHealth health;
};
static_assert(std::is_trivially_copyable_v<PublishedBench>);

// For the telemetry server.
using BenchFeed = ShotFeed<emulation::HilState>;

struct LiveSettings {
  std::int64_t end_tick = std::numeric_limits<std::int64_t>::max();
  // Ends by itself when all timed commands are done and nothing runs any more, or all phases are
  // over.
  bool end_when_over = false;
  double publish_Hz = 60.0;
  bool ask_for_priority = true;
  BenchFeed* feed = nullptr;  // must outlive it; null: nobody is shown anything
};

// All public functions are for one thread, its creator.
class LiveThread {
 public:
  // All must outlive it; endpoints, recorder and log may be null. schedule: by rising ticks.
  LiveThread(const emulation::HilBench& bench, LiveEndpoints* endpoints,
             runtime::EmulationRecorder* recorder, SignalLog* log,
             std::vector<TimedCommand> schedule, LiveSettings settings,
             runtime::Clock& clock = runtime::monotonic_clock());
  ~LiveThread();  // stops
  LiveThread(const LiveThread&) = delete;
  LiveThread& operator=(const LiveThread&) = delete;

  // With a thread, in real time. However it ends, the last outgoing values are the safe ones.
  void start();
  void stop();
  // Without a thread: one tick. False: the run is over.
  bool tick();

  bool over() const { return over_.load(std::memory_order_acquire); }
  // A sign of life of the console; with the thread one is required every safety.console_s.
  void beat() { beat_ns_.store(clock_.now_ns(), std::memory_order_relaxed); }

  // Executed before the next tick, in this order; none is dropped.
  void send(const LiveCommand& command);

  // True if there are new data since the last call.
  bool refresh();
  const PublishedBench& published() const { return exchange_->published.value(); }
  bool take(LiveNotice& notice) { return exchange_->notices.pop(notice); }
  // The next requested copy, until drop_copy(); null: none.
  const LiveCopy* copy() { return exchange_->copies.front(); }
  void drop_copy() { exchange_->copies.drop(); }

  const emulation::HilBench& bench() const { return bench_; }
  // After the end.
  const emulation::HilState& state() const { return state_; }

 private:
  struct Exchange {
    runtime::PatientQueue<LiveCommand, 256> commands;
    runtime::LatestValue<PublishedBench> published;
    runtime::EventQueue<LiveNotice, 1024> notices;
    runtime::EventQueue<LiveCopy, 16> copies;
  };

  void run();
  bool advance(std::int64_t now_ns);
  void take_commands();
  void take(const LiveCommand& command);
  void refuse(std::int32_t id, const char* sentence);
  void apply(const emulation::HilCommand& command, std::int32_t id);
  void watch(std::int64_t now_ns);
  void notice_mode();
  void notice_changes();
  LiveNotice notice(LiveNotice::Kind kind) const;
  void tell(const LiveNotice& notice) { exchange_->notices.push(notice); }
  bool is_over() const;
  void publish(std::int64_t due_ns, bool at_end = false);
  void finish(std::int64_t now_ns);

  const emulation::HilBench& bench_;
  std::int64_t newest_ns_ = 0;  // start of the newest tick
  LiveEndpoints* const endpoints_;
  runtime::EmulationRecorder* const recorder_;
  SignalLog* const log_;
  const std::vector<TimedCommand> schedule_;
  const LiveSettings settings_;
  runtime::Clock& clock_;
  const std::int64_t publish_ticks_;
  std::unique_ptr<Exchange> exchange_;
  std::atomic<bool> over_{false};
  std::atomic<std::int64_t> beat_ns_{0};

  // Used by the tick thread.
  emulation::HilState state_;
  exchange::ExchangeInput input_{};
  std::size_t next_scheduled_ = 0;
  bool quit_ = false;
  emulation::HilMode known_mode_;
  emulation::HilReason known_reason_;
  std::int64_t known_phase_ = 0;
  std::uint64_t known_silent_ = 0;
  runtime::PacedLoop loop_;  // the last: its thread ends first
};

}  // namespace knuckleboom::app
