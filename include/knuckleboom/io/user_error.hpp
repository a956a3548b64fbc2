// Errors that are told to the user as they are, beside faults in files (FileError).
#pragma once

#include <stdexcept>

namespace knuckleboom {

// Somebody asked for what cannot be done: one clear sentence for him or her.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Something outside of the user's and of our hands went wrong, such as a solver that gave up.
class RunFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace knuckleboom
