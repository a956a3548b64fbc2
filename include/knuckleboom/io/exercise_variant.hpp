// Variants of an exercise, by the seeds of all that it has drawn at random.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/io/override.hpp"

namespace knuckleboom::io {

// The overrides that set these seeds. Empty: the exercise has nothing of the kind. Throw FileError.
std::vector<Override> variant_of(const std::filesystem::path& path, std::uint64_t seed);
std::vector<Override> variant_of_text(std::string_view text, const std::string& file_name,
                                      std::uint64_t seed);

}  // namespace knuckleboom::io
