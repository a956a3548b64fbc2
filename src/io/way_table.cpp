#include "way_table.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "declare/exercise_keys.hpp"
#include "knuckleboom/core/math/hash.hpp"

namespace knuckleboom::io {
namespace {

constexpr double kStemRadius[2] = {0.09, 0.19}, kStemHeight[2] = {14.0, 23.0};  // m
constexpr double kStemSpread = 1.5;   // from the way outwards [m]
constexpr double kStemJitter = 0.35;  // along it, of their distance
constexpr std::size_t kMostStems = 220;

// Stems on both sides, none within `clear` of any part of the way, nor in another stem.
void plant(const declare::keys::way::Edge& edge, const world::Way& way, double width,
           std::vector<world::Stem>& stems) {
  std::uint64_t number = mixed_bits(edge.seed);
  const auto chance = [&number](double low, double high) {
    return low + (high - low) * uniform(++number);
  };
  for (double along = 0.0; along <= way.length(); along += edge.tree_every)
    for (const double side : {-1.0, 1.0}) {
      if (stems.size() > kMostStems) return;  // refused below
      world::Stem stem;
      stem.radius = chance(kStemRadius[0], kStemRadius[1]);
      stem.height = chance(kStemHeight[0], kStemHeight[1]);
      const double shift = kStemJitter * edge.tree_every;
      const world::WayPoint at = way.at(along + chance(-shift, shift));
      const double free = 0.5 * width + edge.tree_clear + stem.radius;
      const double out = side * (free + chance(0.01, kStemSpread));
      stem.x = at.x - out * at.ahead_y;
      stem.y = at.y + out * at.ahead_x;
      const bool beside =
          std::fabs(way.nearest(stem.x, stem.y, -50.0, way.length() + 50.0).offset) >= free;
      const bool alone = std::none_of(stems.begin(), stems.end(), [&](const world::Stem& other) {
        return std::hypot(stem.x - other.x, stem.y - other.y) < 2.0 * (stem.radius + other.radius);
      });
      if (beside && alone) stems.push_back(stem);
    }
}

// Length of a sound way, else 0: what is wrong with it is said elsewhere.
double length_of(world::WayRecipe way) {
  way.stops.clear();
  try {
    return world::Way(way).length();
  } catch (const std::invalid_argument&) {
    return 0.0;
  }
}

// A stop is judged as it is written; where chance puts it stays on the way.
void read_stops(TableReader& reader, const declare::keys::way::Edge& edge, Report& report,
                world::WayRecipe& way) {
  namespace k = declare::keys::way;
  const double length = length_of(way);
  std::uint64_t number = mixed_bits(edge.seed + 1);
  double last = 0.0;
  for (const Node* one : reader.tables(k::stops)) {
    TableReader stop(report, *one, k::stop_table, "the stop");
    const double along = stop.value(k::along);
    const double drawn = along + edge.stop_spread * (2.0 * uniform(++number) - 1.0);
    if (length > 0.0 && along > length + way.stop_within)
      stop.error(k::along,
                 fmt::format("the way is only {:.4g} m long; stop nearer than that", length));
    else if (!way.stops.empty() && along < last + 2.0 * (way.stop_within + edge.stop_spread))
      stop.error(k::along,
                 fmt::format("the stop is not beyond the one before, at {:g} m, by {:g} m: twice "
                             "'stop_within' and 'stop_spread'; put it farther along",
                             last, 2.0 * (way.stop_within + edge.stop_spread)));
    way.stops.push_back(
        std::max(0.0, length > 0.0 ? std::min(drawn, length + way.stop_within) : drawn));
    last = along;
    stop.done();
  }
}

}  // namespace

void read_way(TableReader& root, const Key& key, Report& report, world::WorldRecipe& world) {
  namespace k = declare::keys::way;
  const Node* node = root.subtable(key);
  if (node == nullptr) return;
  TableReader reader(report, *node, k::table, "'way'");
  const std::size_t before = report.count();
  k::Edge edge;
  world::WayRecipe& way = world.way;
  reader.fill(way);
  reader.fill(edge);
  for (const Node* one : reader.tables(k::corners)) {
    TableReader corner(report, *one, k::corner_table, "the corner");
    corner.fill(way.corners.emplace_back());
    corner.done();
  }
  read_stops(reader, edge, report, way);
  reader.done();
  if (report.count() != before) return;
  try {
    const world::Way laid(way);
    if (edge.tree_every > 0.0) plant(edge, laid, way.width, world.stems);
  } catch (const std::invalid_argument& error) {
    report.error(node->place, error.what());
  }
  if (world.stems.size() > kMostStems)
    reader.error(k::tree_every,
                 fmt::format("with those beside the way there are more than {} stems; make "
                             "'tree_every' larger",
                             kMostStems));
}

}  // namespace knuckleboom::io
