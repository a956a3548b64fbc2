// Status messages of a running emulation. For people: uses the heap.
#pragma once

#include <cstdint>
#include <string>

#include "knuckleboom/core/emulation/hardware_loop.hpp"

namespace knuckleboom::emulation {

const char* name_of(LoopMode mode);
const char* name_of(exchange::Source source);
// Reason for its mode: "stopped: a tick started 0.132 s late".
std::string sentence(const HardwareLoop& loop, const LoopState& state);
std::string sentence(const HardwareLoop& loop, LoopMode mode, LoopReason reason, std::int64_t index,
                     double value);

}  // namespace knuckleboom::emulation
