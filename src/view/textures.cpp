#include "view/textures.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "view/noise.hpp"
#include "view/turn.hpp"

namespace knuckleboom::view {
namespace {

Colour grey(double x, double a = 1.0) { return {x, x, x, a}; }

// A rectangle for painting a plant [pixels].
struct Area {
  double x, y, w, h;
};

constexpr Colour kSpruceDark = {0.055, 0.105, 0.060, 1.0};
constexpr Colour kSpruceLight = {0.23, 0.34, 0.15, 1.0};
constexpr Colour kPineDark = {0.09, 0.15, 0.085, 1.0};
constexpr Colour kPineLight = {0.33, 0.43, 0.22, 1.0};
constexpr Colour kBirchDark = {0.17, 0.25, 0.06, 1.0};
constexpr Colour kBirchLight = {0.55, 0.62, 0.20, 1.0};

void paint_spruce(Image& image, Random& random, const Area& area, double fullness) {
  const double cx = area.x + 0.5 * area.w;
  const double px = area.w / 128.0;  // strokes look the same at any size
  image.stroke({cx, area.y}, {cx, area.y + 0.95 * area.h}, 2.5 * px, {0.20, 0.14, 0.10, 1.0});
  constexpr int kLayers = 30;
  for (int i = kLayers; i >= 0; --i) {
    const double t = (i + 0.4) / (kLayers + 1.0);
    const double y = area.y + area.h * (0.985 - 0.93 * t);
    const double reach = 0.475 * area.w * std::pow(t, 0.78) * random.in(0.72, 1.05);
    const int branches = 4 + static_cast<int>(fullness * 7.0 * t);
    for (int b = 0; b < branches; ++b) {
      const double k = random.in(-1.0, 1.0);
      const double out = reach * k;
      const double droop = std::abs(out) * 0.42 + 0.012 * area.h;
      const double front = std::sqrt(std::max(0.0, 1.0 - k * k));
      const double lit =
          std::clamp(0.50 - 0.30 * k + random.around(0.0, 0.22) + 0.2 * (front - 0.5), 0.0, 1.0);
      const auto at = [&](double s) -> Vec2 {
        return {cx + out * s, y - droop * (s - 0.28 * s * s * s)};
      };
      const int twigs = 5 + static_cast<int>(std::abs(out) / (5.0 * px));
      for (int n = 0; n < twigs; ++n) {
        const double s = (n + random.next()) / twigs;
        const Vec2 p = at(s);
        const double hang = area.h * random.in(0.012, 0.034) * (1.15 - 0.5 * s);
        const Colour c = mix(kSpruceDark, kSpruceLight, lit * (0.30 + 0.70 * s));
        image.stroke(p, {p.x + random.around(out * 0.06, 2.5 * px), p.y - hang},
                     random.in(1.2, 2.2) * px, c);
      }
      image.stroke(at(0.1), at(0.98), 1.6 * px, mix(kSpruceDark, kSpruceLight, 0.7 * lit));
    }
  }
}

void paint_pine(Image& image, Random& random, const Area& area) {
  const double cx = area.x + 0.5 * area.w;
  const double px = area.w / 128.0;
  const auto trunk_x = [&](double t) { return cx + 2.0 * px * std::sin(5.0 * t); };
  for (int i = 0; i < 60; ++i) {
    const double t = i / 60.0;
    const Colour lower = {0.26, 0.21, 0.18, 1.0};
    const Colour upper = {0.60, 0.36, 0.19, 1.0};
    const Colour c = mix(lower, upper, std::clamp((t - 0.3) / 0.3, 0.0, 1.0));
    const double w = (6.0 - 4.4 * t) * px;
    const Vec2 a = {trunk_x(t), area.y + 0.95 * area.h * t};
    const Vec2 b = {trunk_x(t + 0.02), area.y + 0.95 * area.h * (t + 0.02)};
    image.stroke(a, b, w, random.in(0.85, 1.1) * c);
    image.stroke({a.x - 0.3 * w, a.y}, {b.x - 0.3 * w, b.y}, 0.35 * w, 1.35 * c, 0.6);
  }
  constexpr int kClumps = 46;
  for (int i = 0; i < kClumps; ++i) {
    const double t = static_cast<double>(i) / kClumps;  // from below
    const double y = area.y + area.h * (0.50 + 0.44 * t);
    const double reach =
        0.42 * area.w * std::sqrt(std::max(0.02, 1.0 - t * t)) * std::min(1.0, 0.45 + 2.2 * t);
    const double x = cx + reach * random.in(-1.0, 1.0);
    image.stroke({trunk_x(t), y - 0.03 * area.h}, {x, y}, 1.3 * px, {0.30, 0.19, 0.12, 1.0});
    const double lit = std::clamp(0.45 - 0.35 * (x - cx) / (0.42 * area.w) + 0.25 * t, 0.0, 1.0);
    for (int n = 0; n < 64; ++n) {
      const double angle = random.in(0.0, kTwoPi);
      const double r = std::sqrt(random.next());
      const Vec2 p = {x + 13.0 * px * r * std::cos(angle), y + 7.0 * px * r * std::sin(angle)};
      const double up = 0.5 + 0.5 * r * std::sin(angle);
      const Colour c =
          mix(kPineDark, kPineLight,
              std::clamp(0.25 + 0.55 * up * (0.5 + lit) + random.around(0.0, 0.2), 0.0, 1.0));
      const double lean = random.around(0.5 * std::numbers::pi, 1.1);
      const double len = random.in(3.0, 6.5) * px;
      image.stroke(p, {p.x + len * std::cos(lean), p.y + len * std::sin(lean)}, 1.3 * px, c);
    }
  }
}

void paint_birch(Image& image, Random& random, const Area& area) {
  const double cx = area.x + 0.5 * area.w;
  const double px = area.w / 128.0;
  for (int i = 0; i < 50; ++i) {
    const double t = i / 50.0;
    const double w = (4.2 - 3.2 * t) * px;
    const double x = cx + 2.5 * px * std::sin(3.0 * t);
    const double y = area.y + 0.92 * area.h * t;
    const Colour c = {0.80, 0.79, 0.74, 1.0};
    image.stroke({x, y}, {x, y + 0.02 * area.h}, w, random.in(0.85, 1.05) * c);
    if (random.next() < 0.45)
      image.stroke({x - 0.4 * w, y}, {x + random.around(0.1, 0.3) * w, y}, 0.9 * px,
                   {0.10, 0.09, 0.09, 1.0});
  }
  for (int i = 0; i < 130; ++i) {
    const double t = random.next();
    const double y0 = area.y + area.h * (0.30 + 0.62 * t);
    const double bulge = std::sin(std::numbers::pi * std::clamp(0.12 + 0.86 * t, 0.0, 1.0));
    const double out = 0.43 * area.w * bulge * random.in(-1.0, 1.0);
    const Vec2 tip = {cx + out, y0 + area.h * random.in(-0.05, 0.05)};
    image.stroke({cx, y0 - 0.04 * area.h}, tip, 0.8 * px, {0.22, 0.17, 0.14, 1.0}, 0.8);
    const double lit = std::clamp(0.55 - 0.6 * out / area.w + random.around(0.0, 0.2), 0.0, 1.0);
    for (int n = 0; n < 26; ++n) {
      const Vec2 p = {tip.x + random.around(0.0, 8.0) * px, tip.y + random.around(-5.0, 11.0) * px};
      const Colour c =
          mix(kBirchDark, kBirchLight, std::clamp(lit + random.around(0.0, 0.3), 0.0, 1.0));
      image.stroke(p, {p.x + random.around(0.0, 1.4) * px, p.y - random.in(0.4, 1.8) * px},
                   random.in(1.4, 2.4) * px, c);
    }
  }
}

// A branch from the left edge to the right one.
void paint_needle_branch(Image& image, Random& random, const Area& area, const Colour& dark,
                         const Colour& light, double hang, double spread) {
  const double px = area.w / 128.0;
  const double y0 = area.y + 0.62 * area.h;
  const auto axis = [&](double s) -> Vec2 {
    return {area.x + area.w * (0.01 + 0.96 * s), y0 - 0.06 * area.h * std::sin(2.4 * s)};
  };
  image.stroke(axis(0.0), axis(0.5), 3.0 * px, {0.22, 0.16, 0.11, 1.0});
  image.stroke(axis(0.5), axis(0.97), 1.8 * px, {0.24, 0.18, 0.11, 1.0});
  for (int side = 0; side < 46; ++side) {
    const double s = 0.10 + 0.89 * (side + random.next()) / 46.0;
    const double taper = std::sin(std::numbers::pi * std::min(1.0, 0.30 + 0.68 * s));
    const double len = area.w * spread * taper * random.in(0.5, 1.0);
    const double direction = random.next() < 0.5 ? 1.0 : -1.0;
    const Vec2 a = axis(s);
    const Vec2 b = {a.x + 0.75 * len, a.y + direction * 0.62 * len - hang * len};
    image.stroke(a, b, 1.3 * px, 0.9 * dark);
    const int needles = 16;
    const double lit = random.in(0.2, 0.8);
    for (int n = 0; n < needles; ++n) {
      const double t = (n + random.next()) / needles;
      const Vec2 p = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
      const double across = random.next() < 0.5 ? 1.0 : -1.0;
      const double l = random.in(3.0, 6.0) * px;
      const Colour c = mix(dark, light, std::clamp(0.25 + 0.45 * t + lit - 0.4, 0.0, 1.0));
      image.stroke(p, {p.x + 0.7 * l, p.y + across * 0.7 * l - 0.4 * hang * l}, 1.5 * px, c);
    }
  }
}

void paint_leaf_branch(Image& image, Random& random, const Area& area) {
  const double px = area.w / 128.0;
  for (int twig = 0; twig < 16; ++twig) {
    const double y = area.y + area.h * random.in(0.15, 0.9);
    const Vec2 start = {area.x, area.y + 0.6 * area.h};
    const Vec2 end = {area.x + area.w * random.in(0.45, 0.95), y};
    image.stroke(start, end, 1.2 * px, {0.22, 0.17, 0.13, 1.0}, 0.9);
    for (int n = 0; n < 26; ++n) {
      const double t = random.in(0.2, 1.0);
      const Vec2 p = {start.x + t * (end.x - start.x) + random.around(0.0, 5.0) * px,
                      start.y + t * (end.y - start.y) + random.around(-2.0, 6.0) * px};
      const Colour c = mix(kBirchDark, kBirchLight, random.next());
      image.stroke(p, {p.x + random.around(0.0, 2.5) * px, p.y - random.in(1.0, 3.0) * px},
                   random.in(2.0, 3.6) * px, c);
    }
  }
}

void paint_fern(Image& image, Random& random, const Area& area) {
  const double px = area.w / 128.0;
  const Vec2 root = {area.x + 0.5 * area.w, area.y + 0.02 * area.h};
  for (int frond = 0; frond < 9; ++frond) {
    const double k = -1.0 + 2.0 * (frond + 0.5) / 9.0;
    const double len = area.h * random.in(0.70, 0.92) * (1.0 - 0.25 * std::abs(k));
    const auto at = [&](double s) -> Vec2 {
      return {root.x + k * 0.50 * area.w * s,
              root.y + len * (s * 1.25 - 0.40 * s * s * (1.0 + std::abs(k)))};
    };
    for (int n = 1; n < 30; ++n) {
      const double s = n / 30.0;
      const Vec2 p = at(s);
      const double leaf = 10.0 * px * std::sin(std::numbers::pi * std::pow(s, 0.7));
      const Colour c = mix({0.11, 0.20, 0.05, 1.0}, {0.36, 0.50, 0.16, 1.0},
                           std::clamp(0.2 + 0.6 * s + random.around(0.0, 0.2), 0.0, 1.0));
      image.stroke(p, {p.x - leaf * (0.75 - 0.3 * k), p.y + 0.35 * leaf}, 2.2 * px, c);
      image.stroke(p, {p.x + leaf * (0.75 + 0.3 * k), p.y + 0.35 * leaf}, 2.2 * px, 0.85 * c);
    }
  }
}

void paint_grass(Image& image, Random& random, const Area& area) {
  const double px = area.w / 128.0;
  for (int blade = 0; blade < 80; ++blade) {
    const double x = area.x + area.w * random.in(0.22, 0.78);
    const double h = area.h * random.in(0.3, 0.95);
    const double lean = random.around(0.0, 0.28) * area.w;
    const Colour dry = {0.52, 0.46, 0.24, 1.0};
    const Colour green = {0.26, 0.36, 0.11, 1.0};
    const Colour c = random.in(0.6, 1.15) * mix(green, dry, random.next() * random.next());
    Vec2 last = {x, area.y};
    for (int k = 1; k <= 5; ++k) {
      const double s = k / 5.0;
      const Vec2 p = {x + lean * s * s, area.y + h * s * (1.0 - 0.12 * s)};
      image.stroke(last, p, (2.3 - 1.5 * s) * px, (0.6 + 0.5 * s) * c);
      last = p;
    }
  }
}

void paint_berries(Image& image, Random& random, const Area& area) {
  const double px = area.w / 128.0;
  for (int stem = 0; stem < 34; ++stem) {
    const Vec2 root = {area.x + area.w * random.in(0.2, 0.8), area.y};
    const Vec2 tip = {root.x + area.w * random.around(0.0, 0.18),
                      area.y + area.h * random.in(0.3, 0.72)};
    image.stroke(root, tip, 1.0 * px, {0.24, 0.22, 0.10, 1.0});
    for (int n = 0; n < 22; ++n) {
      const double t = random.in(0.35, 1.05);
      const Vec2 p = {root.x + t * (tip.x - root.x) + random.around(0.0, 6.5) * px,
                      root.y + t * (tip.y - root.y) + random.around(0.0, 4.0) * px};
      const Colour c = mix({0.10, 0.17, 0.07, 1.0}, {0.30, 0.44, 0.15, 1.0},
                           std::clamp(0.75 * t + random.around(0.0, 0.3), 0.0, 1.0));
      image.stroke(p, {p.x + random.around(0.0, 2.5) * px, p.y + random.in(0.0, 1.2) * px},
                   random.in(2.0, 3.2) * px, c);
    }
  }
}

void paint_twig(Image& image, Random& random, const Area& area) {
  const double px = area.w / 128.0;
  const double y = area.y + 0.5 * area.h;
  const Colour c = {0.30, 0.26, 0.22, 1.0};
  image.stroke({area.x, y}, {area.x + 0.96 * area.w, y - 0.12 * area.h}, 2.2 * px, c);
  for (int n = 0; n < 16; ++n) {
    const double s = random.in(0.15, 0.95);
    const Vec2 a = {area.x + 0.96 * area.w * s, y - 0.12 * area.h * s};
    const double side = random.next() < 0.5 ? 1.0 : -1.0;
    const double l = area.w * random.in(0.1, 0.28);
    image.stroke(a, {a.x + 0.8 * l, a.y + side * l - 0.3 * l}, 1.2 * px, random.in(0.8, 1.1) * c);
  }
}

}  // namespace

Image paint_wear(int size) {
  Image image(size, size, grey(1.0));
  image.fill([](double u, double v) {
    const double dirt = fractal(6.0 * u, 6.0 * v, 4, 6, 11);
    const double fine = fractal(40.0 * u, 40.0 * v, 2, 40, 23);
    const double dust = std::clamp((dirt - 0.52) * 2.6, 0.0, 1.0);
    const double tone = 1.0 - 0.10 * fine - 0.30 * dust;
    return Colour{tone, tone * (1.0 - 0.03 * dust), tone * (1.0 - 0.09 * dust), 1.0 - 0.75 * dust};
  });
  Random random(5);
  for (int i = 0; i < 110; ++i) {
    const Vec2 a = {random.in(0.0, size), random.in(0.0, size)};
    const double angle = random.around(0.0, 0.5);
    const double l = size * random.in(0.01, 0.09);
    const bool bare = random.next() < 0.45;
    image.stroke(a, {a.x + l * std::cos(angle), a.y + l * std::sin(angle)}, random.in(0.6, 1.3),
                 bare ? Colour{1.0, 1.0, 1.0, 1.0} : Colour{0.62, 0.55, 0.48, 0.3},
                 random.in(0.2, 0.7), true);
  }
  return image;
}

Image paint_bark(int size) {
  Image image(size, size, grey(0.5));
  image.fill([](double u, double v) {
    const double wave = 0.5 * fractal(3.0 * u, 5.0 * v, 3, 0, 3);
    const double ridge = std::abs(2.0 * noise(14.0 * u + 2.0 * wave, 3.0 * v, 0, 7) - 1.0);
    const double plates = fractal(10.0 * u, 7.0 * v, 4, 0, 9);
    const double x = 0.42 + 0.50 * std::pow(ridge, 0.6) * (0.4 + 0.9 * plates);
    return Colour{x, 0.97 * x, 0.93 * x, 0.4};
  });
  // Blend over the seam to make it tile.
  const int band = size / 8;
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < band; ++x) {
      const double t = 0.5 + 0.5 * static_cast<double>(x) / band;
      const Colour a = image.at(x, y);
      const Colour b = image.at(size - 1 - x, y);
      image.set(x, y, mix(b, a, t));
      image.set(size - 1 - x, y, mix(a, b, t));
    }
  for (int x = 0; x < size; ++x)
    for (int y = 0; y < band; ++y) {
      const double t = 0.5 + 0.5 * static_cast<double>(y) / band;
      const Colour a = image.at(x, y);
      const Colour b = image.at(x, size - 1 - y);
      image.set(x, y, mix(b, a, t));
      image.set(x, size - 1 - y, mix(a, b, t));
    }
  return image;
}

