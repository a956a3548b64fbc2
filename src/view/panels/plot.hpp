// Curves over time, and the switches and sliders of windows for engineers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "view/panels/painter.hpp"

namespace knuckleboom::view::panels {

inline constexpr Colour kWhite{255, 255, 255};

struct PlotCurve {
  std::string name;
  Colour colour;
  std::vector<std::pair<float, float>> points;  // seconds, value; NaN is left out
};
struct Plot {
  std::string title;  // with the unit
  float from_s = 0.0F, to_s = 10.0F;
  float least_span = 1e-3F;  // of the axis, so that noise does not fill it
  std::vector<PlotCurve> curves;
  bool from_zero = true;  // the axis reaches zero; else it goes with the curves
};

void draw_plot(Painter& painter, const Plot& plot, const Rect& rect);

// True: it was pressed in this frame.
bool push_button(Painter& painter, const Rect& rect, const char* text, bool enabled, Colour colour,
                 const Pointer& pointer);

// A text for the last item of a list, under the mouse.
void hint(const std::string& text);
// As wide as its column; one over decades goes by their logarithm. True: it was moved.
bool slider(double& value, double least, double most);

}  // namespace knuckleboom::view::panels
