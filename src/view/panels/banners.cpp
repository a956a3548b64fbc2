#include "view/panels/banners.hpp"

#include <algorithm>

#include "language/text.hpp"

namespace knuckleboom::view::panels {
namespace {

constexpr float kBannerMargin = 26.0F;
constexpr float kBriefingWidth = 600.0F;
constexpr float kMessageWidth = 560.0F;
// Between the instructor's card and the instruments on the right.
constexpr float kNarrowWidth = 456.0F, kBesideShift = 164.0F;
constexpr float kResultWidth = 620.0F;
constexpr float kFigureHeight = 21.0F, kLeastFigureHeight = 16.0F;
constexpr float kResultBelow = 34.0F;  // of the view, with the footer

void draw_figure(Painter& painter, const FigureRow& row, const Rect& card, float y) {
  const bool beyond = row.verdict == FigureRow::Verdict::kBeyond;
  painter.text(card.x + kBannerMargin, y, Type::kBody, kText, row.label);
  painter.text(card.x + 370.0F, y, Type::kBold, beyond ? kAlarm : kText, row.value, Align::kRight);
  if (row.verdict == FigureRow::Verdict::kNoLimit) return;
  painter.text(card.x + 400.0F, y, Type::kBody, kDim, row.limit);
  painter.text(card.right() - kBannerMargin, y, Type::kBold, beyond ? kAlarm : kGood,
               beyond ? tr("missed") : tr("kept"), Align::kRight);
}

Colour colour_of(Tone tone) {
  return tone == Tone::kWarning ? kAlarm : tone == Tone::kSpoken ? kVoice : kAccent;
}

// A person's message is larger, under the name, on its own background, so that it is not taken for
// an error.
struct MessageBox {
  Type type = Type::kBody;
  float head = 0.0F;  // of the speaker's name
  float height = 0.0F;

