// Textures painted by the program itself from noise and strokes.
#pragma once

#include <string>

#include "view/image.hpp"

namespace knuckleboom::view {

Image paint_wear(int size);  // of painted steel; alpha: remaining share of the gloss
Image paint_bark(int size);
Image paint_log_end(int size);       // rings, round in the square
Image paint_forest_floor(int size);  // tile, mean 0.5: moss, needles, twigs
Image paint_clouds(int size);        // tile, red: cover
Image paint_sign(const std::string& text, const Colour& paper, const Colour& ink);

// One image for all leaves, so that a piece of forest is one draw call.
enum class Leaf {
  kSpruceA,
  kSpruceB,
  kPine,
  kBirch,  // whole trees, twice as high as wide
  kSpruceBranch,
  kPineBranch,
  kBirchBranch,
  kFern,
  kGrass,
  kBerries,
  kTwig,
  kSapling,
};
struct Patch {
  double u0, v0, u1, v1;
};
Patch patch(Leaf leaf);
Image paint_foliage(int size);
// A distant row of trees, tiled horizontally.
Image paint_tree_line(int width, int height);

}  // namespace knuckleboom::view
