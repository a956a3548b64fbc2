// Piecewise-linear curve; flat beyond its ends.
#pragma once

#include <cstddef>
#include <vector>

namespace knuckleboom {

struct Table {
  std::vector<double> x;  // strictly increasing
  std::vector<double> y;  // same length, at least one
};

// Value and slope at x. Throws nothing; an empty table gives zero.
struct TableValue {
  double value;
  double slope;
};

inline TableValue evaluate(const Table& table, double x) {
  const std::size_t n = table.x.size();
  if (n == 0) return {0.0, 0.0};
  if (x <= table.x.front()) return {table.y.front(), 0.0};
  if (x >= table.x.back()) return {table.y.back(), 0.0};
  std::size_t low = 0;
  std::size_t high = n - 1;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (table.x[middle] <= x ? low : high) = middle;
  }
  const double slope = (table.y[high] - table.y[low]) / (table.x[high] - table.x[low]);
  return {table.y[low] + slope * (x - table.x[low]), slope};
}

}  // namespace knuckleboom
