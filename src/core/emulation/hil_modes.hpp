// The modes of a running emulation and the ways between them.
//
//              run                      stop line, force, tip error, silent joint of the host
//     ready --------> running ------------------------------------------------+
//                      |   ^                                                  v
//      hold, silent    |   | run         the same, or silent for too long     |
//      sensor, silent  |   |     +-----------------------------------------> stopped
//      command         v   |     |                                            |
//                     holding ---+ <------------------ reset -----------------+
//
// Stop, a watchdog and a state that is not finite lead from everywhere to stopped. The ways are the rows of the
// table in hil_modes.cpp; a condition beside the mode, as a pressed stop button, is HilBench's to check.
#pragma once

#include <cstdint>

#include "knuckleboom/core/emulation/hil_bench.hpp"

namespace knuckleboom::emulation {

enum class HilEvent : std::int32_t {
  // commands, the first four numbered as HilCommandKind
  kRun,
  kHold,
  kStop,
  kReset,
  kWatchdog,
  // found in a tick
  kStopLine,       // pressed, or silent
  kHostSilent,     // a joint sensor of the host
  kSensorSilent,   // the wrench, or a joint sensor of the emulated machine
  kSilentTooLong,  // that, while holding because of it
  kCommandSilent,  // a command to a machine
  kLimitExceeded,  // force or tip error
  kNotFinite,
};
inline constexpr int kHilEvents = 12;

// From one mode.
struct HilWay {
  bool leads;
  HilMode to;           // if it leads somewhere
  const char* refusal;  // otherwise: to a command, why not; empty: the event changes nothing

  constexpr HilWay(HilMode mode) : leads(true), to(mode), refusal("") {}
  constexpr HilWay(const char* why) : leads(false), to(), refusal(why) {}
};

const HilWay& way_of(HilMode from, HilEvent event);

}  // namespace knuckleboom::emulation
