// Piecewise-linear curve; flat beyond its ends.
#pragma once

#include <cstddef>
#include <vector>

namespace knuckleboom {

struct Table {
  std::vector<double> x;  // strictly increasing
  std::vector<double> y;  // same length, at least one
};

// Last point at or before x, which must lie from the first point up to before the last.
inline std::size_t point_before(const Table& table, double x) {
  std::size_t low = 0;
  std::size_t high = table.x.size() - 1;
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    (table.x[middle] <= x ? low : high) = middle;
  }
  return low;
}

// Value and slope at x. Throws nothing; an empty table gives zero.
struct TableValue {
  double value;
  double slope;
};

inline TableValue evaluate(const Table& table, double x) {
  if (table.x.empty()) return {0.0, 0.0};
  if (x <= table.x.front()) return {table.y.front(), 0.0};
  if (x >= table.x.back()) return {table.y.back(), 0.0};
  const std::size_t low = point_before(table, x);
  const std::size_t high = low + 1;
  const double slope = (table.y[high] - table.y[low]) / (table.x[high] - table.x[low]);
  return {table.y[low] + slope * (x - table.x[low]), slope};
}

// Value of the last point at or before x; of the first before it.
inline double held_value(const Table& table, double x) {
  if (table.x.empty()) return 0.0;
  if (x < table.x.front()) return table.y.front();
  if (x >= table.x.back()) return table.y.back();
  return table.y[point_before(table, x)];
}

}  // namespace knuckleboom
