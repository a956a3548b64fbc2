// The key of a program's connections, as chosen on its command line.
#pragma once

#include <string>

#include "endpoint/key.hpp"

namespace knuckleboom::app {

struct KeyChoice {
  std::string file;   // empty: $KNUCKLEBOOM_KEY, or the user's own
  bool none = false;  // without a key, on request
};

// Warns if there is none on request. Throws UserError: no such file, or not to be used.
endpoint::WireKey wire_key(const KeyChoice& choice);

}  // namespace knuckleboom::app
