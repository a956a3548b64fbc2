// Names the exact content a result was made from.
#pragma once

#include <string>

namespace knuckleboom::io {

// XXH3-128 over the bytes of a file, of the files it is based on or refers to, and the overrides.
struct ContentHash {
  std::string hex;  // 32 digits

  friend bool operator==(const ContentHash&, const ContentHash&) = default;
};

}  // namespace knuckleboom::io
