// The right side of a running emulation's window: what it does and why, values and curves, what may be tuned and where
// signals come from, and the switches with the emergency stop.
#pragma once

#include <string>
#include <vector>

#include "view/panels/painter.hpp"
#include "view/panels/plot.hpp"

namespace knuckleboom::view::panels {

enum class EmulationTone { kReady, kRunning, kHolding, kStopped };
Colour colour_of(EmulationTone tone);

struct EmulationReading {
  std::string name, value;
  bool alarm = false;
};

struct EmulationTunable {
  std::string name, unit, description;
  double value = 0.0, least = 0.0, most = 1.0;
  bool whole = false;
};

inline constexpr const char* kEmulationSources[] = {"simulated", "log", "network"};
struct EmulationSignalRow {
  std::string name, unit, description;
  double value = 0.0;
  int incoming = -1;  // number of the incoming signal; below 0: it is always simulated
  int source = 0;     // of kEmulationSources
  bool silent = false;
};

struct EmulationPanel {
  EmulationTone tone = EmulationTone::kReady;
  std::string mode, reason;
  std::string event;  // newest message
  bool can_run = false, can_hold = false, can_reset = false;
  std::vector<EmulationReading> readings;  // in two columns, row by row
  std::vector<Plot> plots;
  std::vector<EmulationTunable> tunables;
  std::vector<EmulationSignalRow> signals;
};

struct EmulationIntent {
  bool run = false, hold = false, reset = false, snapshot = false, stop = false;
  int tune = -1;  // number of the tunable
  double value = 0.0;
  int source_of = -1;  // number of the incoming signal
  int source = 0;
};

inline constexpr float kEmulationPanelWidth = 380.0F;  // points

// In the picture's right edge.
EmulationIntent draw_emulation_panel(Painter& painter, const EmulationPanel& panel,
                                     const Pointer& pointer);

}  // namespace knuckleboom::view::panels
