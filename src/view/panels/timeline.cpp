#include "view/panels/timeline.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <fmt/format.h>

#include "language/text.hpp"
#include "view/panels/format.hpp"

namespace knuckleboom::view::panels {
namespace {

constexpr float kTimelineWidth = 730.0F;
constexpr float kTimelineMargin = 12.0F;
constexpr float kCurve = 34.0F;   // height of one
constexpr float kBar = 50.0F;     // seek bar with its texts
constexpr float kAbove = 34.0F;   // from the picture's lower edge
constexpr float kInset = 294.0F;  // right edge of the picture of the tip, and a little
constexpr float kNames = 150.0F;  // beside the curves
constexpr Colour kCurveColour{122, 186, 214};
constexpr Colour kLoop{139, 205, 126, 60};

struct Axis {
  double begin_s, end_s;
  float x, width;

  float at(double s) const {
    const double span = std::max(end_s - begin_s, 1e-9);
    return x + width * static_cast<float>(std::clamp((s - begin_s) / span, 0.0, 1.0));
  }
  double time(float px) const {
    return begin_s + (end_s - begin_s) * std::clamp<double>((px - x) / width, 0.0, 1.0);
  }
};

// In the units that people read.
std::string value_text(double value, const std::string& unit) {
  if (!std::isfinite(value)) return "-";
  if (unit == "Pa") return fmt::format("{:.1f} bar", value * 1e-5);
  if (unit == "rad") return fmt::format("{:.2f}\u00b0", value * 180.0 / 3.14159265358979);
  if (unit == "m3/s") return fmt::format("{:.1f} l/min", value * 6e4);
  return fmt::format("{:.4g} {}", value, unit);
}

Colour colour_of(MarkKind kind) {
  switch (kind) {
    case MarkKind::kBad:
      return kAlarm;
    case MarkKind::kInstructor:
      return kVoice;
    case MarkKind::kAdvice:
      return kAccent;
    case MarkKind::kEvent:
      break;
  }
  return kDim;
}

bool any(const TimelineCurve& curve) {
  return std::any_of(curve.low.begin(), curve.low.end(), [](float v) { return std::isfinite(v); });
}

void draw_curve(Painter& painter, const TimelineCurve& curve, const Axis& axis, float y) {
  const float height = kCurve - 8.0F;
  painter.text_within(axis.x - kNames, y + 2.0F, kNames - 8.0F, Type::kSmall, kDim, curve.name);
  painter.text_within(axis.x - kNames, y + 14.0F, kNames - 8.0F, Type::kSmall, kText,
                      value_text(curve.now, curve.unit));
  painter.fill({axis.x, y, axis.width, height}, {255, 255, 255, 10});
  if (!any(curve)) return;
  float low = std::numeric_limits<float>::max(), high = std::numeric_limits<float>::lowest();
  for (std::size_t i = 0; i < curve.low.size(); ++i) {
    if (!std::isfinite(curve.low[i])) continue;
    low = std::min(low, curve.low[i]);
    high = std::max(high, curve.high[i]);
  }
  const float span = high > low ? high - low : 1.0F;
  const auto place = [&](float value) {
    return y + height - 1.0F - (height - 2.0F) * (value - low) / span;
  };
  const float step = axis.width / static_cast<float>(curve.low.size());
  for (std::size_t i = 0; i < curve.low.size(); ++i) {
    if (!std::isfinite(curve.low[i])) continue;
    const float x = axis.x + step * (static_cast<float>(i) + 0.5F);
    const float top = place(curve.high[i]), bottom = place(curve.low[i]);
    painter.line(x, top, x, std::max(bottom, top + 1.0F), kCurveColour, std::max(step, 1.0F));
  }
  // Zero, where it is within.
  if (low < 0.0F && high > 0.0F)
    painter.line(axis.x, place(0.0F), axis.x + axis.width, place(0.0F), kLine);
}

void draw_seek_bar(Painter& painter, const Timeline& timeline, const Axis& axis, float y) {
  const Rect groove{axis.x, y + 8.0F, axis.width, 6.0F};
  painter.fill(groove, kGroove, 3.0F);
  if (timeline.loop_end_s > timeline.loop_begin_s) {
    const float from = axis.at(timeline.loop_begin_s), to = axis.at(timeline.loop_end_s);
    painter.fill({from, y + 3.0F, to - from, 16.0F}, kLoop, 2.0F);
  }
  painter.fill({axis.x, groove.y, axis.at(timeline.at_s) - axis.x, groove.height}, kAccentSoft,
               3.0F);
  for (const TimelineMark& mark : timeline.marks) {
    const float x = axis.at(mark.at_s);
    painter.line(x, y + 3.0F, x, y + 19.0F, colour_of(mark.kind),
                 mark.kind == MarkKind::kEvent ? 1.0F : 2.0F);
    // A flag, so that it is found between many marks.
    if (mark.kind == MarkKind::kInstructor || mark.kind == MarkKind::kAdvice)
      painter.fill({x, y + 1.0F, 7.0F, 6.0F}, colour_of(mark.kind), 1.0F);
  }
  painter.dot(axis.at(timeline.at_s), groove.y + 3.0F, 6.0F, kAccent);
}

// The mark that the mouse is on, or else the newest that has been passed.
const TimelineMark* told_mark(const Timeline& timeline, const Axis& axis, const Pointer& pointer,
                              bool inside) {
  const TimelineMark* told = nullptr;
  float nearest = 6.0F;
  if (inside)
    for (const TimelineMark& mark : timeline.marks)
      if (const float off = std::abs(axis.at(mark.at_s) - pointer.x); off < nearest) {
        nearest = off;
        told = &mark;
      }
  if (told != nullptr) return told;
  for (const TimelineMark& mark : timeline.marks)
    if (mark.at_s <= timeline.at_s + 1e-9) told = &mark;
  return told;
}

}  // namespace

TimelineCurve curve_of(const std::string& name, const std::string& unit,
                       const std::vector<float>& samples, std::size_t stretches) {
  TimelineCurve curve{name, unit, {}, {}, 0.0};
  const std::size_t count = std::min(stretches, std::max<std::size_t>(samples.size(), 1));
  const float none = std::numeric_limits<float>::quiet_NaN();
  for (std::size_t i = 0; i < count; ++i) {
    float low = none, high = none;
    for (std::size_t k = samples.size() * i / count; k < samples.size() * (i + 1) / count; ++k) {
      if (!std::isfinite(samples[k])) continue;
      low = std::isfinite(low) ? std::min(low, samples[k]) : samples[k];
      high = std::isfinite(high) ? std::max(high, samples[k]) : samples[k];
    }
    if (!std::isfinite(low) && i > 0) low = curve.low.back(), high = curve.high.back();
    curve.low.push_back(low);
    curve.high.push_back(high);
  }
  return curve;
}

float timeline_height(const Timeline& timeline) {
  return kBar + 2.0F * kTimelineMargin + kCurve * static_cast<float>(timeline.curves.size());
}

TimelineIntent draw_timeline(Painter& painter, const Timeline& timeline, const Pointer& pointer) {
  const float height = timeline_height(timeline);
  // Beside the picture of the tip, where there is room for both.
  const float beside = std::min(kInset, std::max(painter.width() - kTimelineWidth - 8.0F, 8.0F));
  const Rect card{std::max((painter.width() - kTimelineWidth) / 2.0F, beside),
                  painter.height() - kAbove - height, kTimelineWidth, height};
  painter.card(card);
  const bool curves = !timeline.curves.empty();
  const float left = card.x + kTimelineMargin + (curves ? kNames : 0.0F);
  const Axis axis{timeline.begin_s, timeline.end_s, left, card.right() - kTimelineMargin - left};
  float y = card.y + kTimelineMargin;
  for (const TimelineCurve& curve : timeline.curves) {
    draw_curve(painter, curve, axis, y);
    y += kCurve;
  }
  if (curves) {
    const float x = axis.at(timeline.at_s);
    painter.line(x, card.y + kTimelineMargin, x, y - 8.0F, kAccent);
  }
  draw_seek_bar(painter, timeline, axis, y);
  const Rect touch{axis.x - 6.0F, card.y, axis.width + 12.0F, y + 24.0F - card.y};
  const bool inside = touch.contains(pointer.x, pointer.y);

  const float text_y = y + 26.0F;
  std::string where = tr_format("{} of {}", clock_text(timeline.at_s - timeline.begin_s),
                                clock_text(timeline.end_s - timeline.begin_s));
  where += timeline.paused ? std::string("   ") + tr("paused")
                           : fmt::format("   {:g} x", timeline.speed);
  painter.text(card.x + kTimelineMargin, text_y, Type::kBody, kText, where);
  painter.text(card.right() - kTimelineMargin, text_y, Type::kSmall,
               timeline.check_bad ? kAlarm : kDim, timeline.check, Align::kRight);
  const float middle =
      card.x + kTimelineMargin + std::max(190.0F, painter.text_width(Type::kBody, where) + 16.0F);
  const float room = card.right() - kTimelineMargin -
                     painter.text_width(Type::kSmall, timeline.check) - 12.0F - middle;
  if (const TimelineMark* mark = told_mark(timeline, axis, pointer, inside);
      mark != nullptr && room > 40.0F)
    painter.text_within(
        middle, text_y, room, Type::kSmall, colour_of(mark->kind),
        fmt::format("{}  {}", clock_text(mark->at_s - timeline.begin_s), mark->text));

  TimelineIntent intent;
  intent.dragging = inside && pointer.down;
  if (intent.dragging && (pointer.clicked || pointer.moved)) intent.seek_s = axis.time(pointer.x);
  return intent;
}

}  // namespace knuckleboom::view::panels
