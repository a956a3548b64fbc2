// The right side of the workbench's window: curves, joints with their sliders, channels, keys and bodies, and the
// switches that run, pause, step and rewind.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "view/panels/painter.hpp"
#include "view/panels/plot.hpp"

namespace knuckleboom::view::panels {

struct BenchWay {
  std::string word;  // "valve", "position", ...
  std::string unit;
  bool allowed = false;
  double low = 0.0, high = 0.0;
};
struct BenchJointRow {
  std::string name, unit;  // of its position
  double position = 0.0;
  std::vector<BenchWay> ways;
  int way = 0;         // that it is driven by
  double value = 0.0;  // that it is asked for
};

struct BenchChannelRow {
  std::string name, unit, description;
  double value = 0.0;
  int colour = -1;  // of its curve; below 0: not shown
};

struct BenchBodyRow {
  std::string name;
  bool there = true;
  double mass = 0.0;  // kg
};

struct WorkbenchPanel {
  bool running = false;
  std::string title, subtitle;
  std::string event;  // newest message
  std::vector<Plot> plots;
  std::vector<BenchJointRow> joints;
  std::vector<BenchChannelRow> channels;
  std::vector<BenchBodyRow> bodies;
  std::vector<std::string> payloads;  // that are attached
  std::vector<std::string> keys;      // that were set, newest last
  std::vector<std::string> levers;    // what each lever axis moves
};

// The user's typing, between frames.
struct WorkbenchFields {
  std::array<char, 64> filter{};
  std::array<char, 160> key{};
  std::array<char, 64> payload{'l', 'o', 'a', 'd'};
  double mass = 10.0;
  int body = 0;
  int tab = -1;  // to be opened in the next frame; below 0: as it is
};

inline constexpr float kWorkbenchPanelWidth = 440.0F;  // points
inline constexpr Colour kCurveColours[] = {{255, 184, 77},  {122, 186, 214}, {139, 205, 126},
                                           {242, 99, 82},   {196, 160, 235}, {240, 236, 140},
                                           {120, 220, 200}, {235, 150, 190}};
inline constexpr int kCurveColourCount = 8;

// In the picture's right edge. Returns what was asked for, as commands of the workbench.
std::vector<std::string> draw_workbench_panel(Painter& painter, const WorkbenchPanel& panel,
                                              WorkbenchFields& fields, const Pointer& pointer);

}  // namespace knuckleboom::view::panels
