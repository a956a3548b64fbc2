// Fixed shapes of a forest near a place, without a look at all of them.
#pragma once

#include <algorithm>
#include <cstddef>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/world/box.hpp"
#include "knuckleboom/core/world/world.hpp"

namespace knuckleboom::world {

// use(number of the fixed shape): once for each whose box overlaps this one, in no order.
template <class Use>
void each_fixed_near(const World& world, const Box& box, const Use& use) {
  const std::vector<World::Fixed>& fixed = world.fixed();
  const World::FixedMap& map = world.fixed_map();
  if (map.nx == 0) {
    for (std::size_t k = 0; k < fixed.size(); ++k)
      if (overlap(box, {fixed[k].low, fixed[k].high})) use(static_cast<int>(k));
    return;
  }
  const auto square = [&map](double x, double first, int n) {
    const double at = (x - first) / map.edge;
    return at > 0.0 ? static_cast<int>(std::min(at, n - 1.0)) : 0;
  };
  const int x0 = square(box.low.x(), map.x0, map.nx), x1 = square(box.high.x(), map.x0, map.nx);
  const int y0 = square(box.low.y(), map.y0, map.ny), y1 = square(box.high.y(), map.y0, map.ny);
  for (int iy = y0; iy <= y1; ++iy)
    for (int ix = x0; ix <= x1; ++ix) {
      const int n = iy * map.nx + ix;
      for (int e = nth(map.first, n); e < nth(map.first, n + 1); ++e) {
        const int k = nth(map.index, e);
        const World::Fixed& shape = nth(fixed, k);
        // Only in the first of the squares that it shares with the box.
        if (overlap(box, {shape.low, shape.high}) &&
            ix == std::max(x0, square(shape.low.x(), map.x0, map.nx)) &&
            iy == std::max(y0, square(shape.low.y(), map.y0, map.ny)))
          use(k);
      }
    }
}

}  // namespace knuckleboom::world
