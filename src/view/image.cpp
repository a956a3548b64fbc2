#include "view/image.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

namespace knuckleboom::view {
namespace {

constexpr double kCutOff = 0.5;  // alpha below which the foliage shader draws nothing

// Strokes of a glyph on a grid 4 wide and 6 high: pairs of digits are points, spaces separate
// strokes.
struct Glyph {
  char letter;
  std::string_view strokes;
};
constexpr std::array<Glyph, 40> kGlyphs = {{
    {'A', "002640 1232"},
    {'B', "0006364534330003 33424130 3000"},
    {'C', "45362615 15051101 01102031 0511 1141"},
    {'D', "000626443244224230 2000"},
    {'E', "40000646 0333"},
    {'F', "000646 0333"},
    {'G', "453616051120304143 4323"},
    {'H', "0006 4046 0343"},
    {'I', "2026"},
    {'J', "011030414146"},
    {'K', "0006 4602 1440"},
    {'L', "060040"},
    {'M', "0006234640"},
    {'N', "00064046"},
    {'O', "100105163645413010"},
    {'P', "0006364534330303"},
    {'Q', "100105163645413010 2240"},
    {'R', "000636453433 0333 2340"},
    {'S', "453616051433424130100110"},
    {'T', "0646 2620"},
    {'U', "060110304146"},
    {'V', "062046"},
    {'W', "0610233046"},
    {'X', "0046 0640"},
    {'Y', "062346 2320"},
    {'Z', "06460040"},
    {'0', "100105163645413010"},
    {'1', "052620 1030"},
    {'2', "05163645440040"},
    {'3', "0516364534332333424130 301001"},
    {'4', "3036010141"},
    {'5', "460604344342301001"},
    {'6', "4536160501103041423303"},
    {'7', "064610"},
    {'8', "130405163645433313 13020110304142 4233"},
    {'9', "011030414536160504133343"},
    {'-', "0343"},
    {'.', "2021"},
    {'/', "0046"},
    {' ', ""},
}};
constexpr double kGridHeight = 6.0;
constexpr double kAdvance = 5.6;  // grid units from letter to letter

std::uint8_t to_byte(float x) {
  return static_cast<std::uint8_t>(std::lround(255.0F * std::clamp(x, 0.0F, 1.0F)));
}

using Level = std::vector<float>;

Level half_size(const Level& from, int w, int h) {
  const int nw = std::max(1, w / 2);
  const int nh = std::max(1, h / 2);
  Level to(static_cast<std::size_t>(nw) * static_cast<std::size_t>(nh) * 4);
  for (int y = 0; y < nh; ++y)
    for (int x = 0; x < nw; ++x) {
      // Colours are weighted by their coverage, or the empty background would bleed in.
      std::array<float, 4> sum = {0.0F, 0.0F, 0.0F, 0.0F};
      std::array<float, 3> plain = {0.0F, 0.0F, 0.0F};
      for (int k = 0; k < 4; ++k) {
        const int sx = std::min(2 * x + (k & 1), w - 1);
        const int sy = std::min(2 * y + (k >> 1), h - 1);
        const float* p = &from[(static_cast<std::size_t>(sy) * static_cast<std::size_t>(w) +
                                static_cast<std::size_t>(sx)) *
                               4];
        for (std::size_t c = 0; c < 3; ++c) {
          sum[c] += p[c] * p[3];
          plain[c] += 0.25F * p[c];
        }
        sum[3] += p[3];
      }
      float* q = &to[(static_cast<std::size_t>(y) * static_cast<std::size_t>(nw) +
                      static_cast<std::size_t>(x)) *
                     4];
      for (std::size_t c = 0; c < 3; ++c) q[c] = sum[3] > 1e-3F ? sum[c] / sum[3] : plain[c];
      q[3] = 0.25F * sum[3];
    }
  return to;
}

double cover(const Level& level, double scale) {
  std::size_t count = 0;
  for (std::size_t i = 3; i < level.size(); i += 4)
    if (level[i] * scale >= kCutOff) ++count;
  return static_cast<double>(count) / (static_cast<double>(level.size()) / 4.0);
}

// Scales alpha so that the coverage equals that of the full image.
void restore_cover(Level& level, double wanted) {
  double low = 0.2;
  double high = 8.0;
  for (int i = 0; i < 12; ++i) {
    const double scale = 0.5 * (low + high);
    (cover(level, scale) < wanted ? low : high) = scale;
  }
  for (std::size_t i = 3; i < level.size(); i += 4)
    level[i] = std::min(1.0F, level[i] * static_cast<float>(high));
}

}  // namespace

Image::Image(int width, int height, const Colour& fill)
    : width_(width),
      height_(height),
      data_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4) {
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) set(x, y, fill);
}

Colour Image::at(int x, int y) const {
  const float* p = &data_[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                           static_cast<std::size_t>(x)) *
                          4];
  return {p[0], p[1], p[2], p[3]};
}

void Image::set(int x, int y, const Colour& c) {
  float* p = &data_[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) +
                     static_cast<std::size_t>(x)) *
                    4];
  p[0] = static_cast<float>(c.r);
  p[1] = static_cast<float>(c.g);
  p[2] = static_cast<float>(c.b);
  p[3] = static_cast<float>(c.a);
}

