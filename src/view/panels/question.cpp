#include "view/panels/question.hpp"

#include <algorithm>

namespace knuckleboom::view::panels {
namespace {

constexpr float kQuestionWidth = 760.0F, kQuestionMargin = 30.0F;
constexpr float kQuestionHead = 74.0F, kVerdictHeight = 34.0F;

}  // namespace

MenuIntent draw_question(Painter& painter, const Question& question, Menu& menu,
                         const Pointer& pointer) {
  dim(painter);
  const float inner = kQuestionWidth - 2.0F * kQuestionMargin;
  const float text = painter.block_height(inner, Type::kLarge, question.text) + 14.0F;
  const float because = question.because.empty()
                            ? 0.0F
                            : painter.block_height(inner, Type::kBody, question.because) + 12.0F;
  const float verdict = question.verdict.empty() ? 0.0F : kVerdictHeight;
  const float height = kQuestionHead + text + verdict + because +
                       rows_height(painter, menu, inner) + kQuestionMargin;
  const Rect card{(painter.width() - kQuestionWidth) * 0.5F,
                  std::max(12.0F, (painter.height() - height) * 0.4F), kQuestionWidth, height};
  painter.card(card, kSolidCard);
  const float x = card.x + kQuestionMargin;
  painter.text(x, card.y + 22.0F, Type::kLarge, kDim, question.title);
  painter.text(card.right() - kQuestionMargin, card.y + 24.0F, Type::kBody, kDim, question.count,
               Align::kRight);
  float y = card.y + kQuestionHead;
  y += painter.text_block(x, y, inner, Type::kLarge, kText, question.text) + 14.0F;
  if (verdict > 0.0F)
    painter.text(x, y, Type::kLarge, question.right ? kGood : kAlarm, question.verdict);
  y += verdict;
  if (because > 0.0F) painter.text_block(x, y, inner, Type::kBody, kText, question.because);
  y += because;
  float bottom = 0.0F;
  const MenuIntent intent = draw_rows(painter, menu, pointer, x, y, inner, bottom);
  draw_menu_footer(painter);
  return intent;
}

}  // namespace knuckleboom::view::panels
