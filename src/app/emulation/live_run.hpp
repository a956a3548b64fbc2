// knuckleboom emulate --live: an emulation as a bench, in real time or as fast as possible, under
// command.
#pragma once

#include <memory>
#include <string>

#include "app/emulation/emulate.hpp"
#include "app/emulation/signal_log.hpp"

namespace knuckleboom::app {

// Returns an ExitStatus. Throws io::FileError or UserError.
int run_live(const EmulateOptions& options);

// By --log, --log-signals and --log-every. Throws io::FileError or UserError.
std::unique_ptr<SignalLog> open_signal_log(const LiveOptions& options,
                                           const emulation::HilBench& bench, bool own_thread);

}  // namespace knuckleboom::app
