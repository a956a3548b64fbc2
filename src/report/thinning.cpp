#include "report/thinning.hpp"

#include <algorithm>
#include <cmath>

namespace knuckleboom::report {
namespace {

// Values shown in one pixel column.
struct Column {
  int number = -1;
  std::size_t lowest = 0, highest = 0;
};

void keep(const Column& column, std::vector<std::size_t>& out) {
  if (column.number < 0) return;
  for (const std::size_t i :
       {std::min(column.lowest, column.highest), std::max(column.lowest, column.highest)})
    if (out.empty() || out.back() < i) out.push_back(i);
}

void keep(std::size_t i, std::vector<std::size_t>& out) {
  if (out.empty() || out.back() < i) out.push_back(i);
}

}  // namespace

std::vector<std::size_t> thinned(std::span<const double> t, std::span<const double> value,
                                 double low, double high, int columns) {
  std::vector<std::size_t> out;
  const double scale = high > low ? columns / (high - low) : 0.0;
  const std::size_t n = std::min(t.size(), value.size());
  Column column;
  bool in_gap = true;
  for (std::size_t i = 0; i < n; ++i) {
    if (!std::isfinite(value[i]) || !std::isfinite(t[i])) {
      if (!in_gap) {
        keep(column, out);
        keep(i - 1, out);
        keep(i, out);
      }
      column = {};
      in_gap = true;
      continue;
    }
    const int number = std::clamp(static_cast<int>((t[i] - low) * scale), 0, columns);
    if (in_gap || number != column.number) {
      keep(column, out);
      if (in_gap) keep(i, out);
      column = {number, i, i};
    }
    if (value[i] < value[column.lowest]) column.lowest = i;
    if (value[i] > value[column.highest]) column.highest = i;
    in_gap = false;
  }
  keep(column, out);
  if (!in_gap) keep(n - 1, out);
  return out;
}

std::vector<Pixel> thinned(std::vector<Pixel> line, double apart, std::size_t most) {
  std::erase_if(line, [](const Pixel& p) { return !std::isfinite(p.x) || !std::isfinite(p.y); });
  for (;; apart *= 2.0) {
    std::vector<Pixel> out;
    for (std::size_t i = 0; i < line.size(); ++i) {
      const bool last = i + 1 == line.size();
      if (out.empty() || std::hypot(line[i].x - out.back().x, line[i].y - out.back().y) >= apart)
        out.push_back(line[i]);
      else if (last && out.size() > 1)
        out.back() = line[i];
    }
    if (out.size() <= std::max<std::size_t>(most, 2) || apart > 1e6) return out;
    line = std::move(out);
  }
}

}  // namespace knuckleboom::report
