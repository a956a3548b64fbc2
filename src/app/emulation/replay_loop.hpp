// knuckleboom emulate --replay: a recorded run of an emulation, again.
#pragma once

#include <functional>
#include <string>

#include "knuckleboom/core/emulation/hardware_loop.hpp"
#include "knuckleboom/runtime/loop_replayer.hpp"

namespace knuckleboom::app {

using AfterTick = std::function<void(const emulation::LoopState&)>;

// To its end or until an interrupt, as fast as it goes; after_tick: after each tick, may be empty. Says what
// came of it. Returns an ExitStatus: kBeyondTolerance if a hash differs. Throws io::FileError.
int replay_loop(runtime::LoopReplayer& replayer, const AfterTick& after_tick = {});

// What the recording is, in some lines.
std::string description_of(const runtime::LoopReplayer& replayer);

}  // namespace knuckleboom::app
