// The right side of a running emulation's window: what it does and why, values and curves, what may be tuned and where
// signals come from, and the switches with the emergency stop.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "view/panels/painter.hpp"

namespace knuckleboom::view::panels {

enum class EmulationTone { kReady, kRunning, kHolding, kStopped };
Colour colour_of(EmulationTone tone);

struct EmulationReading {
  std::string name, value;
  bool alarm = false;
};

struct EmulationCurve {
  std::string name;
  Colour colour;
  std::vector<std::pair<float, float>> points;  // seconds, value; NaN is left out
};
struct EmulationPlot {
  std::string title;  // with the unit
  float from_s = 0.0F, to_s = 10.0F;
  float least_span = 1e-3F;  // of the axis, so that noise does not fill it
  std::vector<EmulationCurve> curves;
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
  std::vector<EmulationPlot> plots;
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
