// knuckleboom emulate --live: an emulation as a bench, in real time or as fast as it goes, under command.
#pragma once

#include "app/emulate/emulate.hpp"

namespace knuckleboom::app {

// Returns an ExitStatus. Throws io::FileError or UserError.
int run_live(const EmulateOptions& options);

}  // namespace knuckleboom::app
