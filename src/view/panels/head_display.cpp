#include "view/panels/head_display.hpp"

#include <algorithm>

#include "language/text.hpp"

namespace knuckleboom::view::panels {
namespace {

constexpr float kDisplayWidth = 340.0F, kDisplayPad = 10.0F;
constexpr float kBesideInset = 300.0F;  // from the left: Scene::inset_rectangle
constexpr float kOverStatus = 34.0F;    // from below
constexpr float kReadingHeight = 46.0F, kWantedHeight = 34.0F, kRowHeight = 17.0F;
constexpr std::size_t kPresetsInRow = 3, kMostProductRows = 6;

void draw_reading(Painter& painter, const Rect& card, float y, const HeadDisplay& display) {
  const float left = card.x + kDisplayPad, right = card.right() - kDisplayPad;
  painter.text(left, y, Type::kSmall, kDim, tr_in("log", "length"));
  painter.text(right, y, Type::kSmall, kDim, tr("diameter"), Align::kRight);
  const Colour colour = display.length.empty() ? kDim : display.right ? kGood : kText;
  painter.text(left, y + 14.0F, Type::kLarge, colour,
               display.length.empty() ? "-" : display.length);
  painter.text(right, y + 14.0F, Type::kLarge, display.length.empty() ? kDim : kText,
               display.diameter.empty() ? "-" : display.diameter, Align::kRight);
  if (display.saw)
    painter.text(card.x + 0.5F * card.width, y + 16.0F, Type::kBold, kAlarm, tr("SAW"),
                 Align::kCentre);
}

void draw_wanted(Painter& painter, const Rect& card, float y, const HeadDisplay& display) {
  const float width = card.width - 2.0F * kDisplayPad;
  painter.text_within(card.x + kDisplayPad, y, width, Type::kBold, kAccent,
                      display.wanted.empty() ? tr("no length") : display.wanted);
  painter.bar({card.x + kDisplayPad, y + 20.0F, width, 6.0F},
              static_cast<float>(std::clamp(display.fed, 0.0, 1.0)),
              display.right ? kGood : kAccent);
}

void draw_presets(Painter& painter, const Rect& card, float y, const HeadDisplay& display) {
  const float column = (card.width - 2.0F * kDisplayPad) / static_cast<float>(kPresetsInRow);
  for (std::size_t i = 0; i < display.presets.size(); ++i) {
    const HeadDisplay::Preset& preset = display.presets[i];
    const float x = card.x + kDisplayPad + column * static_cast<float>(i % kPresetsInRow);
    const float at = y + kRowHeight * static_cast<float>(i / kPresetsInRow);
    painter.text(x, at, Type::kSmall, kDim, preset.button);
    painter.text(x + 18.0F, at, Type::kSmall, preset.wanted ? kAccent : kText, preset.length);
  }
}

void draw_products(Painter& painter, const Rect& card, float y, const HeadDisplay& display) {
  const float left = card.x + kDisplayPad, right = card.right() - kDisplayPad;
  const float price = card.x + 0.62F * card.width;
  painter.text(left, y, Type::kSmall, kDim, tr("price list"));
  painter.text(price, y, Type::kSmall, kDim, tr_in("of a product", "price"), Align::kRight);
  painter.text(right, y, Type::kSmall, kDim, tr_in("count", "logs"), Align::kRight);
  const std::size_t rows = std::min(display.products.size(), kMostProductRows);
  for (std::size_t i = 0; i < rows; ++i) {
    const HeadDisplay::Product& product = display.products[i];
    y += kRowHeight;
    const Colour colour = product.wanted ? kAccent : kText;
    painter.text_within(left, y, 0.45F * card.width, Type::kSmall, colour, product.name);
    painter.text(price, y, Type::kSmall, colour, product.price, Align::kRight);
    painter.text(right, y, Type::kSmall, colour, product.logs, Align::kRight);
  }
}

}  // namespace

void draw_head_display(Painter& painter, const HeadDisplay& display) {
  if (!display.present) return;
  const std::size_t preset_rows = (display.presets.size() + kPresetsInRow - 1) / kPresetsInRow;
  const std::size_t product_rows = 1 + std::min(display.products.size(), kMostProductRows);
  const float presets = kRowHeight * static_cast<float>(preset_rows) + 6.0F;
  const float height = 2.0F * kDisplayPad + kReadingHeight + kWantedHeight + presets +
                       kRowHeight * static_cast<float>(product_rows);
  const Rect card{kBesideInset, painter.height() - kOverStatus - height, kDisplayWidth, height};
  painter.card(card);
  float y = card.y + kDisplayPad;
  draw_reading(painter, card, y, display);
  y += kReadingHeight;
  draw_wanted(painter, card, y, display);
  y += kWantedHeight;
  draw_presets(painter, card, y, display);
  y += presets;
  painter.line(card.x + kDisplayPad, y - 4.0F, card.right() - kDisplayPad, y - 4.0F, kLine);
  draw_products(painter, card, y, display);
}

}  // namespace knuckleboom::view::panels
