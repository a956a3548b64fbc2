// A way through the forest that wheels are to keep to: straights, with a bend of one radius at each corner, and
// the places where a machine is to stop. On the map, SI units; nothing in the ground.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace knuckleboom::world {

struct WayCorner {
  double x = 0.0, y = 0.0;  // m
};

// Under its wheels, for an estimate of ruts alone; untold: there is none.
enum class Soil : std::int32_t { kUntold, kSoft, kMedium, kFirm };

struct WayRecipe {
  std::vector<WayCorner> corners;  // the first and the last are its ends; none: there is no way
  double width = 4.5;              // m
  double bend_radius = 12.0;       // of its middle [m]
  std::vector<double> stops;       // along its middle from its beginning, rising [m]
  double stop_within = 0.5;        // how close to it counts, along the way [m]
  Soil soil = Soil::kUntold;
};

struct WayPoint {
  double x = 0.0, y = 0.0;              // m
  double ahead_x = 1.0, ahead_y = 0.0;  // direction of the way
};
struct WayPlace {
  double along = 0.0;   // m
  double offset = 0.0;  // from the middle, left positive [m]
};

class Way {
 public:
  Way() = default;
  // Throws std::invalid_argument with a sentence for a way that cannot be laid.
  explicit Way(const WayRecipe& recipe);

  bool present() const { return !nodes_.empty(); }
  double length() const { return nodes_.empty() ? 0.0 : nodes_.back().along; }
  // Straight on beyond its ends.
  WayPoint at(double along) const;
  // The nearest place of its middle between two lengths along it. The same bits on every processor.
  WayPlace nearest(double x, double y, double from, double to) const;

 private:
  struct Node {  // where a straight piece begins
    double along, x, y, ahead_x, ahead_y;
  };
  std::size_t piece_at(double along) const;
  void add(double x, double y);

  std::vector<Node> nodes_;  // the last one ends the way
};

}  // namespace knuckleboom::world
