// Exit status of the program.
#pragma once

#include "knuckleboom/io/user_error.hpp"

namespace knuckleboom::app {

enum ExitStatus : int {
  kSuccess = 0,
  kInternalError = 1,    // a solver or another program failed, or an internal error
  kUserMistake = 2,      // command line or files
  kNonFinite = 3,        // the simulation became non-finite or hardly ever converged
  kBeyondTolerance = 4,  // compare --against: the traces differ too much; replay: not the same bits
  kInterruptedRun = 130,  // SIGINT, SIGTERM or SIGHUP
};

}  // namespace knuckleboom::app
