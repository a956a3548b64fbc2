// Screenshots.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace knuckleboom::view {

// Rows from the top, three bytes per pixel.
struct Pixels {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

// Reads the current context's back buffer, before it is swapped.
Pixels read_pixels(int width, int height);

// The bytes of a PNG file. Throws std::runtime_error with one sentence.
std::string png_of(const Pixels& pixels);

}  // namespace knuckleboom::view
