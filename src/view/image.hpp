// An image in memory for painting textures.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <osg/Texture2D>

#include "view/mesh_builder.hpp"

namespace knuckleboom::view {

// Red, green, blue and alpha, 0 to 1; row 0 is the lowest, as OpenGL has it.
class Image {
 public:
  Image(int width, int height, const Colour& fill);

  int width() const { return width_; }
  int height() const { return height_; }
  Colour at(int x, int y) const;
  void set(int x, int y, const Colour& colour);

  // Colour as a function of the position, 0 to 1 in both directions.
  void fill(const std::function<Colour(double u, double v)>& colour);
  // A round-ended stroke over the image; opacity is separate from the resulting alpha (1). Pixels.
  void stroke(Vec2 a, Vec2 b, double width, const Colour& colour, double opacity = 1.0,
              bool wrap = false);
  // Letters and digits in strokes; position of the lower left corner, height of capitals. Pixels.
  void text(const std::string& text, Vec2 origin, double height, double weight,
            const Colour& colour);
  static double text_width(const std::string& text, double height);

  // Copies this image into another one.
  void paste_into(Image& other, int x, int y) const;

  // repeat: tiles, otherwise its edge is extended. keep_cover: where alpha cuts out leaves, the
  // smaller versions for the distance keep the covered share of the image.
  osg::ref_ptr<osg::Texture2D> texture(bool repeat, bool keep_cover = false) const;

 private:
  void blend(int x, int y, const Colour& colour, double share, bool wrap);

  int width_, height_;
  std::vector<float> data_;
};

}  // namespace knuckleboom::view
