#include "view/panels/help.hpp"

#include <algorithm>
#include <utility>

#include "language/text.hpp"
#include "view/panels/menu.hpp"

namespace knuckleboom::view::panels {
namespace {

constexpr float kHelpWidth = 1120.0F;
constexpr float kHelpMargin = 26.0F;
constexpr float kLeverColumn = 660.0F;
constexpr float kKeyHeight = 23.0F;
constexpr float kHalf = 62.0F;  // of a lever's square

// "[D] swing right"
void draw_end(Painter& painter, float x, float y, Align align, const std::string& key,
              const std::string& what) {
  if (what.empty()) return;
  painter.text(x, y, Type::kBody, kText, what, align);
  if (!key.empty()) painter.text(x, y + 17.0F, Type::kSmall, kAccent, key, align);
}

void draw_stick_help(Painter& painter, float cx, float cy, const char* title,
                     const StickHelp& help) {
  painter.text(cx, cy - kHalf - 78.0F, Type::kBold, kDim, title, Align::kCentre);
  painter.fill({cx - kHalf, cy - kHalf, 2.0F * kHalf, 2.0F * kHalf}, kGroove, 6.0F);
  painter.line(cx, cy - kHalf + 8.0F, cx, cy + kHalf - 8.0F, kLine);
  painter.line(cx - kHalf + 8.0F, cy, cx + kHalf - 8.0F, cy, kLine);
  painter.dot(cx, cy, 9.0F, kAccent);
  draw_end(painter, cx, cy - kHalf - 42.0F, Align::kCentre, help.key_away, help.away);
  draw_end(painter, cx, cy + kHalf + 6.0F, Align::kCentre, help.key_towards, help.towards);
  draw_end(painter, cx - kHalf - 8.0F, cy - 16.0F, Align::kRight, help.key_left, help.left);
  draw_end(painter, cx + kHalf + 8.0F, cy - 16.0F, Align::kLeft, help.key_right, help.right);
}

void draw_axes(Painter& painter, float x, float y, const std::vector<AxisHelp>& axes) {
  for (const AxisHelp& axis : axes) {
    painter.text_within(x, y, 118.0F, Type::kBody, kDim, axis.axis);
    float column = x + 124.0F;
    for (const auto& [key, what] : {std::pair(axis.key_negative, axis.negative),
                                    std::pair(axis.key_positive, axis.positive)}) {
      painter.text(column, y, Type::kBody, kText, what);
      painter.text(column + painter.text_width(Type::kBody, what) + 8.0F, y + 2.0F, Type::kSmall,
                   kAccent, key);
      column += 240.0F;
    }
    y += 22.0F;
  }
}

// Two to a line.
float buttons_height(const Help& help) {
  const std::size_t lines = (help.buttons.size() + 1) / 2;
  return lines > 0 ? 10.0F + 19.0F * static_cast<float>(lines) : 0.0F;
}
void draw_buttons(Painter& painter, float x, float y, const std::vector<ButtonHelp>& buttons) {
  constexpr float kColumn = 312.0F;
  for (std::size_t i = 0; i < buttons.size(); ++i) {
    const float column = x + (i % 2 == 0 ? 0.0F : kColumn);
    const ButtonHelp& button = buttons[i];
    painter.text_within(column, y, 66.0F, Type::kSmall, kDim, button.button);
    painter.text_within(column + 68.0F, y, 64.0F, Type::kSmall, kAccent, button.key);
    painter.text_within(column + 136.0F, y, kColumn - 140.0F, Type::kSmall, kText, button.what);
    if (i % 2 == 1) y += 19.0F;
  }
}

void draw_keys(Painter& painter, const std::vector<KeyHelp>& keys, float x, float y, float column,
               float right) {
  for (const KeyHelp& key : keys) {
    painter.text(x, y, Type::kBold, kAccent, key.key);
    painter.text_within(x + column, y, right - x - column, Type::kBody, kText, key.what);
    y += kKeyHeight;
  }
}

void draw_way_back(Painter& painter, const char* text) {
  painter.fill({0.0F, painter.height() - 24.0F, painter.width(), 24.0F}, Colour{13, 18, 20});
  painter.text(painter.width() * 0.5F, painter.height() - 19.0F, Type::kSmall, kText, text,
               Align::kCentre);
}

}  // namespace

void draw_help(Painter& painter, const Help& help) {
  dim(painter);
  const float levers_height =
      446.0F + 22.0F * static_cast<float>(help.others.size()) + buttons_height(help);
  const float keys_height = 60.0F + kKeyHeight * static_cast<float>(help.keys.size());
  const float height = std::max(levers_height, keys_height);
  const Rect card{(painter.width() - kHelpWidth) * 0.5F,
                  std::max(8.0F, (painter.height() - 24.0F - height) * 0.5F), kHelpWidth, height};
  painter.card(card, kSolidCard);
  const float x = card.x + kHelpMargin;
  painter.text(x, card.y + 16.0F, Type::kHuge, kText, tr("Help"));
  painter.text_within(x, card.y + 64.0F, kLeverColumn - kHelpMargin, Type::kSmall, kDim,
                      tr_format("Levers: layout {}. Keys that stand in for a lever are shown in "
                                "colour.",
                                help.pattern));
  painter.text_within(x, card.y + 82.0F, kLeverColumn - kHelpMargin, Type::kSmall, kDim,
                      help.devices);
  const float middle = card.y + 270.0F;
  draw_stick_help(painter, x + 150.0F, middle, tr("LEFT LEVER"), help.left);
  draw_stick_help(painter, x + 480.0F, middle, tr("RIGHT LEVER"), help.right);
  const float below = middle + kHalf + 66.0F;
  draw_axes(painter, x, below, help.others);
  draw_buttons(painter, x, below + 22.0F * static_cast<float>(help.others.size()) + 8.0F,
               help.buttons);

  const float keys_x = card.x + kHelpMargin + kLeverColumn;
  painter.line(keys_x - 16.0F, card.y + 24.0F, keys_x - 16.0F, card.bottom() - 24.0F, kLine);
  draw_keys(painter, help.keys, keys_x, card.y + 28.0F, 92.0F, card.right() - kHelpMargin);
  draw_way_back(painter, tr("Any key, or a lever to the side: back"));
}

void draw_key_page(Painter& painter, const std::string& title, const std::string& note,
                   const std::vector<KeyHelp>& keys) {
  dim(painter);
  constexpr float kPageWidth = 640.0F;
  const float height = 130.0F + kKeyHeight * static_cast<float>(keys.size());
  const Rect card{(painter.width() - kPageWidth) * 0.5F,
                  std::max(8.0F, (painter.height() - 24.0F - height) * 0.5F), kPageWidth, height};
  painter.card(card, kSolidCard);
  const float x = card.x + kHelpMargin;
  painter.text(x, card.y + 16.0F, Type::kHuge, kText, title);
  painter.text_within(x, card.y + 66.0F, kPageWidth - 2.0F * kHelpMargin, Type::kSmall, kDim, note);
  draw_keys(painter, keys, x, card.y + 96.0F, 170.0F, card.right() - kHelpMargin);
  draw_way_back(painter, tr("Any key: back"));
}

}  // namespace knuckleboom::view::panels