Image paint_log_end(int size) {
  Image image(size, size, grey(1.0));
  image.fill([](double u, double v) {
    const double x = 2.0 * u - 1.04;
    const double y = 2.0 * v - 0.97;
    const double angle = std::atan2(y, x);
    const double r = std::hypot(x, y) * (1.0 + 0.05 * std::sin(2.0 * angle + 1.0));
    const double ring = 0.5 + 0.5 * std::sin(82.0 * std::pow(r, 0.92) +
                                             3.0 * noise(2.0 * x + 5.0, 2.0 * y + 5.0, 0, 3));
    const double saw = noise(60.0 * (u + 0.4 * v), 6.0 * v, 0, 17);
    Colour wood =
        mix({0.86, 0.70, 0.47, 0.05}, {0.72, 0.53, 0.31, 0.05}, 0.75 * std::pow(ring, 3.0));
    if (r < 0.42) wood = mix(wood, {0.74, 0.50, 0.32, 0.05}, 0.55);  // heartwood
    if (r < 0.03) wood = {0.35, 0.22, 0.13, 0.05};
    if (r > 0.90) wood = mix(wood, {0.24, 0.17, 0.12, 0.05}, std::min(1.0, (r - 0.90) / 0.05));
    return (0.90 + 0.14 * saw) * wood;
  });
  Random random(31);
  for (int i = 0; i < 5; ++i) {
    const double angle = random.in(0.0, kTwoPi);
    const double c = 0.5 * size;
    const double r0 = 0.06 * size;
    const double r1 = size * random.in(0.15, 0.36);
    image.stroke({c + r0 * std::cos(angle), c + r0 * std::sin(angle)},
                 {c + r1 * std::cos(angle + 0.1), c + r1 * std::sin(angle + 0.1)}, 0.8,
                 {0.33, 0.22, 0.14, 0.05}, 0.7);
  }
  return image;
}

