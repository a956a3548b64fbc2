// A small drawing as inline SVG; all styles are in the page's style sheet, by class.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "report/thinning.hpp"

namespace knuckleboom::report {

class Svg {
 public:
  // title: read aloud, and shown by some browsers. Any text.
  Svg(double width, double height, std::string_view title);

  // Class names are inserted as they are; texts are escaped.
  void line(Pixel a, Pixel b, std::string_view classes);
  void polyline(std::span<const Pixel> points, std::string_view classes);  // fewer than 2: nothing
  void polygon(std::span<const Pixel> points, std::string_view classes);
  void rectangle(Pixel corner, double width, double height, std::string_view classes);
  void circle(Pixel centre, double radius, std::string_view classes);
  void cross(Pixel centre, double half, std::string_view classes);
  // anchor: "start", "middle" or "end".
  void text(Pixel at, std::string_view what, std::string_view classes,
            std::string_view anchor = "start");

  std::string finish() &&;

 private:
  std::string out_;
};

// One decimal, without zeros at its end: "12.5", "-3".
std::string coordinate(double value);

}  // namespace knuckleboom::report
