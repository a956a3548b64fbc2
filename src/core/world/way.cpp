#include "knuckleboom/core/world/way.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace knuckleboom::world {
namespace {

constexpr int kHalvings = 5;  // of a bend: 32 chords, 0.4 % of the radius off a half turn at most
constexpr double kSharpest = -0.9;  // cosine of the turn at a corner; beyond it the way comes back

}  // namespace

void Way::add(double x, double y) {
  Node node{0.0, x, y, 1.0, 0.0};
  if (!nodes_.empty()) {
    Node& last = nodes_.back();
    const double dx = x - last.x, dy = y - last.y;
    const double length = std::sqrt(dx * dx + dy * dy);
    if (length < 1e-9) return;
    last.ahead_x = node.ahead_x = dx / length;
    last.ahead_y = node.ahead_y = dy / length;
    node.along = last.along + length;
  }
  nodes_.push_back(node);
}

Way::Way(const WayRecipe& recipe) {
  const std::vector<WayCorner>& corners = recipe.corners;
  if (corners.empty()) return;
  if (corners.size() < 2) throw std::invalid_argument("the way needs two corners at least");
  double left = 0.0;  // of the straight that leads to a corner, what the bend before has taken
  add(corners.front().x, corners.front().y);
  for (std::size_t i = 1; i < corners.size(); ++i) {
    const double dx = corners[i].x - corners[i - 1].x, dy = corners[i].y - corners[i - 1].y;
    const double length = std::sqrt(dx * dx + dy * dy);
    const std::string number = std::to_string(i + 1);
    if (!(length > 0.0))
      throw std::invalid_argument("corner " + number + " of the way is where the one before is");
    if (i + 1 == corners.size()) {
      if (left > length)
        throw std::invalid_argument("the way has no room for the bend before corner " + number +
                                    "; move the corner or make 'bend_radius' smaller");
      add(corners[i].x, corners[i].y);
      break;
    }
    const double ex = corners[i + 1].x - corners[i].x, ey = corners[i + 1].y - corners[i].y;
    const double next = std::sqrt(ex * ex + ey * ey);
    if (!(next > 0.0)) continue;  // said at the next corner
    const double ux = dx / length, uy = dy / length;
    double cosine = (ux * ex + uy * ey) / next, sine = (ux * ey - uy * ex) / next;
    if (cosine < kSharpest)
      throw std::invalid_argument("the way turns back at corner " + number +
                                  "; spread the turn over two corners");
    // The bend touches both straights at this distance from the corner.
    const double tangent = recipe.bend_radius * std::fabs(sine) / (1.0 + cosine);
    if (left + tangent > length)
      throw std::invalid_argument("the way has no room for the bend at corner " + number +
                                  "; move the corner or make 'bend_radius' smaller");
    left = tangent;
    const double side = sine < 0.0 ? -1.0 : 1.0;
    const double from_x = corners[i].x - tangent * ux, from_y = corners[i].y - tangent * uy;
    const double middle_x = from_x - side * recipe.bend_radius * uy;
    const double middle_y = from_y + side * recipe.bend_radius * ux;
    sine = std::fabs(sine);
    for (int k = 0; k < kHalvings; ++k) {
      const double half = std::sqrt(0.5 * (1.0 + cosine));
      sine = sine / (2.0 * half);
      cosine = half;
    }
    sine *= side;
    add(from_x, from_y);
    double arm_x = from_x - middle_x, arm_y = from_y - middle_y;
    for (int k = 0; k < 1 << kHalvings; ++k) {
      const double turned = arm_x * cosine - arm_y * sine;
      arm_y = arm_x * sine + arm_y * cosine;
      arm_x = turned;
      add(middle_x + arm_x, middle_y + arm_y);
    }
  }
  double last = 0.0;
  for (std::size_t i = 0; i < recipe.stops.size(); ++i) {
    if (recipe.stops[i] > length() + recipe.stop_within)
      throw std::invalid_argument("stop " + std::to_string(i + 1) + " of the way is " +
                                  std::to_string(std::lround(recipe.stops[i])) +
                                  " m along it, but it is only " +
                                  std::to_string(std::lround(length())) + " m long");
    if (i > 0 && recipe.stops[i] < last + 2.0 * recipe.stop_within)
      throw std::invalid_argument("stop " + std::to_string(i + 1) +
                                  " of the way is not beyond the one before");
    last = recipe.stops[i];
  }
}

std::size_t Way::piece_at(double along) const {
  const auto after =
      std::upper_bound(nodes_.begin(), nodes_.end(), along,
                       [](double wanted, const Node& node) { return wanted < node.along; });
  const auto i = static_cast<std::size_t>(after - nodes_.begin());
  return std::min(i > 0 ? i - 1 : 0, nodes_.size() - 2);
}

WayPoint Way::at(double along) const {
  if (!present()) return {};
  const Node& node = nodes_[piece_at(along)];
  const double on = along - node.along;
  return {node.x + on * node.ahead_x, node.y + on * node.ahead_y, node.ahead_x, node.ahead_y};
}

WayPlace Way::nearest(double x, double y, double from, double to) const {
  WayPlace best;
  if (!present()) return best;
  double least = -1.0;
  const std::size_t last = piece_at(to);
  for (std::size_t i = piece_at(from); i <= last; ++i) {
    const Node& node = nodes_[i];
    const double dx = x - node.x, dy = y - node.y;
    const double low = std::max(from, i == 0 ? from : node.along);
    const double high = std::min(to, i + 2 == nodes_.size() ? to : nodes_[i + 1].along);
    const double along =
        std::clamp(node.along + dx * node.ahead_x + dy * node.ahead_y, low, std::max(low, high));
    const double on = along - node.along;
    const double ox = dx - on * node.ahead_x, oy = dy - on * node.ahead_y;
    const double square = ox * ox + oy * oy;
    if (least >= 0.0 && square >= least) continue;
    least = square;
    const double side = node.ahead_x * dy - node.ahead_y * dx;
    best = {along, side < 0.0 ? -std::sqrt(square) : std::sqrt(square)};
  }
  return best;
}

}  // namespace knuckleboom::world
