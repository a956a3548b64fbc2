// Fewer points for the same drawing.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace knuckleboom::report {

// Indices of the points of value over t that give the same drawing at a given number of pixel
// columns: first and last of each run, and the lowest and highest in each column, so that no peak
// is lost. Gaps (non-finite values) keep one index. t must increase; low and high are the ends of
// the drawing.
std::vector<std::size_t> thinned(std::span<const double> t, std::span<const double> value,
                                 double low, double high, int columns);

struct Pixel {
  double x = 0.0, y = 0.0;
};
// A line without the points that are nearer than `apart` to the one before; with more than `most` left,
// `apart` is doubled. Its ends stay. Points that are not finite are left out.
std::vector<Pixel> thinned(std::vector<Pixel> line, double apart, std::size_t most);

}  // namespace knuckleboom::report
