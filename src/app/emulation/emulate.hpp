// knuckleboom emulate: a host manipulator emulates the tip of another machine and touches objects
// with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/shell/wire_key.hpp"
#include "app/telemetry/telemetry_options.hpp"
#include "knuckleboom/core/emulation/emulation.hpp"

namespace knuckleboom::app {

// Options of a live run: in real time, or as fast as possible, under command.
struct LiveOptions {
  bool on = false;
  bool paced = true;
  std::string signals, played, dbc, commands, record, log;
  KeyChoice key;  // of the connection
  TelemetryOptions telemetry;
  std::vector<std::string> log_signals;  // names and patterns; empty: the usual ones
  int log_every = 1;                     // ticks
  std::optional<double> duration_s;
  bool window = false;
  std::string screenshot;  // of the end
};

struct EmulateOptions {
  std::string scenario, scheme, study;
  std::optional<int> delay_ticks;
  std::optional<double> stiffness;  // N/m
  std::vector<std::string> assignments;
  std::string plot, trace, summary;
  std::string replay;  // a recording to replay; empty: none
  LiveOptions live;
};

// Returns an ExitStatus.
int emulate(const EmulateOptions& options);

}  // namespace knuckleboom::app
