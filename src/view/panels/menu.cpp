#include "view/panels/menu.hpp"

#include <algorithm>

#include "knuckleboom/core/math/arrays.hpp"
#include "language/text.hpp"

namespace knuckleboom::view::panels {
namespace {

constexpr float kGap = 12.0F;
constexpr float kListWidth = 470.0F;
constexpr float kDetailWidth = 380.0F;
constexpr float kMenuMargin = 26.0F;
constexpr float kLeastDetail = 208.0F;  // height of the text beside the list
constexpr float kLabelIndent = 14.0F;

int size(const Menu& menu) { return static_cast<int>(menu.rows.size()); }
MenuRow& row(Menu& menu, int index) { return nth(menu.rows, index); }

void move(Menu& menu, int step) {
  const int rows = size(menu);
  for (int tries = 0; tries < rows; ++tries) {
    menu.selected = (menu.selected + step + rows) % rows;
    if (row(menu, menu.selected).enabled) return;
  }
}

// True if there is another choice.
bool change(MenuRow& row, int step) {
  const int choices = static_cast<int>(row.choices.size());
  if (choices < 2) return false;
  row.chosen = (row.chosen + step + choices) % choices;
  return true;
}

void settle(Menu& menu) {
  menu.selected = std::clamp(menu.selected, 0, std::max(0, size(menu) - 1));
  if (size(menu) > 0 && !row(menu, menu.selected).enabled) move(menu, 1);
}

float row_height(const Painter& painter, const Menu& menu, const MenuRow& row, float width) {
  if (!menu.wrapped) return menu.row_height;
  const float text = painter.block_height(width - 2.0F * kLabelIndent, Type::kBody, row.label);
  return std::max(menu.row_height, text + menu.row_height - painter.line_height(Type::kBody));
}

const std::string& detail_of(const MenuRow& row) {
  return row.is_choice() ? nth(row.choices, row.chosen).detail : row.detail;
}

void draw_row(Painter& painter, const MenuRow& row, bool selected, float label_width, bool wrapped,
              const Rect& box) {
  if (selected) {
    painter.fill(box, kAccentSoft, 4.0F);
    painter.fill({box.x, box.y, 3.0F, box.height}, kAccent, 1.0F);
  }
  const Colour label = !row.enabled ? kDim : selected || !row.is_choice() ? kText : kDim;
  const float y = box.y + (box.height - painter.line_height(Type::kBody)) * 0.5F;
  const float x = box.x + kLabelIndent;
  if (wrapped) {
    const float inner = box.width - 2.0F * kLabelIndent;
    const float text = painter.block_height(inner, Type::kBody, row.label);
    painter.text_block(x, box.y + (box.height - text) * 0.5F, inner, Type::kBody, label, row.label);
    return;
  }
  const Type type = row.is_choice() || !row.enabled ? Type::kBody : Type::kBold;
  if (row.is_choice()) {
    painter.text(x, y, type, label, row.label);
  } else {
    const float note = painter.text_width(Type::kBody, row.note);
    painter.text_within(x, y, box.width - 3.0F * kLabelIndent - note, type, label, row.label);
    painter.text(box.right() - kLabelIndent, y, Type::kBody, kDim, row.note, Align::kRight);
    return;
  }
  const float left = box.x + label_width;
  const float middle = box.y + box.height * 0.5F;
  const Colour arrows = selected && row.choices.size() > 1 ? kAccent : kLine;
  painter.arrow(left, middle, 5.0F, false, arrows);
  painter.arrow(box.right() - 14.0F, middle, 5.0F, true, arrows);
  painter.text_within(left + 16.0F, y, box.right() - 30.0F - left - 16.0F, Type::kBody,
                      row.enabled ? kText : kLine, nth(row.choices, row.chosen).name);
}

// Mouse actions on a row.
void use_pointer(Menu& menu, int index, const Rect& box, const Pointer& pointer,
                 MenuIntent& intent) {
  MenuRow& r = row(menu, index);
  if (!r.enabled || !box.contains(pointer.x, pointer.y)) return;
  if (pointer.moved) menu.selected = index;
  if (!pointer.clicked) return;
  menu.selected = index;
  if (!r.is_choice()) {
    intent.activated = r.id;
  } else if (change(r, pointer.x < box.x + menu.label_width + 16.0F ? -1 : 1)) {
    intent.changed = r.id;
  }
}

}  // namespace

MenuRow* Menu::find(int id) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [id](const MenuRow& row) { return row.id == id; });
  return found == rows.end() ? nullptr : &*found;
}

const MenuRow* Menu::find(int id) const {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [id](const MenuRow& row) { return row.id == id; });
  return found == rows.end() ? nullptr : &*found;
}

MenuIntent act(Menu& menu, const MenuKeys& keys) {
  MenuIntent intent;
  intent.back = keys.back;
  if (menu.rows.empty()) return intent;
  settle(menu);
  if (keys.up) move(menu, -1);
  if (keys.down) move(menu, 1);
  MenuRow& selected = row(menu, menu.selected);
  if (!selected.enabled) return intent;
  if (keys.accept && !selected.is_choice()) intent.activated = selected.id;
  int step = (keys.right ? 1 : 0) - (keys.left ? 1 : 0);
  if (keys.accept && step == 0) step = 1;
  if (selected.is_choice() && step != 0 && change(selected, step)) intent.changed = selected.id;
  return intent;
}

