#include "view/noise.hpp"

#include <cmath>

namespace knuckleboom::view {
namespace {

double at_point(int x, int y, int period, std::uint32_t seed) {
  if (period > 0) {
    x = ((x % period) + period) % period;
    y = ((y % period) + period) % period;
  }
  const std::uint32_t h = hash(hash(static_cast<std::uint32_t>(x) + seed) ^
                               (static_cast<std::uint32_t>(y) * 0x9E3779B9U));
  return h * (1.0 / 4294967295.0);
}

double smooth(double t) { return t * t * (3.0 - 2.0 * t); }

}  // namespace

// Finalizer of MurmurHash3 (A. Appleby, public domain).
std::uint32_t hash(std::uint32_t x) {
  x ^= x >> 16U;
  x *= 0x85EBCA6BU;
  x ^= x >> 13U;
  x *= 0xC2B2AE35U;
  x ^= x >> 16U;
  return x;
}

double Random::next() {
  state_ ^= state_ << 13U;
  state_ ^= state_ >> 17U;
  state_ ^= state_ << 5U;
  return state_ * (1.0 / 4294967296.0);
}

double noise(double x, double y, int period, std::uint32_t seed) {
  const double fx = std::floor(x);
  const double fy = std::floor(y);
  const int ix = static_cast<int>(fx);
  const int iy = static_cast<int>(fy);
  const double tx = smooth(x - fx);
  const double ty = smooth(y - fy);
  const double a = at_point(ix, iy, period, seed);
  const double b = at_point(ix + 1, iy, period, seed);
  const double c = at_point(ix, iy + 1, period, seed);
  const double d = at_point(ix + 1, iy + 1, period, seed);
  return (a + tx * (b - a)) * (1.0 - ty) + (c + tx * (d - c)) * ty;
}

double fractal(double x, double y, int octaves, int period, std::uint32_t seed) {
  double sum = 0.0;
  double weight = 0.5;
  double total = 0.0;
  for (int i = 0; i < octaves; ++i) {
    sum += weight * noise(x, y, period, seed + static_cast<std::uint32_t>(i));
    total += weight;
    weight *= 0.5;
    x *= 2.0;
    y *= 2.0;
    period *= 2;
  }
  return sum / total;
}

}  // namespace knuckleboom::view
