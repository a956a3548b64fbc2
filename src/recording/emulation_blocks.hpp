// The blocks of a recorded emulation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "knuckleboom/recording/emulation_recording.hpp"

namespace knuckleboom::io {

// Other numbers than in journals of sessions, so that the two cannot be confused.
enum class EmulationBlock : std::uint32_t {
  kHeader = 101,
  kCommands,
  kFrames,
  kHashes,
  kProgress,
  kEnd,
};

std::string to_bytes(const EmulationRecordingHeader& header);
// False: the bytes are no header of this format.
bool from_bytes(std::string_view bytes, EmulationRecordingHeader& header);

}  // namespace knuckleboom::io
