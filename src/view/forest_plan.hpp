// Positions of the plants, used both for drawing them and for their shade on the ground.
#pragma once

#include <cstdint>
#include <vector>

#include "view/quality.hpp"
#include "view/scene_description.hpp"

namespace knuckleboom::view {

enum class Species { kSpruce, kPine, kBirch };

struct Tree {
  Species species = Species::kSpruce;
  double x = 0.0, y = 0.0;
  double height = 15.0, radius = 0.15;  // m
  double lean_x = 0.0, lean_y = 0.0;    // of the top [m]
  double tone = 1.0;                    // brightness
  double crown_from = 0.2;              // share of the height
  bool solid = false;                   // trunk and branches instead of a flat image
  bool in_reach = false;                // a stem of the world
  std::uint32_t seed = 1;
};

enum class Plant { kFern, kGrass, kBerries, kSapling };
struct Tuft {
  Plant plant = Plant::kGrass;
  double x = 0.0, y = 0.0, size = 0.4;
  std::uint32_t seed = 1;
};

struct Stone {
  double x = 0.0, y = 0.0, size = 0.3;
  bool stump = false;
  std::uint32_t seed = 1;
};

struct ForestPlan {
  std::vector<Tree> trees;
  std::vector<Tuft> tufts;
  std::vector<Stone> stones;
  double clearing = 14.0;  // radius without trees other than the world's stems [m]
};

ForestPlan plan_forest(const SceneDescription& scene, const QualitySettings& quality);

}  // namespace knuckleboom::view
