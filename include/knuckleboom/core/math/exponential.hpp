// exp(-x) with the same bits on every processor, for constants of filters.
#pragma once

namespace knuckleboom {

// x >= 0. Taylor series on x / 2^k, squared k times: relative error below 5e-15 (1 + x).
inline double decay(double x) {
  if (x > 700.0) return 0.0;
  int halvings = 0;
  double y = x;
  while (y > 0.05) {
    y *= 0.5;
    ++halvings;
  }
  double sum = 1.0 - y * (1.0 / 8.0);
  sum = 1.0 - y * (1.0 / 7.0) * sum;
  sum = 1.0 - y * (1.0 / 6.0) * sum;
  sum = 1.0 - y * (1.0 / 5.0) * sum;
  sum = 1.0 - y * (1.0 / 4.0) * sum;
  sum = 1.0 - y * (1.0 / 3.0) * sum;
  sum = 1.0 - y * (1.0 / 2.0) * sum;
  sum = 1.0 - y * sum;
  for (int i = 0; i < halvings; ++i) sum *= sum;
  return sum;
}

}  // namespace knuckleboom
