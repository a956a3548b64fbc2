// What the program tells its caller, and the mistakes a user can make.
#pragma once

#include <stdexcept>

namespace knuckleboom::app {

enum ExitStatus : int {
  kSuccess = 0,
  kInternalError = 1,    // a solver or another program gave up, or a fault of ours
  kUserMistake = 2,      // command line or files
  kNonFinite = 3,        // the simulation left the real numbers or hardly ever converged
  kBeyondTolerance = 4,  // compare --against: the traces differ too much; replay: not the same bits
  kInterruptedRun = 130,  // SIGINT, SIGTERM or SIGHUP
};

// One clear sentence; the program shows it and ends with kUserMistake.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Something outside of the user's and of our hands went wrong; ends with kInternalError.
class RunFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace knuckleboom::app
