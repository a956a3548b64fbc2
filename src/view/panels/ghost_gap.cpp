#include "view/panels/ghost_gap.hpp"

#include <cmath>

#include <fmt/format.h>

#include "language/text.hpp"

namespace knuckleboom::view::panels {
namespace {

constexpr float kGapWidth = 108.0F, kGapHeight = 52.0F, kGapTop = 12.0F, kFromMiddle = 288.0F;
constexpr double kLevel = 0.05;  // s

}  // namespace

void draw_ghost_gap(Painter& painter, std::optional<double> gap_s) {
  const Rect card{painter.width() * 0.5F + kFromMiddle, kGapTop, kGapWidth, kGapHeight};
  painter.card(card);
  const float middle = card.x + card.width * 0.5F;
  const char* word = !gap_s                       ? tr("ghost")
                     : std::fabs(*gap_s) < kLevel ? tr("with the ghost")
                     : *gap_s > 0.0               ? tr("behind ghost")
                                                  : tr("before ghost");
  painter.text(middle, card.y + 7.0F, Type::kSmall, kDim, word, Align::kCentre);
  if (!gap_s) return;
  painter.text(middle, card.y + 23.0F, Type::kLarge, *gap_s > kLevel ? kAlarm : kGood,
               fmt::format("{:+.1f} s", *gap_s), Align::kCentre);
}

}  // namespace knuckleboom::view::panels
