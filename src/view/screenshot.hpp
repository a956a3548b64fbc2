// Pictures of what was drawn.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace knuckleboom::view {

// Rows from above, three bytes a pixel.
struct Pixels {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;
};

// Of the current context's back buffer, before it is swapped.
Pixels read_pixels(int width, int height);

// Throws std::runtime_error with one sentence if the file cannot be written.
void write_png(const Pixels& pixels, const std::filesystem::path& file);

}  // namespace knuckleboom::view