Image paint_forest_floor(int size) {
  Image image(size, size, grey(0.5));
  const double k = size / 512.0;
  image.fill([](double u, double v) {
    const double moss = fractal(5.0 * u, 5.0 * v, 5, 5, 101);
    const double fine = fractal(48.0 * u, 48.0 * v, 3, 48, 131);
    const Colour green = {0.37, 0.47, 0.21, 1.0};
    const Colour brown = {0.45, 0.36, 0.25, 1.0};
    const Colour c = mix(brown, green, std::clamp(2.6 * (moss - 0.36), 0.0, 1.0));
    return (0.55 + 0.75 * fine) * c;
  });
  Random random(77);
  const int strokes = static_cast<int>(8500.0 * k * k);
  for (int i = 0; i < strokes; ++i) {
    const Vec2 a = {random.in(0.0, size), random.in(0.0, size)};
    const double angle = random.in(0.0, kTwoPi);
    const double pick = random.next();
    Colour c;
    double l = random.in(3.0, 9.0);
    double w = 1.1;
    if (pick < 0.45) {
      c = {0.50, 0.37, 0.22, 1.0};  // needles
    } else if (pick < 0.80) {
      c = {0.33, 0.46, 0.17, 1.0};  // moss
      l = random.in(2.0, 5.0);
      w = 1.7;
    } else if (pick < 0.93) {
      c = {0.14, 0.11, 0.08, 1.0};  // gaps
    } else if (pick < 0.985) {
      c = {0.68, 0.55, 0.33, 1.0};  // leaves
      l = random.in(1.0, 3.0);
      w = 3.2;
    } else {
      c = {0.36, 0.29, 0.23, 1.0};  // twigs
      l = random.in(18.0, 50.0);
      w = 1.8;
    }
    image.stroke(a, {a.x + l * k * std::cos(angle), a.y + l * k * std::sin(angle)}, w * k,
                 random.in(0.6, 1.35) * c, random.in(0.4, 0.9), true);
  }
  return image;
}

