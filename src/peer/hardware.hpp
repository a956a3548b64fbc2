// Plays the hardware of a signal file: hears the machine's commands and answers with its sensors.
#pragma once

#include <filesystem>
#include <string>

#include "knuckleboom/io/signal_file.hpp"
#include "peer/wire.hpp"

namespace knuckleboom::peer {

struct HardwareSettings {
  io::SignalFile signals;
  std::filesystem::path
      log;  // sensors from here where it has a column, the plant's else; empty: none
  WireSettings wire;
  double quantum = 0.0;  // of the sensors, in their units; 0: none
  double rate_Hz = 1000.0;
  double duration_s = -1.0;  // below 0: until interrupted
};

// Returns what there is to say at the end. Throws EndpointError, FileError, std::invalid_argument.
std::string play_hardware(const HardwareSettings& settings);

}  // namespace knuckleboom::peer
