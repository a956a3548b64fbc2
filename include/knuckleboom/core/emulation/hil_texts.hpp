// Status messages of a running emulation. For people: uses the heap.
#pragma once

#include <cstdint>
#include <string>

#include "knuckleboom/core/emulation/hil_bench.hpp"

namespace knuckleboom::emulation {

const char* name_of(HilMode mode);
const char* name_of(exchange::Source source);
// Reason for its mode: "stopped: a tick started 0.132 s late".
std::string sentence(const HilBench& bench, const HilState& state);
std::string sentence(const HilBench& bench, HilMode mode, HilReason reason, std::int64_t index,
                     double value);

}  // namespace knuckleboom::emulation
