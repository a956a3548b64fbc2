// A text file in memory.
#pragma once

#include <string>

namespace knuckleboom::io {

struct NamedText {
  std::string name;  // path it was read from
  std::string text;
};

}  // namespace knuckleboom::io
