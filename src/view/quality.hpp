// How much the picture may cost.
#pragma once

namespace knuckleboom::view {

enum class Quality { kAuto, kLow, kMedium, kHigh, kBest };

struct QualitySettings {
  int shadow_size = 0;         // edge of the shadow map [texels], 0: no shadow
  int shadow_taps = 1;         // 1 or 4 look-ups for a soft edge
  double shadow_reach = 13.0;  // m around the machine
  int trees = 500;             // beyond the stems of the world
  int undergrowth = 600;       // tufts
  int stones = 30;
  double solid_trees_within = 22.0;  // m; farther ones are flat
  double detail = 1.0;               // of round parts
  int foliage_texture = 1024;        // edges [texels]
  int ground_texture = 1024;
  bool fine_ground = false;  // second, finer texture
};

// kAuto: kMedium for a software renderer, else kHigh.
Quality resolve(Quality quality, bool software_renderer);
QualitySettings settings(Quality quality);
const char* name(Quality quality);

}  // namespace knuckleboom::view
