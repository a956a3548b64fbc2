#include "knuckleboom/runtime/emulation_recorder.hpp"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "knuckleboom/runtime/event_queue.hpp"
#include "next_multiple.hpp"

namespace knuckleboom::runtime {
namespace {

using exchange::ExchangeInput;

constexpr std::chrono::milliseconds kWritePeriod{200};  // largest loss by a kill
constexpr int kWritesPerSync = 5;
constexpr std::int64_t kWriteTicks = 1000;  // without a thread

struct FrameRecord {
  std::int64_t tick;
  ExchangeInput input;
};

}  // namespace

// Size for a stalled disk: 16 s at 1000 ticks per second.
struct EmulationRecorder::Queues {
  EventQueue<io::EmulationTickCommand, 4096> commands;
  EventQueue<FrameRecord, 16384> frames;
  EventQueue<io::StateHash, 1024> hashes;
};

EmulationRecorder::EmulationRecorder(io::EmulationRecordingWriter writer,
                                     const emulation::HilState& first,
                                     EmulationRecorderSettings settings)
    : settings_(settings),
      file_(writer.file()),
      next_hash_(next_multiple(first.tick, settings.hash_ticks)),
      next_write_(next_multiple(first.tick, kWriteTicks)),
      queues_(std::make_unique<Queues>()),
      ticks_(first.tick),
      writer_(std::make_unique<io::EmulationRecordingWriter>(std::move(writer))) {
  queues_->hashes.push({first.tick, state::hash(first)});
  write();
  if (settings_.own_thread) thread_.start("recorder", kWritePeriod, [this] { write_and_sync(); });
}

EmulationRecorder::~EmulationRecorder() { thread_.stop(); }

// --- Tick thread --------------------------------------------------------------

template <class Queue, class Record>
void EmulationRecorder::push(Queue& queue, const Record& record, std::int64_t tick) {
  if (queue.push(record)) return;
  if (!settings_.own_thread) {
    write();
    queue.push(record);
    return;
  }
  lose(tick);
}

void EmulationRecorder::lose(std::int64_t tick) {
  // In this order: a reader of the count also sees the tick.
  if (lost() == 0) first_lost_tick_.store(tick, std::memory_order_relaxed);
  lost_.fetch_add(1, std::memory_order_release);
}

void EmulationRecorder::command(std::int64_t tick, const emulation::HilCommand& command) {
  push(queues_->commands, io::EmulationTickCommand{tick, command}, tick);
}

void EmulationRecorder::input(std::int64_t tick, const ExchangeInput& input) {
  if ((input.log.fresh | input.network.fresh) == 0) return;
  push(queues_->frames, FrameRecord{tick, input}, tick);
}

void EmulationRecorder::after_tick(const emulation::HilState& state) {
  const std::int64_t tick = state.tick;
  if (tick >= next_hash_) {
    push(queues_->hashes, io::StateHash{tick, state::hash(state)}, tick);
    next_hash_ = next_multiple(tick, settings_.hash_ticks);
  }
  ticks_.store(tick, std::memory_order_release);
  if (settings_.own_thread || tick < next_write_) return;
  write();
  next_write_ = next_multiple(tick, kWriteTicks);
}

// --- Recorder thread ----------------------------------------------------------

void EmulationRecorder::write_and_sync() {
  write();
  try {
    if (writer_ && ++writes_ % kWritesPerSync == 0) writer_->sync();
  } catch (const io::FileError& error) {
    fail(error.what());
  }
}

void EmulationRecorder::write() {
  try {
    // In this order: the records of these ticks are in the queues by now.
    const std::int64_t end = ticks_.load(std::memory_order_acquire);
    take();
    if (writer_) writer_->flush(end, losses());
  } catch (const io::FileError& error) {
    fail(error.what());
  }
}

void EmulationRecorder::take() {
  // A failed writer is gone; the queues are still emptied.
  io::EmulationTickCommand command;
  while (queues_->commands.pop(command))
    if (writer_) writer_->add(command);
  while (const FrameRecord* frame = queues_->frames.front()) {
    if (writer_) writer_->add(frame->tick, frame->input);
    queues_->frames.drop();
  }
  io::StateHash hash;
  while (queues_->hashes.pop(hash))
    if (writer_) writer_->add(hash);
  if (lost() == 0 || told_loss_) return;
  told_loss_ = true;
  const std::lock_guard lock(mutex_);
  fault_ = first_fault_ = fmt::format(
      "the recording has gaps from tick {} on: the disk did not keep up", losses().first_tick);
}

io::EmulationLosses EmulationRecorder::losses() const {
  const std::int64_t count = lost();
  return {count, first_lost_tick_.load(std::memory_order_relaxed)};
}

void EmulationRecorder::fail(const std::string& sentence) {
  writer_.reset();
  const std::lock_guard lock(mutex_);
  fault_ = first_fault_ = fmt::format("the run is not recorded any more: {}", sentence);
}

// --- The thread that made it ----------------------------------------------------

std::string EmulationRecorder::take_fault() {
  const std::lock_guard lock(mutex_);
  return std::exchange(fault_, {});
}

EmulationRecordingOutcome EmulationRecorder::finish(const emulation::HilState& last,
                                                    std::string reason) {
  thread_.stop();
  write();
  try {
    if (writer_)
      writer_->close({true, false, last.tick, state::hash(last), losses(), std::move(reason)});
  } catch (const io::FileError& error) {
    fail(error.what());
  }
  writer_.reset();
  return {file_, first_fault_};
}

}  // namespace knuckleboom::runtime
