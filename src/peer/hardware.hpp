// Simulates the hardware of a signal file: receives the machine's commands and sends its sensors.
#pragma once

#include <filesystem>
#include <string>

#include "endpoint/key.hpp"
#include "knuckleboom/io/signal_file.hpp"
#include "peer/wire.hpp"

namespace knuckleboom::peer {

struct HardwareSettings {
  io::SignalFile signals;
  std::filesystem::path
      log;  // sensors from this log if it has a column, otherwise from the plant; empty: none
  std::string dbc;  // of a log of a CAN bus; empty: it is none
  WireSettings wire;
  endpoint::WireKey key;
  double quantum = 0.0;  // of the sensors, in their units; 0: none
  double rate_Hz = 1000.0;
  double duration_s = -1.0;  // below 0: until interrupted
};

// Returns the final report. Throws EndpointError, FileError, std::invalid_argument.
std::string play_hardware(const HardwareSettings& settings);

}  // namespace knuckleboom::peer
