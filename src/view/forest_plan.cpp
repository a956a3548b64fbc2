#include "view/forest_plan.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "view/noise.hpp"
#include "view/turn.hpp"

namespace knuckleboom::view {
namespace {

constexpr double kFarthestTree = 100.0;  // m
constexpr double kTuftsWithin = 34.0;    // m
constexpr double kRoadHalfWidth = 2.9;   // the machine's track, along -x [m]

bool on_road(double x, double y) { return x < 2.0 && std::abs(y) < kRoadHalfWidth; }

// Distance from objects that must stay visible.
double clear_of(const SceneDescription& scene, const world::Way& way, double x, double y) {
  double nearest = 1e9;
  if (way.present())
    nearest = std::abs(way.nearest(x, y, -10.0, way.length() + 10.0).offset) -
              0.5 * scene.world.way.width;
  const auto look_at = [&](double px, double py, double size) {
    nearest = std::min(nearest, std::hypot(x - px, y - py) - size);
  };
  for (const world::Bunk& bunk : scene.world.bunks)
    look_at(bunk.x, bunk.y, 0.5 * std::max(bunk.length, bunk.width));
  for (const world::Log& log : scene.world.logs)
    for (int i = -2; i <= 2; ++i) {
      const double s = 0.25 * i * log.length;
      look_at(log.x + s * std::cos(log.heading), log.y + s * std::sin(log.heading), log.radius);
    }
  for (const Vec3& point : scene.visitors_way) look_at(point.x(), point.y(), 0.0);
  for (const TargetLook& target : scene.targets) look_at(target.p_W.x(), target.p_W.y(), 0.0);
  return nearest;
}

// Keeps distance between trees: checks only the neighbouring squares.
class Neighbours {
 public:
  bool is_free(double x, double y, double distance) const {
    for (int i = -1; i <= 1; ++i)
      for (int k = -1; k <= 1; ++k) {
        const auto cell = cells_.find(key(x + i * kCell, y + k * kCell));
        if (cell == cells_.end()) continue;
        for (const auto& [px, py] : cell->second)
          if (std::hypot(px - x, py - y) < distance) return false;
      }
    return true;
  }
  void add(double x, double y) { cells_[key(x, y)].emplace_back(x, y); }

