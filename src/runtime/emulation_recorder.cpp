#include "knuckleboom/runtime/emulation_recorder.hpp"

#include <utility>

namespace knuckleboom::runtime {
namespace {

using exchange::ExchangeInput;

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
};

EmulationRecorder::EmulationRecorder(io::EmulationRecordingWriter writer,
                                     const emulation::HilState& first,
                                     EmulationRecorderSettings settings)
    : settings_(settings),
      file_(writer.file()),
      next_write_(next_multiple(first.tick, kWriteTicks)),
      queues_(std::make_unique<Queues>()),
      writer_(std::move(writer), "the run", first.tick, settings.hash_ticks) {
  writer_.start(
      first, settings_.own_thread, [this](io::EmulationRecordingWriter* to) { take(to); },
      [this](io::EmulationRecordingWriter& to, std::int64_t end_tick) {
        to.flush(end_tick, losses());
      });
}

EmulationRecorder::~EmulationRecorder() = default;

// --- Tick thread --------------------------------------------------------------

template <class Queue, class Record>
void EmulationRecorder::push(Queue& queue, const Record& record, std::int64_t tick) {
  if (queue.push(record)) return;
  if (settings_.own_thread) return writer_.lose(tick);
  writer_.write();
  queue.push(record);
}

void EmulationRecorder::command(std::int64_t tick, const emulation::HilCommand& command) {
  push(queues_->commands, io::EmulationTickCommand{tick, command}, tick);
}

void EmulationRecorder::input(std::int64_t tick, const ExchangeInput& input) {
  if ((input.log.fresh | input.network.fresh) == 0) return;
  push(queues_->frames, FrameRecord{tick, input}, tick);
}

void EmulationRecorder::after_tick(const emulation::HilState& state) {
  writer_.hash(state);
  writer_.tick_finished(state.tick);
  if (settings_.own_thread || state.tick < next_write_) return;
  writer_.write();
  next_write_ = next_multiple(state.tick, kWriteTicks);
}

// --- Recorder thread ----------------------------------------------------------

void EmulationRecorder::take(io::EmulationRecordingWriter* to) {
  io::EmulationTickCommand command;
  while (queues_->commands.pop(command))
    if (to != nullptr) to->add(command);
  while (const FrameRecord* frame = queues_->frames.front()) {
    if (to != nullptr) to->add(frame->tick, frame->input);
    queues_->frames.drop();
  }
}

// --- The thread that made it ----------------------------------------------------

EmulationRecordingOutcome EmulationRecorder::finish(const emulation::HilState& last,
                                                    std::string reason) {
  writer_.stop();
  writer_.write();
  writer_.finish([&](io::EmulationRecordingWriter& to) {
    to.close({true, false, last.tick, state::hash(last), losses(), std::move(reason)});
  });
  return {file_, writer_.last_fault()};
}

}  // namespace knuckleboom::runtime
