#include "view/quality.hpp"

namespace knuckleboom::view {

Quality resolve(Quality quality, bool software_renderer) {
  if (quality != Quality::kAuto) return quality;
  return software_renderer ? Quality::kMedium : Quality::kHigh;
}

QualitySettings settings(Quality quality) {
  QualitySettings s;
  switch (quality) {
    case Quality::kLow:
      s.trees = 120;
      s.undergrowth = 80;
      s.stones = 12;
      s.solid_trees_within = 0.0;
      s.detail = 0.7;
      s.foliage_texture = 512;
      s.ground_texture = 512;
      break;
    case Quality::kAuto:
    case Quality::kMedium:
      // A software renderer on two cores draws this 25 times per second, including the shadow.
      s.shadow_size = 512;
      s.shadow_reach = 9.0;
      s.trees = 100;
      s.undergrowth = 90;
      s.stones = 12;
      s.solid_trees_within = 0.0;
      s.detail = 0.6;
      break;
    case Quality::kHigh:
      s.shadow_size = 2048;
      s.shadow_taps = 4;
      s.shadow_reach = 16.0;
      s.trees = 500;
      s.undergrowth = 600;
      s.stones = 40;
      s.solid_trees_within = 16.0;
      s.detail = 1.0;
      s.fine_ground = true;
      break;
    case Quality::kBest:
      s.shadow_size = 1536;
      s.shadow_taps = 4;
      s.shadow_reach = 16.0;
      s.trees = 550;
      s.undergrowth = 700;
      s.stones = 60;
      s.solid_trees_within = 16.0;
      s.detail = 1.2;
      s.foliage_texture = 2048;
      s.ground_texture = 2048;
      s.fine_ground = true;
      break;
  }
  return s;
}

const char* name(Quality quality) {
  constexpr const char* kNames[] = {"auto", "low", "medium", "high", "best"};
  return kNames[static_cast<int>(quality)];
}

}  // namespace knuckleboom::view
