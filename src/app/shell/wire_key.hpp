// The key of a program's connections, as chosen on its command line.
#pragma once

#include <string>

#include "endpoint/key.hpp"
#include "knuckleboom/io/signal_file.hpp"

namespace knuckleboom::app {

struct KeyChoice {
  std::string file;   // empty: $KNUCKLEBOOM_KEY, or the user's own
  bool none = false;  // without a key, on request
};

// Warns if there is none on request. Throws UserError: no such file, or not to be used.
endpoint::WireKey wire_key(const KeyChoice& choice);
// The same for the connections of a signal file; none where it has none. A CAN bus without guard frames
// counts as a connection without a key.
endpoint::WireKey wire_key(const KeyChoice& choice, const io::SignalFile& signals);

}  // namespace knuckleboom::app
