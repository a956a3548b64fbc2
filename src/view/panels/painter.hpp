// Drawing of the panels: cards, text and bars on top of the view.
//
// Lengths are points: 1/720 of a picture of 16:9, so that a panel looks the same in every window. The
// origin is the upper left corner.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

struct ImDrawList;
struct ImFont;

namespace knuckleboom::view::panels {

struct Colour {
  std::uint8_t r = 255, g = 255, b = 255, a = 255;
};

inline constexpr Colour kCard{13, 18, 20, 190};
inline constexpr Colour kSolidCard{13, 18, 20, 244};
inline constexpr Colour kText{232, 236, 232};
inline constexpr Colour kDim{158, 168, 166};
inline constexpr Colour kGroove{255, 255, 255, 30};
inline constexpr Colour kLine{255, 255, 255, 46};
inline constexpr Colour kAccent{255, 184, 77};
inline constexpr Colour kAccentSoft{255, 184, 77, 60};
inline constexpr Colour kAlarm{242, 99, 82};
inline constexpr Colour kGood{139, 205, 126};
inline constexpr Colour kVoice{122, 186, 214};  // the instructor's words and marks
inline constexpr Colour kVoiceCard{18, 44, 58, 248};

struct Rect {
  float x = 0.0F, y = 0.0F, width = 0.0F, height = 0.0F;

  float right() const { return x + width; }
  float bottom() const { return y + height; }
  bool contains(float px, float py) const {
    return px >= x && px < right() && py >= y && py < bottom();
  }
};

enum class Type { kSmall, kBody, kBold, kLarge, kHuge };
enum class Align { kLeft, kCentre, kRight };

struct Fonts {
  ImFont* small = nullptr;
  ImFont* body = nullptr;
  ImFont* bold = nullptr;
  ImFont* large = nullptr;
  ImFont* huge = nullptr;
};

struct Pointer {
  float x = -1.0F, y = -1.0F;
  bool moved = false;    // since the last frame
  bool clicked = false;  // in this frame
  bool down = false;     // held
};

class Painter {
 public:
  Painter(ImDrawList& list, const Fonts& fonts, float scale, float width_px, float height_px)
      : list_(list), fonts_(fonts), scale_(scale), width_(width_px), height_(height_px) {}

  float scale() const { return scale_; }  // pixels of a point
  float width() const { return width_ / scale_; }
  float height() const { return height_ / scale_; }

  void fill(const Rect& rect, Colour colour, float rounding = 0.0F);
  void outline(const Rect& rect, Colour colour, float rounding = 0.0F);
  void card(const Rect& rect, Colour colour = kCard) { fill(rect, colour, 6.0F); }
  void line(float x0, float y0, float x1, float y1, Colour colour, float thickness = 1.0F);
  // Through points (x, y); cut at the edges of a field.
  void curve(const Rect& field, std::span<const std::pair<float, float>> points, Colour colour,
             float thickness = 1.0F);
  void dot(float x, float y, float radius, Colour colour);
  void arrow(float x, float y, float size, bool to_the_right, Colour colour);

  // y is the upper edge of the line. x: left edge, centre or right edge.
  void text(float x, float y, Type type, Colour colour, std::string_view text,
            Align align = Align::kLeft);
  // Cut with "..." to fit.
  void text_within(float x, float y, float width, Type type, Colour colour, std::string_view text);
  // Broken between words; returns the height. Paragraphs are separated by \n.
  float text_block(float x, float y, float width, Type type, Colour colour, std::string_view text);

  float text_width(Type type, std::string_view text) const;
  float block_height(float width, Type type, std::string_view text) const;
  float line_height(Type type) const;

  // A bar filled from its left end, and one filled from its middle (value -1 to 1).
  void bar(const Rect& rect, float share, Colour colour);
  void middle_bar(const Rect& rect, float value, Colour colour);

 private:
  const ImFont* font(Type type) const;

  ImDrawList& list_;
  Fonts fonts_;
  float scale_, width_, height_;
};

}  // namespace knuckleboom::view::panels
