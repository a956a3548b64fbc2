// knuckleboom emulate --replay: replays a recorded run of an emulation.
#pragma once

#include <functional>
#include <string>

#include "knuckleboom/core/emulation/hil_bench.hpp"
#include "knuckleboom/runtime/emulation_replayer.hpp"

namespace knuckleboom::app {

using AfterTick = std::function<void(const emulation::HilState&)>;

// Runs to its end or until an interrupt, as fast as possible; after_tick: after each tick, may be
// empty. Prints the result. Returns an ExitStatus: kBeyondTolerance if a hash differs. Throws
// io::FileError.
int replay_emulation(runtime::EmulationReplayer& replayer, const AfterTick& after_tick = {});

// Description of the recording in a few lines.
std::string description_of(const runtime::EmulationReplayer& replayer);

}  // namespace knuckleboom::app
