// Screenshots.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace knuckleboom::view {

// Rows from the top, three bytes per pixel.
struct Pixels {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

// Reads the current context's back buffer, before it is swapped.
Pixels read_pixels(int width, int height);

// Throws std::runtime_error with a message if the file cannot be written.
void write_png(const Pixels& pixels, const std::filesystem::path& file);

}  // namespace knuckleboom::view
