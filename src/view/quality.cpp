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
      s.trees = 220;
      s.undergrowth = 150;
      s.stones = 12;
      s.solid_trees_within = 0.0;
      s.detail = 0.7;
      s.foliage_texture = 512;
      s.ground_texture = 512;
      break;
    case Quality::kAuto:
    case Quality::kMedium:
      s.shadow_size = 1024;
      break;
    case Quality::kHigh:
      s.shadow_size = 2048;
      s.shadow_taps = 4;
      s.shadow_reach = 16.0;
      s.trees = 1100;
      s.undergrowth = 2000;
      s.stones = 60;
      s.solid_trees_within = 28.0;
      s.detail = 1.5;
      s.fine_ground = true;
      break;
    case Quality::kBest:
      s.shadow_size = 2048;
      s.shadow_taps = 4;
      s.shadow_reach = 18.0;
      s.trees = 1600;
      s.undergrowth = 3500;
      s.stones = 90;
      s.solid_trees_within = 36.0;
      s.detail = 2.0;
      s.foliage_texture = 2048;
      s.ground_texture = 2048;
      s.fine_ground = true;
      break;
  }
  return s;
}

const char* name(Quality quality) {
  switch (quality) {
    case Quality::kAuto:
      return "auto";
    case Quality::kLow:
      return "low";
    case Quality::kMedium:
      return "medium";
    case Quality::kHigh:
      return "high";
    case Quality::kBest:
      return "best";
  }
  return "";
}

}  // namespace knuckleboom::view
