#pragma once

#include <sodium.h>

#include "endpoint/error.hpp"

namespace knuckleboom::endpoint {

// Before its first random number. Throws EndpointError.
inline void start_sodium() {
  if (sodium_init() < 0) throw EndpointError("libsodium does not start: no random numbers");
}

}  // namespace knuckleboom::endpoint
