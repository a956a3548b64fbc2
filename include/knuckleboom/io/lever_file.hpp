// Lever files: docs/reference/lever_file.md.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/core/command/lever_pattern.hpp"
#include "knuckleboom/io/content_hash.hpp"
#include "knuckleboom/io/diagnostic.hpp"
#include "knuckleboom/io/override.hpp"

namespace knuckleboom::io {

struct LeverFile {
  command::LeverPattern pattern;
  ContentHash hash;
  std::vector<Diagnostic> remarks;  // numbers beyond what is usual
};

// Throws FileError with all that is wrong in the file.
LeverFile read_levers(const std::filesystem::path& path, std::span<const Override> overrides = {});
// unknown: not null: keys that are not known are left out and listed there; they are errors otherwise.
LeverFile read_levers_text(std::string_view text, const std::string& file_name,
                           std::span<const Override> overrides = {},
                           std::vector<Diagnostic>* unknown = nullptr);

}  // namespace knuckleboom::io
