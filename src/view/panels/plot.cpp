#include "view/panels/plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <imgui.h>

namespace knuckleboom::view::panels {
namespace {

std::string plot_number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

// A rounded number not below a span.
float rounded_up(float span) {
  if (!(span > 0.0F)) return 1.0F;
  const float power = std::pow(10.0F, std::floor(std::log10(span)));
  for (const float step : {1.0F, 1.2F, 1.5F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F, 8.0F, 10.0F})
    if (step * power >= span * 0.9999F) return step * power;
  return span;
}

}  // namespace

void draw_plot(Painter& painter, const Plot& plot, const Rect& rect) {
  painter.text(rect.x, rect.y, Type::kSmall, kDim, plot.title);
  // Names of the curves, from the right.
  float legend = rect.right();
  for (std::size_t i = plot.curves.size(); i-- > 0;) {
    const PlotCurve& curve = plot.curves[i];
    painter.text(legend, rect.y, Type::kSmall, curve.colour, curve.name, Align::kRight);
    legend -= painter.text_width(Type::kSmall, curve.name) + 10.0F;
  }
  constexpr float kAxis = 44.0F;
  const Rect field{rect.x + kAxis, rect.y + 16.0F, rect.width - kAxis, rect.height - 20.0F};
  painter.fill(field, {255, 255, 255, 10});
  float low = 0.0F, high = 0.0F, lowest = 0.0F, highest = 0.0F;
  bool any = false;
  for (const PlotCurve& curve : plot.curves)
    for (const auto& [t, value] : curve.points) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
      lowest = any ? std::min(lowest, value) : value;
      highest = any ? std::max(highest, value) : value;
      any = true;
    }
  float top = high > 0.0F ? rounded_up(std::max(high, plot.least_span)) : 0.0F;
  float bottom = low < 0.0F ? -rounded_up(std::max(-low, plot.least_span)) : 0.0F;
  if (top == bottom) bottom = -plot.least_span;
  if (!plot.from_zero && any) {
    const float span = std::max(1.15F * (highest - lowest), plot.least_span);
    const float middle = 0.5F * (highest + lowest);
    top = middle + 0.5F * span;
    bottom = middle - 0.5F * span;
  }
  const auto at = [&](float value) {
    return field.bottom() - field.height * (value - bottom) / (top - bottom);
  };
  for (const float mark : {top, 0.0F, bottom}) {
    if (mark > top || mark < bottom) continue;
    if (mark != 0.0F && bottom <= 0.0F && top >= 0.0F && std::abs(at(mark) - at(0.0F)) < 12.0F)
      continue;
    painter.line(field.x, at(mark), field.right(), at(mark), mark == 0.0F ? kLine : kGroove);
    const float y = std::clamp(at(mark) - 7.0F, field.y - 6.0F, field.bottom() - 9.0F);
    painter.text(field.x - 4.0F, y, Type::kSmall, kDim, plot_number(mark), Align::kRight);
  }
  const float span = plot.to_s - plot.from_s;
  for (const PlotCurve& curve : plot.curves) {
    std::vector<std::pair<float, float>> points;
    for (const auto& [t, value] : curve.points)
      if (std::isfinite(value) && t >= plot.from_s)
        points.emplace_back(field.x + field.width * (t - plot.from_s) / span, at(value));
    if (points.size() > 1) painter.curve(field, points, curve.colour, 1.3F);
  }
}

bool push_button(Painter& painter, const Rect& rect, const char* text, bool enabled, Colour colour,
                 const Pointer& pointer) {
  const bool over = enabled && rect.contains(pointer.x, pointer.y);
  Colour fill = colour;
  fill.a = static_cast<std::uint8_t>(!enabled ? 24 : over ? 235 : 165);
  painter.fill(rect, fill, 4.0F);
  painter.text(rect.x + 0.5F * rect.width, rect.y + 0.5F * rect.height - 9.0F, Type::kBold,
               enabled ? kWhite : kDim, text, Align::kCentre);
  return over && pointer.clicked;
}

void hint(const std::string& text) {
  if (!text.empty() && ImGui::IsItemHovered()) ImGui::SetTooltip("%s", text.c_str());
}

bool slider(double& value, double least, double most) {
  // Ranges over decades, zero among them, go by their logarithm.
  const bool decades = least >= 0.0 && (most > 200.0 * std::max(least, 1e-3 * most) ||
                                        (least > 0.0 && most > 200.0 * least));
  const ImGuiSliderFlags flags = ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_NoInput |
                                 (decades ? static_cast<int>(ImGuiSliderFlags_Logarithmic) : 0);
  return ImGui::SliderScalar("##slider", ImGuiDataType_Double, &value, &least, &most, "", flags);
}

}  // namespace knuckleboom::view::panels
