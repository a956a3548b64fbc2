// A replay's lower edge: where it stands, what happened when, and curves of a few channels above it.
#pragma once

#include <string>
#include <vector>

#include "view/panels/painter.hpp"

namespace knuckleboom::view::panels {

// A channel over the whole session, as high and low of equal stretches of time, so that no peak is lost.
struct TimelineCurve {
  std::string name, unit;
  std::vector<float> low, high;
  double now = 0.0;
};

// Stretches of a series of samples. NaN is left out; a stretch without a sample repeats the one before.
TimelineCurve curve_of(const std::string& name, const std::string& unit,
                       const std::vector<float>& samples, std::size_t stretches);

// Bad: a mistake, or a difference between recording and replay. The instructor's: bookmarks, messages. Advice: the
// coach's bookmarks.
enum class MarkKind { kEvent, kBad, kInstructor, kAdvice };
struct TimelineMark {
  double at_s = 0.0;
  MarkKind kind = MarkKind::kEvent;
  std::string text;
};

struct Timeline {
  double begin_s = 0.0, end_s = 1.0, at_s = 0.0;
  double loop_begin_s = -1.0, loop_end_s = -1.0;  // no loop unless the end is above the begin
  double speed = 1.0;
  bool paused = false;
  std::vector<TimelineMark> marks;  // by time
  std::string check;                // "412 of 412 states as recorded"
  bool check_bad = false;
  std::vector<TimelineCurve> curves;
};

struct TimelineIntent {
  double seek_s = -1.0;  // below 0: none
  bool dragging = false;
};

// How much of the picture's lower edge it takes [points].
float timeline_height(const Timeline& timeline);
TimelineIntent draw_timeline(Painter& painter, const Timeline& timeline, const Pointer& pointer);

}  // namespace knuckleboom::view::panels