float rows_height(const Painter& painter, const Menu& menu, float width) {
  float height = 0.0F;
  for (const MenuRow& row : menu.rows)
    height += row_height(painter, menu, row, width) + (row.gap_above ? kGap : 0.0F);
  return height;
}

MenuIntent draw_rows(Painter& painter, Menu& menu, const Pointer& pointer, float x, float y,
                     float width, float& bottom) {
  MenuIntent intent;
  settle(menu);
  for (int i = 0; i < size(menu); ++i) {
    if (row(menu, i).gap_above) y += kGap;
    const float height = row_height(painter, menu, row(menu, i), width);
    const Rect box{x, y, width, height - 2.0F};
    use_pointer(menu, i, box, pointer, intent);
    draw_row(painter, row(menu, i), i == menu.selected, menu.label_width, menu.wrapped, box);
    y += height;
  }
  bottom = y;
  return intent;
}

void dim(Painter& painter) {
  painter.fill({0.0F, 0.0F, painter.width(), painter.height()}, Colour{0, 0, 0, 110});
}

void draw_menu_footer(Painter& painter) {
  painter.fill({0.0F, painter.height() - 24.0F, painter.width(), 24.0F}, Colour{13, 18, 20});
  painter.text(painter.width() * 0.5F, painter.height() - 19.0F, Type::kSmall, kText,
               tr("Arrow keys or the left lever: select and change     Enter or the right lever to "
                  "the right: take     Esc or to the left: back"),
               Align::kCentre);
}

MenuIntent draw_menu(Painter& painter, Menu& menu, const Pointer& pointer) {
  dim(painter);
  const bool has_details = std::any_of(menu.rows.begin(), menu.rows.end(), [](const MenuRow& row) {
    return !row.detail.empty() ||
           std::any_of(row.choices.begin(), row.choices.end(),
                       [](const MenuChoice& choice) { return !choice.detail.empty(); });
  });
  const float head = menu.subtitle.empty() ? 76.0F : 96.0F;
  const float width =
      2.0F * kMenuMargin + kListWidth + (has_details ? kDetailWidth + kMenuMargin : 0.0F);
  float detail = 0.0F;
  for (const MenuRow& row : menu.rows)
    detail = std::max(detail, painter.block_height(kDetailWidth, Type::kBody, detail_of(row)));
  const float height = std::min(head + kMenuMargin +
                                    std::max({rows_height(painter, menu, kListWidth), detail + 8.0F,
                                              has_details ? kLeastDetail : 0.0F}),
                                painter.height() - 36.0F);
  const Rect card{(painter.width() - width) * 0.5F,
                  std::max(12.0F, (painter.height() - height) * 0.45F), width, height};
  painter.card(card, kSolidCard);
  painter.text(card.x + kMenuMargin, card.y + 18.0F, Type::kHuge, kText, menu.title);
  if (!menu.subtitle.empty())
    painter.text_within(card.x + kMenuMargin, card.y + 64.0F, card.width - 2.0F * kMenuMargin,
                        Type::kSmall, kDim, menu.subtitle);
  float bottom = 0.0F;
  const MenuIntent intent =
      draw_rows(painter, menu, pointer, card.x + kMenuMargin, card.y + head, kListWidth, bottom);
  if (has_details && !menu.rows.empty()) {
    const float x = card.x + 2.0F * kMenuMargin + kListWidth;
    painter.line(x - kMenuMargin * 0.5F, card.y + head, x - kMenuMargin * 0.5F,
                 card.bottom() - kMenuMargin, kLine);
    painter.text_block(x, card.y + head + 5.0F, kDetailWidth, Type::kBody, kText,
                       detail_of(row(menu, menu.selected)));
  }
  draw_menu_footer(painter);
  return intent;
}

MenuIntent draw_side_menu(Painter& painter, Menu& menu, const Pointer& pointer, float x, float y) {
  constexpr float kSideMargin = 14.0F;
  constexpr float kSideWidth = 292.0F;
  const float text = painter.block_height(kSideWidth, Type::kSmall, menu.subtitle);
  const float head = 44.0F + text + 10.0F;
  const Rect card{x, y, 2.0F * kSideMargin + kSideWidth,
                  head + rows_height(painter, menu, kSideWidth) + kSideMargin};
  painter.card(card, kSolidCard);
  painter.text(card.x + kSideMargin, card.y + 12.0F, Type::kLarge, kText, menu.title);
  painter.text_block(card.x + kSideMargin, card.y + 42.0F, kSideWidth, Type::kSmall, kDim,
                     menu.subtitle);
  float bottom = 0.0F;
  return draw_rows(painter, menu, pointer, card.x + kSideMargin, card.y + head, kSideWidth, bottom);
}

}  // namespace knuckleboom::view::panels