Image paint_clouds(int size) {
  Image image(size, size, grey(0.0));
  image.fill([](double u, double v) {
    const double x = fractal(4.0 * u, 4.0 * v, 6, 4, 201);
    const double patch = fractal(2.0 * u, 2.0 * v, 2, 2, 209);
    return grey(std::clamp(3.0 * (x - 0.50) + 0.9 * (patch - 0.5), 0.0, 1.0));
  });
  return image;
}

Image paint_sign(const std::string& text, const Colour& paper, const Colour& ink) {
  const double height = 72.0;
  const double width = Image::text_width(text, height) + 40.0;
  int w = 128;
  while (w < width && w < 2048) w *= 2;
  Image image(w, 128, paper);
  image.text(text, {0.5 * (w - width) + 26.0, 28.0}, height, 15.0, ink);
  return image;
}

Patch patch(Leaf leaf) {
  const int i = static_cast<int>(leaf);
  constexpr double kEdge = 0.004;
  double u = 0.25 * (i % 4);
  double v = 0.0;
  double h = 0.5;
  if (i >= 4) {
    v = i < 8 ? 0.5 : 0.75;
    h = 0.25;
  }
  return {u + kEdge, v + kEdge, u + 0.25 - kEdge, v + h - kEdge};
}

Image paint_foliage(int size) {
  Image image(size, size, {0.16, 0.22, 0.10, 0.0});
  Random random(404);
  const auto area = [size](Leaf leaf) -> Area {
    const Patch p = patch(leaf);
    const double m = 0.005 * size;
    return {p.u0 * size + m, p.v0 * size, (p.u1 - p.u0) * size - 2.0 * m, (p.v1 - p.v0) * size - m};
  };
  // Each plant in a separate image, so that nothing overlaps its neighbour.
  const auto plant = [&](Leaf leaf, const auto& paint) {
    const Area a = area(leaf);
    Image own(static_cast<int>(a.w), static_cast<int>(a.h), {0.16, 0.22, 0.10, 0.0});
    paint(own, Area{0.0, 0.0, a.w, a.h});
    own.paste_into(image, static_cast<int>(a.x), static_cast<int>(a.y));
  };
  plant(Leaf::kSpruceA, [&](Image& i, const Area& a) { paint_spruce(i, random, a, 1.0); });
  plant(Leaf::kSpruceB, [&](Image& i, const Area& a) { paint_spruce(i, random, a, 0.6); });
  plant(Leaf::kPine, [&](Image& i, const Area& a) { paint_pine(i, random, a); });
  plant(Leaf::kBirch, [&](Image& i, const Area& a) { paint_birch(i, random, a); });
  plant(Leaf::kSpruceBranch, [&](Image& i, const Area& a) {
    paint_needle_branch(i, random, a, kSpruceDark, kSpruceLight, 0.45, 0.34);
  });
  plant(Leaf::kPineBranch, [&](Image& i, const Area& a) {
    paint_needle_branch(i, random, a, kPineDark, kPineLight, -0.1, 0.30);
  });
  plant(Leaf::kBirchBranch, [&](Image& i, const Area& a) { paint_leaf_branch(i, random, a); });
  plant(Leaf::kFern, [&](Image& i, const Area& a) { paint_fern(i, random, a); });
  plant(Leaf::kGrass, [&](Image& i, const Area& a) { paint_grass(i, random, a); });
  plant(Leaf::kBerries, [&](Image& i, const Area& a) { paint_berries(i, random, a); });
  plant(Leaf::kTwig, [&](Image& i, const Area& a) { paint_twig(i, random, a); });
  plant(Leaf::kSapling, [&](Image& i, const Area& a) { paint_spruce(i, random, a, 1.0); });
  return image;
}

Image paint_tree_line(int width, int height) {
  Image image(width, height, {0.25, 0.33, 0.27, 0.0});
  Random random(909);
  const double unit = height;
  for (int row = 0; row < 2; ++row) {
    for (double x = -0.2 * unit; x < width; x += unit * random.in(0.07, 0.16)) {
      const double h = unit * (row == 0 ? random.in(0.72, 0.98) : random.in(0.45, 0.75));
      const double w = h * random.in(0.26, 0.36);
      Area area{x, -0.02 * unit, w, h};
      if (random.next() < 0.75)
        paint_spruce(image, random, area, 0.5);
      else
        paint_pine(image, random, area);
    }
  }
  for (int x = 0; x < width; ++x)
    for (int y = 0; y < height / 5; ++y) image.set(x, y, {0.08, 0.12, 0.07, 1.0});
  return image;
}

}  // namespace knuckleboom::view
