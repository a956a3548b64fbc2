#include "view/panels/lever_bar.hpp"

#include <cmath>

namespace knuckleboom::view::panels {
namespace {

constexpr float kBarCardWidth = 640.0F, kBarCardHeight = 128.0F, kBarMargin = 16.0F;
constexpr float kAboveFooter = 34.0F, kPlotSize = 96.0F, kBarLabel = 150.0F;

}  // namespace

void draw_lever_bar(Painter& painter, const LeverBar& bar) {
  const Rect card{(painter.width() - kBarCardWidth) * 0.5F,
                  painter.height() - kAboveFooter - kBarCardHeight, kBarCardWidth, kBarCardHeight};
  painter.card(card, kSolidCard);
  const Rect plot{card.right() - kBarMargin - kPlotSize, card.y + kBarMargin, kPlotSize, kPlotSize};
  painter.fill(plot, kGroove, 2.0F);
  std::vector<std::pair<float, float>> points;
  for (const auto& [x, y] : bar.curve)
    points.emplace_back(plot.x + x * plot.width, plot.bottom() - y * plot.height);
  painter.curve(plot, points, kText, 1.5F);
  painter.dot(plot.x + std::fabs(bar.lever) * plot.width,
              plot.bottom() - std::fabs(bar.command) * plot.height, 4.0F, kAccent);

  const float x = card.x + kBarMargin;
  const float left = x + kBarLabel, width = plot.x - kBarMargin - left;
  painter.text(x, card.y + kBarMargin, Type::kBold, kText, bar.name);
  const auto row = [&](float y, const std::string& label, float value, Colour colour) {
    painter.text(x, y, Type::kBody, kDim, label);
    painter.middle_bar({left, y + 5.0F, width, 8.0F}, value, colour);
  };
  row(card.y + 46.0F, bar.lever_label, bar.lever, kText);
  row(card.y + 76.0F, bar.command_label, bar.command, kAccent);
}

}  // namespace knuckleboom::view::panels
