// Live telemetry, as chosen on the command line.
#pragma once

#include <string>
#include <vector>

namespace knuckleboom::app {

struct TelemetryOptions {
  std::string address;  // "[HOST:]PORT"; empty: none is wanted
  std::string token;    // empty: $KNUCKLEBOOM_TELEMETRY_TOKEN
  std::vector<std::string> origins;

  bool wanted() const { return !address.empty(); }
};

}  // namespace knuckleboom::app
