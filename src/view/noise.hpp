// Repeatable random numbers for appearance.
#pragma once

#include <cstdint>

namespace knuckleboom::view {

std::uint32_t hash(std::uint32_t x);

// A short sequence of numbers from a seed (xorshift).
class Random {
 public:
  explicit Random(std::uint32_t seed) : state_(hash(seed) | 1U) {}
  double next();  // 0 to 1
  double in(double low, double high) { return low + (high - low) * next(); }
  double around(double centre, double spread) { return centre + spread * (2.0 * next() - 1.0); }

 private:
  std::uint32_t state_;
};

// Smooth noise of one value per grid point, 0 to 1; repeats after `period` grid points (0: never).
double noise(double x, double y, int period, std::uint32_t seed);
// Sum of octaves, each with half the size and half the weight, 0 to 1.
double fractal(double x, double y, int octaves, int period, std::uint32_t seed);

}  // namespace knuckleboom::view