 private:
  static constexpr double kCell = 4.0;
  static long key(double x, double y) {
    return std::lround(std::floor(x / kCell)) * 4096 + std::lround(std::floor(y / kCell));
  }
  std::unordered_map<long, std::vector<std::pair<double, double>>> cells_;
};

Species pick_species(Random& random, double x, double y) {
  const double stand = fractal(0.035 * x + 9.0, 0.035 * y + 5.0, 2, 0, 71);
  const double pick = random.next() + 1.1 * (stand - 0.5);
  if (pick < 0.55) return Species::kSpruce;
  return pick < 0.85 ? Species::kPine : Species::kBirch;
}

Tree make_tree(Random& random, double x, double y) {
  Tree tree;
  tree.x = x;
  tree.y = y;
  tree.species = pick_species(random, x, y);
  const double grown = std::pow(random.next(), 0.6);
  switch (tree.species) {
    case Species::kSpruce:
      tree.height = 7.0 + 15.0 * grown;
      tree.crown_from = random.in(0.04, 0.22);
      break;
    case Species::kPine:
      tree.height = 11.0 + 10.0 * grown;
      tree.crown_from = random.in(0.45, 0.60);
      break;
    case Species::kBirch:
      tree.height = 8.0 + 9.0 * grown;
      tree.crown_from = random.in(0.25, 0.40);
      break;
  }
  tree.radius = tree.height * random.in(0.008, 0.011);
  tree.lean_x = tree.height * random.around(0.0, 0.035);
  tree.lean_y = tree.height * random.around(0.0, 0.035);
  tree.tone = random.in(0.75, 1.15);
  tree.seed = hash(static_cast<std::uint32_t>(std::lround(x * 1000.0)) ^
                   (static_cast<std::uint32_t>(std::lround(y * 1000.0)) << 12U));
  return tree;
}

double reach_of(const MachineLook& machine) {
  double reach = 0.0;
  for (const BodyLook& body : machine.bodies)
    if (body.has_end) reach += body.end_B.norm();
  return reach;
}

}  // namespace

ForestPlan plan_forest(const SceneDescription& scene, const QualitySettings& quality) {
  ForestPlan plan;
  const world::Way way(scene.world.way);
  plan.clearing = std::clamp(reach_of(scene.machine) + 4.5, 11.0, 30.0);
  Random random(scene.world.ground.seed + 17);
  Neighbours neighbours;
  for (const world::Stem& stem : scene.world.stems) {
    Tree tree = make_tree(random, stem.x, stem.y);
    tree.height = stem.height;
    tree.radius = stem.radius;
    tree.lean_x = tree.lean_y = 0.0;  // stems with contact are straight
    tree.crown_from = tree.species == Species::kSpruce ? 0.42 : 0.6;
    tree.solid = tree.in_reach = true;
    plan.trees.push_back(tree);
    neighbours.add(stem.x, stem.y);
  }
  const double inner = plan.clearing;
  int planted = 0;
  for (int attempt = 0; attempt < 30 * quality.trees && planted < quality.trees; ++attempt) {
    // More at the edge of the forest, where they are visible.
    const double r = inner + (kFarthestTree - inner) * std::pow(random.next(), 1.25);
    const double angle = random.in(0.0, kTwoPi);
    const double x = r * std::cos(angle);
    const double y = r * std::sin(angle);
    const double glade = fractal(0.06 * x, 0.06 * y, 2, 0, 91);
    if (on_road(x, y) || glade < 0.30 || clear_of(scene, way, x, y) < 4.0) continue;
    if (!neighbours.is_free(x, y, 1.6 + 0.012 * r)) continue;
    Tree tree = make_tree(random, x, y);
    tree.solid = r < quality.solid_trees_within;
    plan.trees.push_back(tree);
    neighbours.add(x, y);
    ++planted;
  }
  for (int attempt = 0, n = 0; attempt < 20 * quality.undergrowth && n < quality.undergrowth;
       ++attempt) {
    const double r = 3.0 + (kTuftsWithin - 3.0) * std::sqrt(random.next());
    const double angle = random.in(0.0, kTwoPi);
    Tuft tuft;
    tuft.x = r * std::cos(angle);
    tuft.y = r * std::sin(angle);
    if (on_road(tuft.x, tuft.y) || (std::abs(tuft.x) < 3.0 && std::abs(tuft.y) < 2.2)) continue;
    const double patch = fractal(0.22 * tuft.x, 0.22 * tuft.y, 3, 0, 61) + random.around(0.0, 0.08);
    if (patch < 0.40 || clear_of(scene, way, tuft.x, tuft.y) < 0.35) continue;
    const double kind =
        fractal(0.13 * tuft.x + 40.0, 0.13 * tuft.y, 2, 0, 67) + random.around(0.0, 0.1);
    const bool far_out = r > plan.clearing - 1.0;
    tuft.plant = kind < 0.44 ? Plant::kBerries : kind < 0.56 ? Plant::kGrass : Plant::kFern;
    if (far_out && random.next() < 0.07) tuft.plant = Plant::kSapling;
    switch (tuft.plant) {
      case Plant::kFern:
        tuft.size = random.in(0.45, 0.85);
        break;
      case Plant::kGrass:
        tuft.size = random.in(0.28, 0.55);
        break;
      case Plant::kBerries:
        tuft.size = random.in(0.35, 0.60);
        break;
      case Plant::kSapling:
        tuft.size = random.in(1.0, 2.4);
        break;
    }
    tuft.seed = hash(static_cast<std::uint32_t>(n) + 5000U);
    plan.tufts.push_back(tuft);
    ++n;
  }
  for (int attempt = 0, n = 0; attempt < 20 * quality.stones && n < quality.stones; ++attempt) {
    const double r = 5.0 + 36.0 * std::sqrt(random.next());
    const double angle = random.in(0.0, kTwoPi);
    Stone stone;
    stone.x = r * std::cos(angle);
    stone.y = r * std::sin(angle);
    if (on_road(stone.x, stone.y) || clear_of(scene, way, stone.x, stone.y) < 0.8) continue;
    // Within reach of the crane there are only pebbles, since decoration has no contact.
    const bool in_reach = r < plan.clearing - 2.0;
    stone.stump = !in_reach && random.next() < 0.4;
    stone.size = in_reach ? random.in(0.06, 0.14)
                          : (stone.stump ? random.in(0.14, 0.26) : random.in(0.2, 0.75));
    stone.seed = hash(static_cast<std::uint32_t>(n) + 900U);
    plan.stones.push_back(stone);
    ++n;
  }
  return plan;
}

}  // namespace knuckleboom::view
