// knuckleboom inspect: what follows from a machine file.
#pragma once

#include <string>
#include <vector>

namespace knuckleboom::app {

struct InspectOptions {
  std::string machine;
  std::vector<std::string>
      at;  // "joint=position"; joints left out stand in the middle of their range
  std::vector<std::string> assignments;
  std::string json;  // file; empty: none
};

// Returns an ExitStatus.
int inspect(const InspectOptions& options);

}  // namespace knuckleboom::app
