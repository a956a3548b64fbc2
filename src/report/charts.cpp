#include "report/charts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "knuckleboom/io/utf8.hpp"
#include "language/text.hpp"
#include "report/svg.hpp"
#include "report/text.hpp"

namespace knuckleboom::report {
namespace {

constexpr double kLeft = 44.0, kRight = 10.0;  // of time charts: axis labels
constexpr double kTimeAxis = 18.0;
constexpr std::size_t kMostPathPoints = 4000;
constexpr double kPathDetail = 0.4;  // px
constexpr double kPathMargin = 26.0;
constexpr double kMost = std::numeric_limits<double>::infinity();

struct Range {
  double low = kMost, high = -kMost;
  void include(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool empty() const { return !(low <= high); }
};

// --- Charts over time -----------------------------------------------------------

struct TimeFrame {
  double top = 0.0, height = 0.0;
  Range t, y;
  double left = kLeft;

  double x(double t_s) const {
    const double length = t.high - t.low;
    const double share = length > 0.0 ? (t_s - t.low) / length : 0.0;
    return left + std::clamp(share, 0.0, 1.0) * (kPageWidth - left - kRight);
  }
  Pixel at(double t_s, double value) const {
    const double length = y.high - y.low;
    const double share = length > 0.0 ? (value - y.low) / length : 0.5;
    return {x(t_s), top + height * (1.0 - share)};
  }
  double bottom() const { return top + height; }
};

Range time_range(const Attempt& attempt) {
  Range t;
  for (const double t_s : attempt.t_s) t.include(t_s);
  if (t.empty()) t = {0.0, std::max(attempt.duration_s, 1.0)};
  if (!(t.high > t.low)) t.high = t.low + 1.0;
  return t;
}

std::string time_label(double t_s, double longest) {
  if (longest < 120.0) return fmt::format("{:g} s", t_s);
  const auto seconds = std::llround(std::abs(t_s));
  return fmt::format("{}{}:{:02}", t_s < 0.0 ? "-" : "", seconds / 60, seconds % 60);
}

void draw_time_axis(Svg& svg, const TimeFrame& frame) {
  for (const double t : time_ticks(frame.t.low, frame.t.high, 10)) {
    const double x = frame.x(t);
    svg.line({x, frame.top}, {x, frame.bottom()}, "grid");
    svg.text({x, frame.bottom() + 13.0}, time_label(t, frame.t.high - frame.t.low), "small",
             x > kPageWidth - 30.0 ? "end" : "middle");
  }
}

void draw_value_axis(Svg& svg, const TimeFrame& frame, const std::vector<double>& at) {
  const std::vector<std::string> labels = tick_labels(at);
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double y = frame.at(0.0, at[i]).y;
    svg.line({kLeft, y}, {kPageWidth - kRight, y}, at[i] == 0.0 ? "axis" : "grid");
    svg.text({kLeft - 5.0, y + 3.5}, labels[i], "small", "end");
  }
}

void draw_line(Svg& svg, const TimeFrame& frame, const std::vector<double>& t,
               const std::vector<double>& value, double factor, std::string_view classes) {
  std::vector<Pixel> run;
  const int columns = static_cast<int>(kPageWidth - kLeft - kRight);
  for (const std::size_t i : thinned(t, value, frame.t.low, frame.t.high, columns)) {
    if (std::isfinite(value[i])) {
      run.push_back(frame.at(t[i], value[i] * factor));
      continue;
    }
    svg.polyline(run, classes);
    run.clear();
  }
  svg.polyline(run, classes);
}

// --- Paths ----------------------------------------------------------------------

struct Flat {
  double x, y;
};
Flat flat(const Point& p, PathView view) { return {p.x, view == PathView::kAbove ? p.y : p.z}; }

struct Box {
  Range x, y, z;
  void include(const Point& p, double around = 0.0) {
    for (const double d : {-around, around}) {
      x.include(p.x + d);
      y.include(p.y + d);
      z.include(p.z + d);
    }
  }
};

std::vector<Pixel> pixels(const std::vector<Point>& points, const PlanScale& scale, PathView view) {
  std::vector<Pixel> line;
  line.reserve(points.size());
  for (const Point& p : points) {
    const Flat f = flat(p, view);
    line.push_back(scale.at(f.x, f.y));
  }
  return line;
}

std::vector<Pixel> path_pixels(const std::vector<Point>& points, const PlanScale& scale,
                               PathView view) {
  return thinned(pixels(points, scale, view), kPathDetail, kMostPathPoints);
}

// Position of the tip at a time; nullptr: unknown.
const Point* tip_at(const Attempt& attempt, double t_s) {
  const std::size_t n = std::min(attempt.t_s.size(), attempt.tip.size());
  if (n == 0) return nullptr;
  const auto end = attempt.t_s.begin() + static_cast<std::ptrdiff_t>(n);
  const auto next = std::lower_bound(attempt.t_s.begin(), end, t_s);
  const auto i = std::min(static_cast<std::size_t>(next - attempt.t_s.begin()), n - 1);
  return &attempt.tip[i];
}

void draw_metres(Svg& svg, const PlanScale& scale, double width, PathView view) {
  const int most = std::max(3, static_cast<int>(scale.height() / 45.0));
  const std::vector<double> xs = ticks(scale.left(), scale.right(), 7);
  const std::vector<std::string> x_labels = tick_labels(xs);
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const double x = scale.at(xs[i], 0.0).x;
    if (x < kPathMargin || x > width - 4.0) continue;
    svg.line({x, 4.0}, {x, scale.height() - 16.0}, "grid");
    svg.text({x, scale.height() - 4.0}, x_labels[i], "small", x > width - 14.0 ? "end" : "middle");
  }
  const std::vector<double> ys = ticks(scale.bottom(), scale.top(), most);
  const std::vector<std::string> y_labels = tick_labels(ys);
  for (std::size_t i = 0; i < ys.size(); ++i) {
    const double y = scale.at(0.0, ys[i]).y;
    if (y < 8.0 || y > scale.height() - 18.0) continue;
    const bool ground = view == PathView::kSide && ys[i] == 0.0;
    svg.line({kPathMargin, y}, {width - 2.0, y}, ground ? "axis" : "grid");
    svg.text({kPathMargin - 4.0, y + 3.5}, y_labels[i], "small", "end");
  }
}

// --- Timeline -------------------------------------------------------------------

struct Row {
  EventKind kind;
  const char* label;
  int lanes = 1;  // largest number, one below the other, for overlapping events
};
constexpr std::array<Row, 11> kRows = {{{EventKind::kTask, msgid("Task")},
                                        {EventKind::kGrip, msgid("Grip")},
                                        {EventKind::kContact, msgid("Contacts")},
                                        {EventKind::kCollision, msgid("Collisions")},
                                        {EventKind::kEndStop, msgid("End stops")},
                                        {EventKind::kRelief, msgid("At relief")},
                                        {EventKind::kControl, msgid("Control"), 3},
                                        {EventKind::kFault, msgid("Faults"), 8},
                                        {EventKind::kBookmark, msgid("Bookmarks"), 3},
                                        {EventKind::kMessage, msgid("Messages"), 6},
                                        {EventKind::kOther, msgid("Other"), 3}}};
constexpr double kRowHeight = 24.0, kLaneHeight = 15.0;
constexpr double kRowLabel = 76.0;  // width
constexpr double kMarkHalf = 5.0;   // width
constexpr double kTextGap = 7.0;    // from the middle of a mark

// Width of small text in DejaVu Sans or Verdana, slightly overestimated.
double text_width(std::string_view text) {
  double width = 0.0;
  for (std::size_t i = 0; i < text.size();) {
    const io::Utf8Character character = io::decode_utf8(text, i);
    const char32_t c = character.length == 0 ? U'?' : character.code;
    const bool narrow =
        c < 128 &&
        std::string_view("iljtfr.,:;'|! ()").find(static_cast<char>(c)) != std::string_view::npos;
    const bool wide = c == U'm' || c == U'w' || c == U'%' || c == U'@' || (c >= U'A' && c <= U'Z');
    width += narrow ? 4.0 : c >= 0x1100 ? 10.0 : wide ? 8.6 : 6.2;
    i += std::max<std::size_t>(character.length, 1);
  }
  return width;
}

void draw_mark(Svg& svg, EventKind kind, Pixel at) {
  switch (kind) {
    case EventKind::kCollision:
      svg.cross(at, 4.0, "mark bad");
      return;
    case EventKind::kEndStop: {
      const Pixel triangle[3] = {
          {at.x, at.y - 4.5}, {at.x + 4.5, at.y + 4.0}, {at.x - 4.5, at.y + 4.0}};
      svg.polygon(triangle, "spot bad");
      return;
    }
    case EventKind::kFault: {
      const Pixel diamond[4] = {
          {at.x, at.y - 5.0}, {at.x + 5.0, at.y}, {at.x, at.y + 5.0}, {at.x - 5.0, at.y}};
      svg.polygon(diamond, "spot bad");
      return;
    }
    case EventKind::kGrip:
    case EventKind::kBookmark:
      svg.circle(at, 4.0, "spot");
      return;
    default:
      svg.line({at.x, at.y - 6.0}, {at.x, at.y + 6.0}, "mark");
  }
}

std::string shortened(const std::string& text) {
  constexpr std::size_t kMostBytes = 28;
  if (text.size() <= kMostBytes) return text;
  std::size_t end = kMostBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

// An event in its row.
struct Placed {
  const Event* event = nullptr;
  double x = 0.0, end = 0.0;  // px; the same for a moment
  int lane = 0;
  std::string words;  // empty: there is no room for them
  Pixel words_at;     // y is not used
  bool to_the_left = false, inside = false;
};

// Places the words behind the event, before it, or on its bar. from: the lane is occupied up to
// there; until: from there on. Returns the new end of the occupied part.
double place_words(Placed& placed, double from, double until) {
  const std::string words = shortened(placed.event->text);
  const double width = text_width(words);
  const bool moment = !(placed.end > placed.x);
  const double behind = placed.end + (moment ? kTextGap : 4.0);
  const double before = placed.x - (moment ? kTextGap : 4.0);
  const double taken = placed.end + (moment ? kTextGap : 1.0);
  if (words.empty()) return taken;
  placed.words = words;
  if (behind + width <= std::min(until, kPageWidth)) {
    placed.words_at.x = behind;
    return behind + width + 2.0;
  }
  if (before - width >= from) {
    placed.words_at.x = before;
    placed.to_the_left = true;
    return taken;
  }
  if (width + 6.0 <= placed.end - placed.x) {
    placed.words_at.x = placed.x + 3.0;
    placed.inside = true;
    return taken;
  }
  placed.words.clear();
  return taken;
}

std::vector<Placed> placed_events(const TimeFrame& frame, const std::vector<Event>& events,
                                  Row row) {
  std::vector<Placed> out;
  for (const Event& event : events) {
    if (event.kind != row.kind) continue;
    Placed placed;
    placed.event = &event;
    placed.x = frame.x(event.t_s);
    placed.end = event.lasts_s > 0.0 ? std::max(frame.x(event.t_s + event.lasts_s), placed.x + 1.0)
                                     : placed.x;
    out.push_back(std::move(placed));
  }
  std::vector<double> taken(static_cast<std::size_t>(row.lanes), kRowLabel);
  for (std::size_t i = 0; i < out.size(); ++i) {
    Placed& placed = out[i];
    const double left = placed.x - (placed.end > placed.x ? 0.0 : kMarkHalf);
    const auto lane = std::find_if(taken.begin(), taken.end(),
                                   [left](double end) { return end <= left + 0.5 * kMarkHalf; });
    if (row.lanes > 1 && lane != taken.end()) {
      placed.lane = static_cast<int>(lane - taken.begin());
      *lane = place_words(placed, *lane, kPageWidth);
    } else if (row.lanes > 1) {
      taken[0] = std::max(taken[0], placed.end + kTextGap);
    } else {
      const double next = i + 1 < out.size() ? out[i + 1].x - kMarkHalf : kPageWidth;
      taken[0] =
          std::max(taken[0], placed.end > next + kMarkHalf ? placed.end
                                                           : place_words(placed, taken[0], next));
    }
  }
  return out;
}

double height_of(const std::vector<Placed>& row) {
  int lanes = 1;
  for (const Placed& placed : row) lanes = std::max(lanes, placed.lane + 1);
  return kRowHeight + kLaneHeight * (lanes - 1);
}

void draw_row(Svg& svg, const std::vector<Placed>& events, Row row, double y) {
  svg.text({kRowLabel - 10.0, y + 4.0}, tr(row.label), "label", "end");
  double last_mark = -1.0;
  for (const Placed& placed : events) {
    const double middle = y + kLaneHeight * placed.lane;
    if (placed.end > placed.x)
      svg.rectangle({placed.x, middle - 6.0}, placed.end - placed.x, 12.0, "spell");
    else if (placed.lane > 0 || placed.x - last_mark >= 0.5)  // a thousand marks on one pixel are
                                                              // drawn as one
      draw_mark(svg, row.kind, {placed.x, middle});
    if (placed.lane == 0) last_mark = placed.x;
  }
  for (const Placed& placed : events)
    if (!placed.words.empty())
      svg.text({placed.words_at.x, y + kLaneHeight * placed.lane + 3.5}, placed.words,
               placed.inside ? "small inside" : "small halo", placed.to_the_left ? "end" : "start");
}

// --- Learning curves ------------------------------------------------------------

// Counts have no fractional ticks.
bool counts(const Figure& figure, std::span<const CurvePoint> points) {
  const auto whole = [](double value) {
    return !std::isfinite(value) || value == std::round(value);
  };
  return figure.unit.empty() && whole(figure.most.value_or(0.0)) &&
         whole(figure.least.value_or(0.0)) &&
         std::all_of(points.begin(), points.end(),
                     [&whole](const CurvePoint& point) { return whole(point.value); });
}

std::vector<double> whole_ticks(double low, double high, int most) {
  std::vector<double> out = ticks(low, high, most);
  std::erase_if(out, [](double value) { return value != std::round(value); });
  return out;
}

}  // namespace

// --- Paths ----------------------------------------------------------------------

PlanScale::PlanScale(double left, double right, double bottom, double top, double width,
                     double least) {
  const double inner = width - kPathMargin - 6.0;
  scale_ = inner / (right - left);
  left_ = left;
  right_ = right;
  const double wanted = (top - bottom) * scale_;
  height_ = std::max(wanted, least) + 20.0;
  const double spare = std::max(least - wanted, 0.0) / scale_;
  bottom_ = bottom - 0.5 * spare;
  top_ = top + 0.5 * spare;
}

Pixel PlanScale::at(double x, double y) const {
  return {kPathMargin + (x - left_) * scale_, 4.0 + (top_ - y) * scale_};
}

PlanScale path_scale(const Attempt& judged, std::span<const Overlay> overlays, PathView view) {
  constexpr double kLeastSize = 1.0, kMargin = 1.12, kTallest = 1.3, kFlattest = 0.5;
  Box box;
  for (const Point& p : judged.tip) box.include(p);
  for (const Overlay& overlay : overlays)
    for (const Point& p : overlay.attempt->tip) box.include(p);
  for (const Point& p : judged.ideal) box.include(p);
  for (const Place& place : judged.targets) box.include(place.p, place.radius);
  box.include({0.0, 0.0, 0.0});  // position of the machine
  const auto size = [=](const Range& r) { return kMargin * std::max(r.high - r.low, kLeastSize); };
  const double wide = std::max({size(box.x), size(box.y) / kTallest, size(box.z) / kTallest});
  const Range& up = view == PathView::kAbove ? box.y : box.z;
  const double x = 0.5 * (box.x.low + box.x.high), y = 0.5 * (up.low + up.high);
  return {x - 0.5 * wide,     x + 0.5 * wide, y - 0.5 * size(up),
          y + 0.5 * size(up), kPathWidth,     kFlattest * kPathWidth};
}

std::string path_chart(const Attempt& judged, std::span<const Overlay> overlays, PathView view) {
  const PlanScale scale = path_scale(judged, overlays, view);
  const bool above = view == PathView::kAbove;
  Svg svg(kPathWidth, scale.height(), above ? tr("Path from above") : tr("Path from the side"));
  draw_metres(svg, scale, kPathWidth, view);
  const auto inside = [&scale](Pixel p) {
    return p.x > kPathMargin && p.x < kPathWidth && p.y > 0.0 && p.y < scale.height() - 16.0;
  };
  if (above)
    for (const Place& stem : judged.stems)
      if (const Pixel p = scale.at(stem.p.x, stem.p.y); inside(p))
        svg.circle(p, std::max(scale.length(stem.radius), 2.0), "stem");
  for (const Place& target : judged.targets) {
    const Flat f = flat(target.p, view);
    svg.circle(scale.at(f.x, f.y), std::max(scale.length(target.radius), 2.0), "target");
  }
  svg.polyline(pixels(judged.ideal, scale, view), "ideal");
  for (const Overlay& overlay : overlays)
    svg.polyline(path_pixels(overlay.attempt->tip, scale, view), "other " + overlay.classes);
  const std::vector<Pixel> path = path_pixels(judged.tip, scale, view);
  svg.polyline(path, "own");
  for (const Event& event : judged.events)
    if (event.kind == EventKind::kCollision)
      if (const Point* p = tip_at(judged, event.t_s); p != nullptr)
        svg.cross(scale.at(flat(*p, view).x, flat(*p, view).y), 4.0, "mark bad");
  if (!path.empty()) {
    svg.circle(path.front(), 3.5, "start");
    svg.circle(path.back(), 3.5, "spot");
  }
  svg.text({kPathWidth - 6.0, 14.0}, above ? "y / x [m]" : "z / x [m]", "small halo", "end");
  return std::move(svg).finish();
}

// --- Timeline -------------------------------------------------------------------

std::string timeline_chart(const Attempt& judged) {
  TimeFrame frame{4.0, 0.0, time_range(judged), {}, kRowLabel};
  std::vector<std::pair<Row, std::vector<Placed>>> rows;
  for (const Row& row : kRows) {
    std::vector<Placed> events = placed_events(frame, judged.events, row);
    if (events.empty()) continue;
    frame.height += height_of(events);
    rows.emplace_back(row, std::move(events));
  }
  frame.height = std::max(frame.height, kRowHeight);
  Svg svg(kPageWidth, frame.bottom() + kTimeAxis, tr("Events over time"));
  draw_time_axis(svg, frame);
  double top = frame.top;
  for (const auto& [row, events] : rows) {
    const double y = top + 0.5 * kRowHeight;
    svg.line({kRowLabel, y}, {kPageWidth - kRight, y}, "grid");
    draw_row(svg, events, row, y);
    top += height_of(events);
  }
  return std::move(svg).finish();
}

// --- Pressures, levers, joints --------------------------------------------------

std::string pressure_chart(const Attempt& judged, const Pressures& pressures) {
  constexpr double kHeight = 84.0;
  const double factor = axis_unit("Pa").factor;
  TimeFrame frame{6.0, kHeight, time_range(judged), {0.0, 1.0}};
  for (const auto* port : {&pressures.a_Pa, &pressures.b_Pa})
    for (const double p : *port) frame.y.include(p * factor);
  if (pressures.relief_Pa) frame.y.include(*pressures.relief_Pa * factor);
  frame.y.high *= 1.08;
  Svg svg(kPageWidth, frame.bottom() + kTimeAxis, tr_format("Pressures of {}", pressures.label));
  for (const Event& event : judged.events)
    if (event.kind == EventKind::kRelief && event.text == pressures.label) {
      const double x = frame.x(event.t_s);
      svg.rectangle({x, frame.top}, std::max(frame.x(event.t_s + event.lasts_s) - x, 1.0),
                    frame.height, "relief");
    }
  draw_time_axis(svg, frame);
  draw_value_axis(svg, frame, ticks(frame.y.low, frame.y.high, 4));
  if (pressures.relief_Pa) {
    const double y = frame.at(0.0, *pressures.relief_Pa * factor).y;
    svg.line({kLeft, y}, {kPageWidth - kRight, y}, "limit");
    svg.text({kPageWidth - kRight - 2.0, y - 3.0}, tr("relief"), "small halo", "end");
  }
  draw_line(svg, frame, judged.t_s, pressures.a_Pa, factor, "own");
  draw_line(svg, frame, judged.t_s, pressures.b_Pa, factor, "second");
  return std::move(svg).finish();
}

std::string strip_chart(const Attempt& judged, const Series& series, const StripStyle& style) {
  TimeFrame frame{6.0, style.height, time_range(judged), {style.low, style.high}};
  if (!(style.high > style.low)) frame.y = {};
  const double factor = axis_unit(series.unit).factor;
  for (const double value : series.value) frame.y.include(value * factor);
  if (frame.y.empty()) frame.y = {0.0, 1.0};
  if (!(frame.y.high > frame.y.low)) frame.y = {frame.y.low - 0.5, frame.y.high + 0.5};
  Svg svg(kPageWidth, frame.bottom() + kTimeAxis, series.label);
  draw_time_axis(svg, frame);
  draw_value_axis(svg, frame, ticks(frame.y.low, frame.y.high, style.height < 50.0 ? 3 : 4));
  draw_line(svg, frame, judged.t_s, series.value, factor, "own");
  return std::move(svg).finish();
}

// --- Learning curves ------------------------------------------------------------

std::string learning_chart(const Figure& figure, std::span<const CurvePoint> points, bool mark_last,
                           const std::string& first, const std::string& last) {
  constexpr double kHeight = 110.0, kTop = 8.0, kSide = 12.0, kDates = 12.0;
  Range y{0.0, 0.0};
  for (const CurvePoint& point : points) y.include(point.value);
  if (figure.most) y.include(*figure.most);
  if (figure.least) y.include(*figure.least);
  if (!(y.high > y.low)) y.high = y.low + 1.0;
  y.high += 0.05 * (y.high - y.low);
  const double factor = axis_unit(figure.unit).factor;
  const double left = kLeft + kSide, right = kCurveWidth - kRight - kSide;
  const auto at = [&](std::size_t i, double value) -> Pixel {
    const double share =
        points.size() > 1 ? static_cast<double>(i) / static_cast<double>(points.size() - 1) : 0.5;
    return {left + share * (right - left), kTop + kHeight * (y.high - value) / (y.high - y.low)};
  };
  Svg svg(kCurveWidth, kTop + kHeight + kTimeAxis + kDates, figure.label);
  const std::vector<double> marks = counts(figure, points)
                                        ? whole_ticks(y.low, y.high, 4)
                                        : ticks(y.low * factor, y.high * factor, 4);
  const std::vector<std::string> labels = tick_labels(marks);
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const double height = at(0, marks[i] / factor).y;
    svg.line({kLeft, height}, {kCurveWidth - kRight, height}, marks[i] == 0.0 ? "axis" : "grid");
    svg.text({kLeft - 5.0, height + 3.5}, labels[i], "small", "end");
  }
  for (const auto& limit : {figure.most, figure.least})
    if (limit) {
      const double height = at(0, *limit).y;
      svg.line({kLeft, height}, {kCurveWidth - kRight, height}, "limit");
      const double newest = points.empty() ? NAN : at(0, points.back().value).y;
      const bool below = std::abs(newest - height) < 14.0 && height + 14.0 < kTop + kHeight;
      const bool above = std::abs(newest - height) < 14.0 && !below;
      svg.text({kCurveWidth - kRight, height + (below   ? 12.0
                                                : above ? -9.0
                                                        : -3.0)},
               limit == figure.most ? tr("at most") : tr("at least"), "small halo", "end");
    }
  std::vector<Pixel> line;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (std::isfinite(points[i].value)) line.push_back(at(i, points[i].value));
  svg.polyline(line, "own");
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(points[i].value)) continue;
    svg.circle(at(i, points[i].value), mark_last && i + 1 == points.size() ? 5.0 : 3.5,
               points[i].passed ? "spot" : "start");
  }
  const double axis = kTop + kHeight + 13.0;
  for (const double attempt : whole_ticks(1.0, static_cast<double>(points.size()), 8))
    svg.text({at(static_cast<std::size_t>(attempt) - 1, 0.0).x, axis},
             fmt::format("{:.0f}", attempt), "small", "middle");
  svg.text({kLeft, axis + kDates}, first, "small", "start");
  svg.text({0.5 * (left + right), axis + kDates}, tr("attempt"), "small", "middle");
  if (last != first) svg.text({right + kSide, axis + kDates}, last, "small", "end");
  return std::move(svg).finish();
}

AxisUnit axis_unit(const std::string& unit) {
  if (unit == "J") return {1e-3, "kJ"};
  if (unit == "Pa") return {1e-5, "bar"};
  if (unit == "rad") return {180.0 / std::numbers::pi, "°"};
  return {1.0, unit};
}

std::string key_line(const std::string& classes) {
  return fmt::format(
      "<svg class=\"key\" viewBox=\"0 0 30 10\" width=\"30\" height=\"10\" aria-hidden=\"true\">"
      "<line class=\"{}\" x1=\"1\" y1=\"5\" x2=\"29\" y2=\"5\"/></svg>",
      classes);
}

}  // namespace knuckleboom::report
