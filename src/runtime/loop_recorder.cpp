#include "knuckleboom/runtime/loop_recorder.hpp"

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
struct LoopRecorder::Queues {
  EventQueue<io::LoopTickCommand, 4096> commands;
  EventQueue<FrameRecord, 16384> frames;
  EventQueue<io::StateHash, 1024> hashes;
};

LoopRecorder::LoopRecorder(io::LoopRecordingWriter writer, const emulation::LoopState& first,
                           LoopRecorderSettings settings)
    : settings_(settings),
      file_(writer.file()),
      next_hash_(next_multiple(first.tick, settings.hash_ticks)),
      next_write_(next_multiple(first.tick, kWriteTicks)),
      queues_(std::make_unique<Queues>()),
      ticks_(first.tick),
      writer_(std::make_unique<io::LoopRecordingWriter>(std::move(writer))) {
  queues_->hashes.push({first.tick, io::hash_of(first)});
  write();
  if (settings_.own_thread) thread_.start("recorder", kWritePeriod, [this] { write_and_sync(); });
}

LoopRecorder::~LoopRecorder() { thread_.stop(); }

// --- Tick thread --------------------------------------------------------------

template <class Queue, class Record>
void LoopRecorder::push(Queue& queue, const Record& record, std::int64_t tick) {
  if (queue.push(record)) return;
  if (!settings_.own_thread) {
    write();
    queue.push(record);
    return;
  }
  lose(tick);
}

void LoopRecorder::lose(std::int64_t tick) {
  // In this order: a reader of the count also sees the tick.
  if (lost() == 0) first_lost_tick_.store(tick, std::memory_order_relaxed);
  lost_.fetch_add(1, std::memory_order_release);
}

void LoopRecorder::command(std::int64_t tick, const emulation::LoopCommand& command) {
  push(queues_->commands, io::LoopTickCommand{tick, command}, tick);
}

void LoopRecorder::input(std::int64_t tick, const ExchangeInput& input) {
  if ((input.log.fresh | input.network.fresh) == 0) return;
  push(queues_->frames, FrameRecord{tick, input}, tick);
}

void LoopRecorder::after_tick(const emulation::LoopState& state) {
  const std::int64_t tick = state.tick;
  if (tick >= next_hash_) {
    push(queues_->hashes, io::StateHash{tick, io::hash_of(state)}, tick);
    next_hash_ = next_multiple(tick, settings_.hash_ticks);
  }
  ticks_.store(tick, std::memory_order_release);
  if (settings_.own_thread || tick < next_write_) return;
  write();
  next_write_ = next_multiple(tick, kWriteTicks);
}

// --- Recorder thread ----------------------------------------------------------

void LoopRecorder::write_and_sync() {
  write();
  try {
    if (writer_ && ++writes_ % kWritesPerSync == 0) writer_->sync();
  } catch (const io::FileError& error) {
    fail(error.what());
  }
}

void LoopRecorder::write() {
  try {
    // In this order: the records of these ticks are in the queues by now.
    const std::int64_t end = ticks_.load(std::memory_order_acquire);
    take();
    if (writer_) writer_->flush(end, losses());
  } catch (const io::FileError& error) {
    fail(error.what());
  }
}

void LoopRecorder::take() {
  // A failed writer is gone; the queues are still emptied.
  io::LoopTickCommand command;
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

io::LoopLosses LoopRecorder::losses() const {
  const std::int64_t count = lost();
  return {count, first_lost_tick_.load(std::memory_order_relaxed)};
}

void LoopRecorder::fail(const std::string& sentence) {
  writer_.reset();
  const std::lock_guard lock(mutex_);
  fault_ = first_fault_ = fmt::format("the run is not recorded any more: {}", sentence);
}

// --- The thread that made it ----------------------------------------------------

std::string LoopRecorder::take_fault() {
  const std::lock_guard lock(mutex_);
  return std::exchange(fault_, {});
}

LoopRecordingOutcome LoopRecorder::finish(const emulation::LoopState& last, std::string reason) {
  thread_.stop();
  write();
  try {
    if (writer_)
      writer_->close({true, false, last.tick, io::hash_of(last), losses(), std::move(reason)});
  } catch (const io::FileError& error) {
    fail(error.what());
  }
  writer_.reset();
  return {file_, first_fault_};
}

}  // namespace knuckleboom::runtime
