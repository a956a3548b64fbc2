// A recorded emulation, run again from its first tick with the recorded commands and the recorded input,
// checked against the recorded hashes all the way. Needs neither clock nor wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "knuckleboom/core/emulation/hil_bench.hpp"
#include "knuckleboom/recording/emulation_recording.hpp"
#include "knuckleboom/runtime/replay_check.hpp"

namespace knuckleboom::runtime {

class EmulationReplayer {
 public:
  // Throws io::FileError for a recording whose bench cannot be made again.
  explicit EmulationReplayer(io::EmulationRecording recording);

  const io::EmulationRecording& recording() const { return recording_; }
  const emulation::HilBench& bench() const { return *bench_; }
  // Remarks to show first: another build, another processor, gaps, cut off.
  const std::vector<std::string>& remarks() const { return remarks_; }

  // Commands that came before the next tick, and that tick; false: the end is reached, where the commands
  // after the last tick are applied. Throws io::FileError if the file has changed meanwhile.
  bool step();
  const emulation::HilState& state() const { return state_; }
  // Commands that were not possible; of a recording that fits there are none.
  std::int64_t refused() const { return refused_; }

  std::int64_t hashes_compared() const { return check_.compared; }
  std::int64_t hashes_equal() const { return check_.equal; }
  // Ticks run before the first hash that differed, and before the last that agreed until then; -1: none.
  std::int64_t first_difference() const { return check_.first_difference; }
  std::int64_t equal_up_to() const { return check_.equal_up_to; }
  // After the end. True as well where the recording does not say.
  bool end_is_equal() const { return end_equal_; }

 private:
  void make_remarks();
  void apply_commands();
  void compare();

  io::EmulationRecording recording_;
  std::vector<std::string> remarks_;
  std::unique_ptr<emulation::HilBench> bench_;
  io::EmulationFrames frames_;
  emulation::HilState state_;
  std::size_t next_command_ = 0;
  std::int64_t refused_ = 0;
  HashCheck check_;
  bool ended_ = false, end_equal_ = true;
};

}  // namespace knuckleboom::runtime
