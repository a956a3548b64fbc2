// The right side of a running emulation's window: what it does and why, values and curves, what may be tuned and where
// signals come from, and the switches with the emergency stop.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "view/panels/painter.hpp"

namespace knuckleboom::view::panels {

enum class LoopTone { kReady, kRunning, kHolding, kStopped };
Colour colour_of(LoopTone tone);

struct LoopReading {
  std::string name, value;
  bool alarm = false;
};

struct LoopCurve {
  std::string name;
  Colour colour;
  std::vector<std::pair<float, float>> points;  // seconds, value; NaN is left out
};
struct LoopPlot {
  std::string title;  // with the unit
  float from_s = 0.0F, to_s = 10.0F;
  float least_span = 1e-3F;  // of the axis, so that noise does not fill it
  std::vector<LoopCurve> curves;
};

struct LoopTunable {
  std::string name, unit, description;
  double value = 0.0, least = 0.0, most = 1.0;
  bool whole = false;
};

inline constexpr const char* kLoopSources[] = {"simulated", "log", "network"};
struct LoopSignalRow {
  std::string name, unit, description;
  double value = 0.0;
  int incoming = -1;  // number of the incoming signal; below 0: it is always simulated
  int source = 0;     // of kLoopSources
  bool silent = false;
};

struct LoopFace {
  LoopTone tone = LoopTone::kReady;
  std::string mode, reason;
  std::string event;  // newest message
  bool can_run = false, can_hold = false, can_reset = false;
  std::vector<LoopReading> readings;  // in two columns, row by row
  std::vector<LoopPlot> plots;
  std::vector<LoopTunable> tunables;
  std::vector<LoopSignalRow> signals;
};

struct LoopIntent {
  bool run = false, hold = false, reset = false, snapshot = false, stop = false;
  int tune = -1;  // number of the tunable
  double value = 0.0;
  int source_of = -1;  // number of the incoming signal
  int source = 0;
};

inline constexpr float kLoopPanelWidth = 380.0F;  // points

// In the picture's right edge.
LoopIntent draw_loop_panel(Painter& painter, const LoopFace& face, const Pointer& pointer);

}  // namespace knuckleboom::view::panels
