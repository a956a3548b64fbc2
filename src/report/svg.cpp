#include "report/svg.hpp"

#include <utility>

#include <fmt/format.h>

#include "report/text.hpp"

namespace knuckleboom::report {

std::string coordinate(double value) {
  std::string text = fmt::format("{:.1f}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

Svg::Svg(double width, double height, std::string_view title)
    : out_(fmt::format("<svg viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\">"
                       "<title>{2}</title>\n",
                       coordinate(width), coordinate(height), escaped(title))) {}

void Svg::line(Pixel a, Pixel b, std::string_view classes) {
  out_ += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", classes,
                      coordinate(a.x), coordinate(a.y), coordinate(b.x), coordinate(b.y));
}

void Svg::polyline(std::span<const Pixel> points, std::string_view classes) {
  if (points.size() < 2) return;
  out_ += fmt::format("<polyline class=\"{}\" points=\"", classes);
  for (const Pixel& p : points) out_ += coordinate(p.x) + "," + coordinate(p.y) + " ";
  out_.back() = '"';
  out_ += "/>\n";
}

void Svg::polygon(std::span<const Pixel> points, std::string_view classes) {
  if (points.size() < 3) return;
  out_ += fmt::format("<polygon class=\"{}\" points=\"", classes);
  for (const Pixel& p : points) out_ += coordinate(p.x) + "," + coordinate(p.y) + " ";
  out_.back() = '"';
  out_ += "/>\n";
}

void Svg::rectangle(Pixel corner, double width, double height, std::string_view classes) {
  out_ += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n",
                      classes, coordinate(corner.x), coordinate(corner.y), coordinate(width),
                      coordinate(height));
}

void Svg::circle(Pixel centre, double radius, std::string_view classes) {
  out_ += fmt::format("<circle class=\"{}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", classes,
                      coordinate(centre.x), coordinate(centre.y), coordinate(radius));
}

void Svg::cross(Pixel centre, double half, std::string_view classes) {
  line({centre.x - half, centre.y - half}, {centre.x + half, centre.y + half}, classes);
  line({centre.x - half, centre.y + half}, {centre.x + half, centre.y - half}, classes);
}

void Svg::text(Pixel at, std::string_view what, std::string_view classes, std::string_view anchor) {
  out_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n",
                      classes, coordinate(at.x), coordinate(at.y), anchor, escaped(what));
}

std::string Svg::finish() && {
  out_ += "</svg>\n";
  return std::move(out_);
}

}  // namespace knuckleboom::report
