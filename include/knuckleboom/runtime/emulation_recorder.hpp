// Records an emulation that runs as a bench, off the tick thread.
//
//   tick thread: commands, external input, hashes -> queues -> recorder thread -> file
//
// A full queue loses its record: later ticks cannot be computed again, which is noted in the recording and
// reported to the user.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "knuckleboom/core/emulation/hil_bench.hpp"
#include "knuckleboom/core/exchange/exchange.hpp"
#include "knuckleboom/recording/emulation_recording.hpp"
#include "knuckleboom/runtime/queue_writer.hpp"

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
  std::string take_fault() { return writer_.take_fault(); }
  const std::filesystem::path& file() const { return file_; }
  // After the last tick. reason: how the run ended, in words. Called once.
  EmulationRecordingOutcome finish(const emulation::HilState& last, std::string reason);

 private:
  struct Queues;

  template <class Queue, class Record>
  void push(Queue& queue, const Record& record, std::int64_t tick);
  void take(io::EmulationRecordingWriter* to);
  io::EmulationLosses losses() const { return {writer_.lost(), writer_.first_lost_tick()}; }

  const EmulationRecorderSettings settings_;
  const std::filesystem::path file_;

  std::int64_t next_write_;  // used by the tick thread
  std::unique_ptr<Queues> queues_;
  QueueWriter<io::EmulationRecordingWriter> writer_;  // the last: its thread ends first
};

}  // namespace knuckleboom::runtime
