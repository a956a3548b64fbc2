#include "view/panels/history.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "language/text.hpp"

namespace knuckleboom::view::panels {
namespace {

constexpr float kHistoryMargin = 22.0F, kCurveHeight = 116.0F;
constexpr float kTitleHeight = 26.0F, kBelowCurve = 12.0F, kLineGap = 6.0F;
constexpr float kAboveAdvice = 10.0F, kAdviceGap = 9.0F;
constexpr float kPassedRadius = 3.5F, kFailedRadius = 2.5F, kNowRadius = 6.0F;

void draw_curve(Painter& painter, const History& history, const Rect& field) {
  painter.fill(field, kGroove, 3.0F);
  const auto [low, high] = std::minmax_element(
      history.points.begin(), history.points.end(),
      [](const HistoryPoint& a, const HistoryPoint& b) { return a.value < b.value; });
  const float range = high->value - low->value;
  const auto count = static_cast<float>(history.points.size());
  std::vector<std::pair<float, float>> places;
  for (std::size_t i = 0; i < history.points.size(); ++i) {
    const float along = (static_cast<float>(i) + 0.5F) / count;
    const float up = range > 0.0F ? (history.points[i].value - low->value) / range : 0.5F;
    places.emplace_back(field.x + along * field.width,
                        field.bottom() - 12.0F - up * (field.height - 24.0F));
  }
  painter.curve(field, places, kLine, 1.5F);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool passed = history.points[i].passed;
    if (i + 1 == places.size()) painter.dot(places[i].first, places[i].second, kNowRadius, kAccent);
    painter.dot(places[i].first, places[i].second, passed ? kPassedRadius : kFailedRadius,
                passed ? kGood : kAlarm);
  }
}

}  // namespace

float history_height(const Painter& painter, const History& history) {
  constexpr float kWidth = kHistoryWidth - 2.0F * kHistoryMargin;
  float height = 2.0F * kHistoryMargin;
  if (!history.points.empty()) height += kTitleHeight + kCurveHeight + kBelowCurve;
  for (const std::string& line : history.lines)
    height += painter.block_height(kWidth, Type::kBody, line) + kLineGap;
  if (!history.advice.empty()) height += kAboveAdvice + kTitleHeight;
  for (const std::string& line : history.advice)
    height += painter.block_height(kWidth, Type::kBody, line) + kAdviceGap;
  return height;
}

void draw_history(Painter& painter, const History& history, const Rect& card) {
  const float x = card.x + kHistoryMargin, width = card.width - 2.0F * kHistoryMargin;
  painter.line(card.x, card.y + kHistoryMargin, card.x, card.bottom() - kHistoryMargin, kLine);
  float y = card.y + kHistoryMargin;
  if (!history.points.empty()) {
    painter.text_within(x, y, width, Type::kBold, kText, history.title);
    y += kTitleHeight;
    const Rect field{x, y, width, kCurveHeight};
    draw_curve(painter, history, field);
    painter.text(x + 4.0F, y + 1.0F, Type::kSmall, kDim, history.highest);
    painter.text(x + 4.0F, field.bottom() - 15.0F, Type::kSmall, kDim, history.lowest);
    y += kCurveHeight + kBelowCurve;
  }
  for (const std::string& line : history.lines)
    y += painter.text_block(x, y, width, Type::kBody, kText, line) + kLineGap;
  if (history.advice.empty()) return;
  if (y > card.y + kHistoryMargin) y += kAboveAdvice;
  painter.text_within(x, y, width, Type::kBold, kText, tr("Advice"));
  y += kTitleHeight;
  for (const std::string& line : history.advice)
    y += painter.text_block(x, y, width, Type::kBody, kAccent, line) + kAdviceGap;
}

}  // namespace knuckleboom::view::panels
