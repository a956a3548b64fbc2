// Random bits as a function of a number: the same for the same number, on every machine.
#pragma once

#include <cstdint>

namespace knuckleboom {

// splitmix64's output function (Steele, Lea and Flood 2014): every bit of the result depends on every bit
// of x.
inline std::uint64_t mixed_bits(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

// Uniform in [0, 1).
inline double uniform(std::uint64_t x) {
  return static_cast<double>(mixed_bits(x) >> 11U) * 0x1p-53;
}

// Mean 0, variance 1, within +-6: the sum of twelve uniform numbers, close to a normal distribution
// and free of functions whose bits depend on the processor.
inline double gaussian(std::uint64_t x) {
  double sum = -6.0;
  for (std::uint64_t i = 0; i < 12; ++i) sum += uniform(x * 12U + i);
  return sum;
}

}  // namespace knuckleboom
