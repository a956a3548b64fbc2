// A lever stand as a program of its own: sends where the levers are, ten numbers in the order of
// command::LeverAxis.
#pragma once

#include <filesystem>
#include <string>

#include "peer/wire.hpp"

namespace knuckleboom::peer {

struct LeverStandSettings {
  std::string udp;  // as the trainer is given it: this stand's address is the peer's there
  std::filesystem::path input;  // plays this input file instead of what is plugged in; empty: none
  std::filesystem::path devices;  // device file; empty: the user's own
  WireSettings wire;
  double rate_Hz = 500.0;
  double duration_s = -1.0;  // below 0: until interrupted, or until the input file ends
};

// Returns what there is to say at the end. Throws EndpointError, FileError.
std::string run_lever_stand(const LeverStandSettings& settings);

}  // namespace knuckleboom::peer
