#include "knuckleboom/runtime/emulation_replayer.hpp"

#include <utility>

#include <fmt/format.h>

namespace knuckleboom::runtime {

EmulationReplayer::EmulationReplayer(io::EmulationRecording recording)
    : recording_(std::move(recording)),
      bench_(io::make_hil_bench(recording_.header.made_from, &remarks_)),
      frames_(recording_),
      state_(bench_->initial_state()) {
  if (recording_.header.tick_s != bench_->tick_s())
    throw io::FileError(recording_.path.string(),
                        fmt::format("its header says that a tick lasts {} s, its files {} s",
                                    recording_.header.tick_s, bench_->tick_s()));
  make_remarks();
  compare();
}

void EmulationReplayer::make_remarks() {
  const io::EmulationRecordingHeader& header = recording_.header;
  const io::EmulationRecordingEnd& end = recording_.end;
  const double length_s = static_cast<double>(end.end_tick) * header.tick_s;
  if (!end.complete)
    remarks_.push_back(
        fmt::format("the recording was cut off or still goes on; it is whole up to {:.3f} s{}",
                    length_s, end.torn ? ", and what follows is damaged" : ""));
  else if (end.torn)
    remarks_.emplace_back("something follows the end of the recording; it is not looked at");
  if (end.lost.count > 0)
    remarks_.push_back(
        fmt::format("the recording has gaps: {} of its records were lost, the first at tick {}, "
                    "so that from there on a replay need not be the same",
                    end.lost.count, end.lost.first_tick));
  remark_on_origin(header, remarks_);
  if (!recording_.hashes_known())
    remarks_.emplace_back(
        "its hashes were taken in another way than this program does, so that none can agree");
}

bool EmulationReplayer::step() {
  if (ended_) return false;
  apply_commands();
  if (state_.tick >= recording_.end.end_tick) {
    ended_ = true;
    end_equal_ = !recording_.end.complete || recording_.hash(state_) == recording_.end.end_hash;
    return false;
  }
  const exchange::ExchangeInput& input = frames_.at(state_.tick);
  const int signals = bench_->exchange().signals();
  if (signals < exchange::kMaxSignals && (input.log.fresh | input.network.fresh) >> signals != 0)
    throw io::FileError(
        recording_.path.string(),
        fmt::format("at tick {} something came in of a signal that there is not", state_.tick));
  bench_->step(state_, input);
  compare();
  return true;
}

void EmulationReplayer::apply_commands() {
  const std::vector<io::EmulationTickCommand>& commands = recording_.commands;
  for (; next_command_ < commands.size() && commands[next_command_].tick <= state_.tick;
       ++next_command_) {
    const char* const refusal = bench_->apply(commands[next_command_].command, state_);
    if (refusal != nullptr && *refusal != '\0') ++refused_;
  }
}

void EmulationReplayer::compare() {
  const auto recorded = HashCheck::recorded(recording_.hashes, state_.tick);
  if (recorded) check_.count(state_.tick, recording_.hash(state_) == recorded);
}

}  // namespace knuckleboom::runtime
