#include "view/panels/painter.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <imgui.h>

namespace knuckleboom::view::panels {
namespace {

ImU32 packed(Colour c) { return IM_COL32(c.r, c.g, c.b, c.a); }

float height_of(const ImFont& face, float width, const std::string& text) {
  return face
      .CalcTextSizeA(face.FontSize, 1e9F, width, text.data(), text.data() + text.size(), nullptr)
      .y;
}

// A number and its unit stay on one line: their space becomes one that lines do not break at, and so does a decimal
// point.
std::string unbroken(std::string_view text) {
  constexpr std::array<std::string_view, 10> kUnits = {"m",  "cm",  "s",  "min", "h",
                                                       "kg", "bar", "kN", "l",   "%"};
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '%' ||
           static_cast<unsigned char>(c) >= 0x80U;
  };
  const auto digit = [&](std::size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i])) != 0;
  };
  std::string out;
  out.reserve(text.size() + 8);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.' && i > 0 && digit(i - 1) && digit(i + 1)) {
      out += "\u2024";
      continue;
    }
    std::size_t end = i + 1;
    if (text[i] == ' ' && i > 0 && digit(i - 1))
      while (end < text.size() && is_word(text[end])) ++end;
    const bool unit = std::ranges::find(kUnits, text.substr(i + 1, end - i - 1)) != kUnits.end();
    if (unit)
      out += "\u00a0";
    else
      out += text[i];
  }
  return out;
}

}  // namespace

void Painter::fill(const Rect& rect, Colour colour, float rounding) {
  list_.AddRectFilled(ImVec2(std::round(rect.x * scale_), std::round(rect.y * scale_)),
                      ImVec2(std::round(rect.right() * scale_), std::round(rect.bottom() * scale_)),
                      packed(colour), rounding * scale_);
}

void Painter::outline(const Rect& rect, Colour colour, float rounding) {
  list_.AddRect(ImVec2(std::round(rect.x * scale_), std::round(rect.y * scale_)),
                ImVec2(std::round(rect.right() * scale_), std::round(rect.bottom() * scale_)),
                packed(colour), rounding * scale_, 0, std::max(1.0F, scale_));
}

void Painter::line(float x0, float y0, float x1, float y1, Colour colour, float thickness) {
  list_.AddLine(ImVec2(x0 * scale_, y0 * scale_), ImVec2(x1 * scale_, y1 * scale_), packed(colour),
                std::max(1.0F, thickness * scale_));
}

void Painter::curve(const Rect& field, std::span<const std::pair<float, float>> points,
                    Colour colour, float thickness) {
  std::vector<ImVec2> corners;
  corners.reserve(points.size());
  for (const auto& [x, y] : points) corners.emplace_back(x * scale_, y * scale_);
  list_.PushClipRect(ImVec2(field.x * scale_, field.y * scale_),
                     ImVec2(field.right() * scale_, field.bottom() * scale_), true);
  list_.AddPolyline(corners.data(), static_cast<int>(corners.size()), packed(colour),
                    ImDrawFlags_None, std::max(1.0F, thickness * scale_));
  list_.PopClipRect();
}

void Painter::dot(float x, float y, float radius, Colour colour) {
  list_.AddCircleFilled(ImVec2(x * scale_, y * scale_), radius * scale_, packed(colour));
}

void Painter::arrow(float x, float y, float size, bool to_the_right, Colour colour) {
  const float tip = to_the_right ? size : -size;
  const ImVec2 corners[3] = {ImVec2((x - tip * 0.5F) * scale_, (y - size) * scale_),
                             ImVec2((x + tip * 0.5F) * scale_, y * scale_),
                             ImVec2((x - tip * 0.5F) * scale_, (y + size) * scale_)};
  list_.AddTriangleFilled(corners[0], corners[1], corners[2], packed(colour));
}

const ImFont* Painter::font(Type type) const {
  const ImFont* const fonts[] = {fonts_.small, fonts_.body, fonts_.bold, fonts_.large, fonts_.huge};
  return fonts[static_cast<int>(type)];
}

void Painter::text(float x, float y, Type type, Colour colour, std::string_view text, Align align) {
  if (text.empty()) return;
  const float width = align == Align::kLeft ? 0.0F : text_width(type, text);
  const float left = align == Align::kCentre  ? x - width * 0.5F
                     : align == Align::kRight ? x - width
                                              : x;
  const ImFont* face = font(type);
  list_.AddText(face, face->FontSize, ImVec2(std::round(left * scale_), std::round(y * scale_)),
                packed(colour), text.data(), text.data() + text.size());
}

void Painter::text_within(float x, float y, float width, Type type, Colour colour,
                          std::string_view whole) {
  if (text_width(type, whole) <= width) return text(x, y, type, colour, whole);
  std::string cut(whole);
  while (!cut.empty() && text_width(type, cut + "...") > width) {
    cut.pop_back();
    // Not within a character of several bytes.
    while (!cut.empty() && (static_cast<unsigned char>(cut.back()) & 0xC0U) == 0x80U)
      cut.pop_back();
    if (!cut.empty() && static_cast<unsigned char>(cut.back()) >= 0xC0U) cut.pop_back();
  }
  text(x, y, type, colour, cut + "...");
}

float Painter::text_block(float x, float y, float width, Type type, Colour colour,
                          std::string_view words) {
  const std::string text = unbroken(words);
  const ImFont* face = font(type);
  list_.AddText(face, face->FontSize, ImVec2(std::round(x * scale_), std::round(y * scale_)),
                packed(colour), text.data(), text.data() + text.size(), width * scale_);
  return height_of(*face, width * scale_, text) / scale_;
}

float Painter::text_width(Type type, std::string_view text) const {
  const ImFont* face = font(type);
  return face->CalcTextSizeA(face->FontSize, 1e9F, 0.0F, text.data(), text.data() + text.size(),
                             nullptr)
             .x /
         scale_;
}

float Painter::block_height(float width, Type type, std::string_view words) const {
  return height_of(*font(type), width * scale_, unbroken(words)) / scale_;
}

float Painter::line_height(Type type) const { return font(type)->FontSize / scale_; }

void Painter::bar(const Rect& rect, float share, Colour colour) {
  fill(rect, kGroove, 2.0F);
  const float width = rect.width * std::clamp(share, 0.0F, 1.0F);
  if (width * scale_ >= 1.0F) fill({rect.x, rect.y, width, rect.height}, colour, 2.0F);
}

void Painter::middle_bar(const Rect& rect, float value, Colour colour) {
  fill(rect, kGroove, 2.0F);
  const float half = rect.width * 0.5F;
  const float middle = rect.x + half;
  const float reach = half * std::clamp(value, -1.0F, 1.0F);
  if (std::abs(reach) * scale_ >= 1.0F)
    fill({std::min(middle, middle + reach), rect.y, std::abs(reach), rect.height}, colour);
  line(middle, rect.y - 1.0F, middle, rect.bottom() + 1.0F, kLine);
}

}  // namespace knuckleboom::view::panels
