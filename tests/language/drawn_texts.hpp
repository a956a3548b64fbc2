// Reads the texts of panels back from the triangles that they are drawn with.
#pragma once

#include <string>
#include <vector>

#include "view/panels/painter.hpp"

namespace knuckleboom::testing_texts {

// A text in one font on one line, in pixels.
struct Line {
  std::string text;
  std::vector<view::panels::Rect> letters;
  view::panels::Rect box;
};

struct Drawn {
  std::vector<Line> runs;
  std::vector<view::panels::Rect> cards;  // backgrounds that texts lie on
};

// The fonts of the window at a scale, in the present ImGui context; empty: they are not installed.
bool load_fonts(float scale, view::panels::Fonts& fonts);
Drawn read_back(const ImDrawList& list, const view::panels::Fonts& fonts);

}  // namespace knuckleboom::testing_texts
