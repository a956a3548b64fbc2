#include "view/screenshot.hpp"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <osg/GL>
#include <osg/Image>
#include <osgDB/ReaderWriter>
#include <osgDB/Registry>

namespace knuckleboom::view {

Pixels read_pixels(int width, int height) {
  Pixels pixels{width, height, {}};
  const std::size_t row = static_cast<std::size_t>(width) * 3;
  pixels.rgb.resize(row * static_cast<std::size_t>(height));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels.rgb.data());
  for (int y = 0; y < height / 2; ++y) {
    const auto top = pixels.rgb.begin() + static_cast<std::ptrdiff_t>(row) * y;
    const auto bottom = pixels.rgb.begin() + static_cast<std::ptrdiff_t>(row) * (height - 1 - y);
    std::swap_ranges(top, top + static_cast<std::ptrdiff_t>(row), bottom);
  }
  return pixels;
}

std::string png_of(const Pixels& pixels) {
  osg::ref_ptr<osg::Image> image = new osg::Image;
  image->allocateImage(pixels.width, pixels.height, 1, GL_RGB, GL_UNSIGNED_BYTE, 1);
  const std::size_t row = static_cast<std::size_t>(pixels.width) * 3;
  for (int y = 0; y < pixels.height; ++y)
    std::copy_n(pixels.rgb.data() + row * static_cast<std::size_t>(pixels.height - 1 - y), row,
                image->data(0, static_cast<unsigned>(y)));
  osgDB::ReaderWriter* const writer =
      osgDB::Registry::instance()->getReaderWriterForExtension("png");
  std::ostringstream bytes;
  if (writer == nullptr || !writer->writeImage(*image, bytes).success())
    throw std::runtime_error("The picture cannot be made: OpenSceneGraph's PNG plugin fails.");
  return std::move(bytes).str();
}

}  // namespace knuckleboom::view
