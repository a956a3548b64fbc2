// Records an emulation that runs as a bench, off the tick thread.
//
//   tick thread: commands, external input, hashes -> queues -> recorder thread -> file
//
// The tick thread does not wait, allocate or write. A full queue loses its record and counts it:
// later ticks cannot be computed again, which is noted in the recording and reported to the user.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>

#include "knuckleboom/core/emulation/hil_bench.hpp"
#include "knuckleboom/core/exchange/exchange.hpp"
#include "knuckleboom/recording/emulation_recording.hpp"
#include "knuckleboom/runtime/periodic_thread.hpp"

namespace knuckleboom::runtime {

struct EmulationRecorderSettings {
  std::int64_t hash_ticks = io::kEmulationHashTicks;
  // false: it writes on the tick thread and loses nothing; for runs without real time.
  bool own_thread = true;
};

// Result of a recording.
struct EmulationRecordingOutcome {
  std::filesystem::path file;
  std::string fault;  // error message; empty: none
};

// Order in a tick: command() for each accepted command, input(), the loop's step, after_tick().
class EmulationRecorder {
 public:
  // first: the state that the run begins with, HilBench::initial_state().
  EmulationRecorder(io::EmulationRecordingWriter writer, const emulation::HilState& first,
                    EmulationRecorderSettings settings = {});
  ~EmulationRecorder();  // without finish(): the recording counts as cut off
  EmulationRecorder(const EmulationRecorder&) = delete;
  EmulationRecorder& operator=(const EmulationRecorder&) = delete;

  // --- Tick thread ---
  // tick: HilState::tick, ticks run before.
  void command(std::int64_t tick, const emulation::HilCommand& command);
  void input(std::int64_t tick, const exchange::ExchangeInput& input);
  void after_tick(const emulation::HilState& state);

  // --- The thread that made it ---
  // A sentence if the recording has got a fault since the last time; else empty.
  std::string take_fault();
  const std::filesystem::path& file() const { return file_; }
  std::int64_t lost() const { return lost_.load(std::memory_order_acquire); }
  // After the last tick. reason: how the run ended, in words. Called once.
  EmulationRecordingOutcome finish(const emulation::HilState& last, std::string reason);

 private:
  struct Queues;

  template <class Queue, class Record>
  void push(Queue& queue, const Record& record, std::int64_t tick);
  void lose(std::int64_t tick);

  void write_and_sync();  // the recorder thread
  void write();
  void take();  // from the queues
  io::EmulationLosses losses() const;
  void fail(const std::string& sentence);

  const EmulationRecorderSettings settings_;
  const std::filesystem::path file_;

  // Used by the tick thread.
  std::int64_t next_hash_, next_write_;

  std::unique_ptr<Queues> queues_;
  std::atomic<std::int64_t> ticks_;  // ticks run; all their records are in the queues
  std::atomic<std::int64_t> lost_{0}, first_lost_tick_{-1};

  // Used by the recorder thread.
  std::unique_ptr<io::EmulationRecordingWriter> writer_;  // null: failed
  int writes_ = 0;
  bool told_loss_ = false;

  std::mutex mutex_;   // between the recorder thread and its creator
  std::string fault_;  // not taken yet
  std::string first_fault_;
  PeriodicThread thread_;
};

}  // namespace knuckleboom::runtime
