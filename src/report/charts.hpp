// The drawings of the report, each an <svg>. Sizes are in CSS pixels; an A4 page is 688 wide.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/attempt.hpp"
#include "report/thinning.hpp"

namespace knuckleboom::report {

inline constexpr double kPageWidth = 688.0;
inline constexpr double kPathWidth = 336.0;   // of one of two side by side
inline constexpr double kCurveWidth = 336.0;  // likewise

// Another attempt in the same drawing. classes: its style.
struct Overlay {
  const Attempt* attempt = nullptr;
  std::string classes;
};

// From a part of the plane to pixels, the same scale both ways and y up.
class PlanScale {
 public:
  // Ends of the plane [m]. The drawing is `width` wide; its height follows and is at least `least`.
  PlanScale(double left, double right, double bottom, double top, double width, double least);
  Pixel at(double x, double y) const;
  double length(double metres) const { return metres * scale_; }
  double height() const { return height_; }
  double left() const { return left_; }  // of the drawing [m]
  double right() const { return right_; }
  double bottom() const { return bottom_; }
  double top() const { return top_; }

 private:
  double left_, right_, bottom_, top_, scale_, height_;
};

enum class PathView {
  kAbove,  // x to the right, y up
  kSide,   // x to the right, z up
};
// One scale for both views, so that they can be laid side by side.
PlanScale path_scale(const Attempt& judged, std::span<const Overlay> overlays, PathView view);
std::string path_chart(const Attempt& judged, std::span<const Overlay> overlays, PathView view);

// Unit of a quantity on an axis.
struct AxisUnit {
  double factor = 1.0;  // from the SI unit
  std::string unit;
};
AxisUnit axis_unit(const std::string& unit);

std::string timeline_chart(const Attempt& judged);
std::string pressure_chart(const Attempt& judged, const Pressures& pressures);
// A lever, a joint, the pump: one line. low and high: ends of its axis unless the values exceed
// them.
struct StripStyle {
  double low = 0.0, high = 0.0;
  double height = 60.0;
};
std::string strip_chart(const Attempt& judged, const Series& series, const StripStyle& style);

// A figure over results in the order of time. mark_last: it is the judged attempt.
struct CurvePoint {
  double value = 0.0;
  bool passed = false;
};
std::string learning_chart(const Figure& figure, std::span<const CurvePoint> points, bool mark_last,
                           const std::string& first, const std::string& last);

// A line or mark for a key beside text.
std::string key_line(const std::string& classes);

}  // namespace knuckleboom::report
