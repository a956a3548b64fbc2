// A lever stand as a separate program: sends the lever positions, ten numbers in the order of
// command::LeverAxis.
#pragma once

#include <filesystem>
#include <string>

#include "peer/wire.hpp"

namespace knuckleboom::peer {

struct LeverStandSettings {
  std::string udp;                // as given to the trainer: there it is the remote address
  std::filesystem::path input;    // plays this input file instead of the attached devices; empty:
                                  // none
  std::filesystem::path devices;  // device file; empty: the user's own
  WireSettings wire;
  endpoint::WireKey key;
  double rate_Hz = 500.0;
  double duration_s = -1.0;  // below 0: until interrupted, or until the input file ends
};

// Returns the final report. Throws EndpointError, FileError.
std::string run_lever_stand(const LeverStandSettings& settings);

}  // namespace knuckleboom::peer