void Image::fill(const std::function<Colour(double u, double v)>& colour) {
  for (int y = 0; y < height_; ++y)
    for (int x = 0; x < width_; ++x) set(x, y, colour((x + 0.5) / width_, (y + 0.5) / height_));
}

void Image::blend(int x, int y, const Colour& c, double share, bool wrap) {
  if (wrap) {
    x = ((x % width_) + width_) % width_;
    y = ((y % height_) + height_) % height_;
  } else if (x < 0 || y < 0 || x >= width_ || y >= height_) {
    return;
  }
  const Colour below = at(x, y);
  const double cover = share + below.a * (1.0 - share);
  const double t = cover > 0.0 ? share / cover : 0.0;
  Colour mixed = mix(below, c, t);
  mixed.a = cover;
  set(x, y, mixed);
}

void Image::stroke(Vec2 a, Vec2 b, double width, const Colour& colour, double opacity, bool wrap) {
  const double r = 0.5 * width;
  const double dx = b.x - a.x;
  const double dy = b.y - a.y;
  const double square = std::max(1e-12, dx * dx + dy * dy);
  const int x0 = static_cast<int>(std::floor(std::min(a.x, b.x) - r - 1.0));
  const int x1 = static_cast<int>(std::ceil(std::max(a.x, b.x) + r + 1.0));
  const int y0 = static_cast<int>(std::floor(std::min(a.y, b.y) - r - 1.0));
  const int y1 = static_cast<int>(std::ceil(std::max(a.y, b.y) + r + 1.0));
  for (int y = y0; y <= y1; ++y)
    for (int x = x0; x <= x1; ++x) {
      const double px = x + 0.5 - a.x;
      const double py = y + 0.5 - a.y;
      const double t = std::clamp((px * dx + py * dy) / square, 0.0, 1.0);
      const double distance = std::hypot(px - t * dx, py - t * dy);
      const double share = opacity * std::clamp(r + 0.5 - distance, 0.0, std::min(1.0, width));
      if (share > 0.0) blend(x, y, colour, share, wrap);
    }
}

double Image::text_width(const std::string& text, double height) {
  return kAdvance * height / kGridHeight * static_cast<double>(text.size());
}

void Image::text(const std::string& text, Vec2 origin, double height, double weight,
                 const Colour& colour) {
  const double scale = height / kGridHeight;
  for (const char raw : text) {
    const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(raw)));
    const auto* glyph = std::find_if(kGlyphs.begin(), kGlyphs.end(),
                                     [letter](const Glyph& g) { return g.letter == letter; });
    if (glyph != kGlyphs.end()) {
      bool down = false;
      Vec2 last;
      for (std::size_t i = 0; i < glyph->strokes.size();) {
        if (glyph->strokes[i] == ' ') {
          down = false;
          ++i;
          continue;
        }
        const Vec2 p = {origin.x + scale * (glyph->strokes[i] - '0'),
                        origin.y + scale * (glyph->strokes[i + 1] - '0')};
        if (down) stroke(last, p, weight, colour);
        last = p;
        down = true;
        i += 2;
      }
    }
    origin.x += kAdvance * scale;
  }
}

void Image::paste_into(Image& other, int x0, int y0) const {
  for (int y = 0; y < height_; ++y)
    for (int x = 0; x < width_; ++x) other.set(x0 + x, y0 + y, at(x, y));
}

osg::ref_ptr<osg::Texture2D> Image::texture(bool repeat, bool keep_cover) const {
  std::vector<Level> levels = {data_};
  std::vector<std::pair<int, int>> sizes = {{width_, height_}};
  // The averages come from the original image, so the corrected alpha is kept separately.
  Level plain = data_;
  const double wanted = cover(data_, 1.0);
  while (sizes.back().first > 1 || sizes.back().second > 1) {
    const auto [w, h] = sizes.back();
    plain = half_size(plain, w, h);
    sizes.emplace_back(std::max(1, w / 2), std::max(1, h / 2));
    levels.push_back(plain);
    if (keep_cover && sizes.back().first >= 4) restore_cover(levels.back(), wanted);
  }
  std::size_t total = 0;
  osg::Image::MipmapDataType offsets;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (i > 0) offsets.push_back(static_cast<unsigned>(total));
    total += levels[i].size();
  }
  auto* bytes = new unsigned char[total];
  std::size_t k = 0;
  for (const Level& level : levels)
    for (const float x : level) bytes[k++] = to_byte(x);
  osg::ref_ptr<osg::Image> image = new osg::Image;
  image->setImage(width_, height_, 1, GL_RGBA, GL_RGBA, GL_UNSIGNED_BYTE, bytes,
                  osg::Image::USE_NEW_DELETE);
  image->setMipmapLevels(offsets);
  osg::ref_ptr<osg::Texture2D> texture = new osg::Texture2D(image);
  const auto wrap = repeat ? osg::Texture::REPEAT : osg::Texture::CLAMP_TO_EDGE;
  texture->setWrap(osg::Texture::WRAP_S, wrap);
  texture->setWrap(osg::Texture::WRAP_T, wrap);
  texture->setFilter(osg::Texture::MIN_FILTER, osg::Texture::LINEAR_MIPMAP_NEAREST);
  texture->setFilter(osg::Texture::MAG_FILTER, osg::Texture::LINEAR);
  texture->setUseHardwareMipMapGeneration(false);
  return texture;
}

}  // namespace knuckleboom::view
