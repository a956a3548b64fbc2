// The blocks of a recorded emulation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "knuckleboom/recording/loop_recording.hpp"

namespace knuckleboom::io {

// Other numbers than in journals of sessions, so that neither is taken for the other.
enum class LoopBlock : std::uint32_t {
  kHeader = 101,
  kCommands,
  kFrames,
  kHashes,
  kProgress,
  kEnd,
};

std::string to_bytes(const LoopRecordingHeader& header);
// False: the bytes are no header of this format.
bool from_bytes(std::string_view bytes, LoopRecordingHeader& header);

}  // namespace knuckleboom::io