  MessageBox(const Painter& painter, const Message& message, float inner) {
    if (message.tone == Tone::kSpoken) type = Type::kLarge;
    if (!message.who.empty()) head = 20.0F;
    height = head + painter.block_height(inner, type, message.text) + 14.0F;
  }
};

}  // namespace

void draw_messages(Painter& painter, const std::vector<Message>& messages, MessagePlace place) {
  const bool beside = place == MessagePlace::kBesideCard;
  const float width = beside ? kNarrowWidth : kMessageWidth;
  const float x = (painter.width() - width) * 0.5F + (beside ? kBesideShift : 0.0F);
  const float inner = width - 30.0F;
  float y = place == MessagePlace::kTop ? 14.0F : beside ? 72.0F : 86.0F;
  if (place == MessagePlace::kBottom) {
    y = painter.height() - 30.0F;
    for (const Message& message : messages) y -= MessageBox(painter, message, inner).height + 6.0F;
    y = std::max(y, painter.height() * 0.5F);
  }
  for (const Message& message : messages) {
    const MessageBox box(painter, message, inner);
    if (y + box.height > painter.height() - 26.0F) return;
    const Rect card{x, y, width, box.height};
    const Colour colour = colour_of(message.tone);
    painter.card(card, message.tone == Tone::kSpoken ? kVoiceCard : kSolidCard);
    painter.fill({card.x, card.y, 4.0F, card.height}, colour, 2.0F);
    painter.text(card.x + 16.0F, card.y + 6.0F, Type::kBold, colour, message.who);
    painter.text_block(card.x + 16.0F, card.y + 7.0F + box.head, inner, box.type, kText,
                       message.text);
    y += box.height + 6.0F;
  }
}

void draw_banner(Painter& painter, const std::string& text, const std::string& below) {
  const float width = std::max(painter.text_width(Type::kHuge, text) + 80.0F,
                               painter.text_width(Type::kBody, below) + 60.0F);
  const Rect card{(painter.width() - width) * 0.5F, painter.height() * 0.24F, width, 92.0F};
  painter.card(card, kSolidCard);
  painter.text(painter.width() * 0.5F, card.y + 12.0F, Type::kHuge, kAccent, text, Align::kCentre);
  painter.text(painter.width() * 0.5F, card.y + 62.0F, Type::kBody, kText, below, Align::kCentre);
}

void draw_entry(Painter& painter, const std::string& title, const std::string& text,
                const std::string& below) {
  constexpr float kEntryWidth = 560.0F;
  const float inner = kEntryWidth - 2.0F * kBannerMargin;
  const float block = painter.block_height(inner, Type::kBody, text);
  const Rect card{(painter.width() - kEntryWidth) * 0.5F, painter.height() * 0.3F, kEntryWidth,
                  84.0F + block};
  painter.card(card, kSolidCard);
  const float x = card.x + kBannerMargin;
  painter.text(x, card.y + 16.0F, Type::kLarge, kAccent, title);
  painter.text_block(x, card.y + 48.0F, inner, Type::kBody, kText, text);
  painter.text(x, card.bottom() - 26.0F, Type::kSmall, kDim, below);
}

void draw_briefing(Painter& painter, const Briefing& briefing) {
  const float inner = kBriefingWidth - 2.0F * kBannerMargin;
  float height = 62.0F;
  for (const std::string& paragraph : briefing.paragraphs)
    height += painter.block_height(inner, Type::kBody, paragraph) + 8.0F;
  if (!briefing.limits.empty())
    height += 26.0F + 19.0F * static_cast<float>(briefing.limits.size());
  height += 36.0F + painter.block_height(inner, Type::kBold, briefing.begin);
  const Rect card{(painter.width() - kBriefingWidth) * 0.5F,
                  std::max(70.0F, (painter.height() - height) * 0.5F), kBriefingWidth, height};
  painter.card(card, kSolidCard);
  const float x = card.x + kBannerMargin;
  painter.text_within(x, card.y + 20.0F, inner, Type::kLarge, kText, briefing.title);
  float y = card.y + 56.0F;
  for (const std::string& paragraph : briefing.paragraphs)
    y += painter.text_block(x, y, inner, Type::kBody, kText, paragraph) + 8.0F;
  if (!briefing.limits.empty()) {
    y += 4.0F;
    painter.text(x, y, Type::kBold, kDim, tr("To pass"));
    y += 20.0F;
    for (const std::string& limit : briefing.limits) {
      painter.text_within(x + 12.0F, y, inner - 12.0F, Type::kBody, kText, limit);
      y += 19.0F;
    }
  }
  painter.line(x, y + 6.0F, card.right() - kBannerMargin, y + 6.0F, kLine);
  painter.text_block(x, y + 18.0F, inner, Type::kBold, kAccent, briefing.begin);
}

MenuIntent draw_result(Painter& painter, const Result& result, Menu& menu, const Pointer& pointer) {
  dim(painter);
  const auto rows = static_cast<float>(result.figures.size());
  const float reason =
      result.reason.empty()
          ? 0.0F
          : painter.block_height(kResultWidth - 2.0F * kBannerMargin, Type::kBody, result.reason) +
                8.0F;
  const float others =
      72.0F + reason + 18.0F + 30.0F * static_cast<float>(menu.rows.size()) + kBannerMargin;
  // Many figures stand closer, so that the menu below them stays above the footer.
  const float figure_height =
      std::clamp((painter.height() - kResultBelow - others) / std::max(rows, 1.0F),
                 kLeastFigureHeight, kFigureHeight);
  const bool beside = result.history.shown();
  const float height = std::max(others + rows * figure_height,
                                beside ? history_height(painter, result.history) : 0.0F);
  const float width = kResultWidth + (beside ? kHistoryWidth : 0.0F);
  const Rect card{(painter.width() - width) * 0.5F,
                  std::max(8.0F, (painter.height() - height) * 0.45F), kResultWidth, height};
  painter.card({card.x, card.y, width, height}, kSolidCard);
  if (beside) draw_history(painter, result.history, {card.right(), card.y, kHistoryWidth, height});
  const float x = card.x + kBannerMargin;
  painter.text(x, card.y + 14.0F, Type::kHuge, result.passed ? kGood : kAlarm,
               result.passed ? tr("PASSED") : tr("FAILED"));
  painter.text(card.right() - kBannerMargin, card.y + 32.0F, Type::kBody, kDim, result.exercise,
               Align::kRight);
  float y = card.y + 70.0F;
  if (reason > 0.0F) {
    painter.text_block(x, y, kResultWidth - 2.0F * kBannerMargin, Type::kBody, kText,
                       result.reason);
    y += reason;
  }
  y += 6.0F;
  for (const FigureRow& row : result.figures) {
    draw_figure(painter, row, card, y);
    y += figure_height;
  }
  painter.line(x, y + 6.0F, card.right() - kBannerMargin, y + 6.0F, kLine);
  float bottom = 0.0F;
  const MenuIntent intent =
      draw_rows(painter, menu, pointer, x, y + 16.0F, kResultWidth - 2.0F * kBannerMargin, bottom);
  draw_menu_footer(painter);
  return intent;
}

}  // namespace knuckleboom::view::panels
