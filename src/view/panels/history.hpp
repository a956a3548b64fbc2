// Beside the result of an attempt: the curve of the earlier ones, a few sentences on them, and the coach's.
#pragma once

#include <string>
#include <vector>

#include "view/panels/painter.hpp"

namespace knuckleboom::view::panels {

inline constexpr float kHistoryWidth = 300.0F;  // points

struct HistoryPoint {
  float value = 0.0F;
  bool passed = false;
};

struct History {
  std::string title;                 // of the curve: "Time over 7 attempts"
  std::vector<HistoryPoint> points;  // the last is this attempt
  std::string highest, lowest;       // values at the ends of the axis
  std::vector<std::string> lines;
  std::vector<std::string> advice = {};  // a sentence each

  bool shown() const { return !points.empty() || !lines.empty() || !advice.empty(); }
};

float history_height(const Painter& painter, const History& history);
void draw_history(Painter& painter, const History& history, const Rect& card);

}  // namespace knuckleboom::view::panels
