// Lever files: docs/reference/lever_file.md.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
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

// Start commands of one joint, towards larger and smaller positions [V], or of the grapple, towards open and closed.
struct LeverStart {
  std::string joint;  // empty: the grapple
  std::array<double, 2> start_V;
};

// The text of a lever file with these `start_V`; all else, comments too, stays. Throws FileError if it
// cannot be done, such as in a file that writes its functions as inline tables.
std::string with_starts(std::string_view text, const std::string& file_name,
                        std::span<const LeverStart> starts);

// An operator's own settings of one function.
struct LeverChange {
  std::size_t function = 0;  // its number in the file, from 0
  std::optional<double> dead_zone, exponent;
  std::optional<double> start_V;               // both ways; joints and the grapple only
  double gain_times = 1.0, ramps_times = 1.0;  // of what the file says

  bool any() const {
    return dead_zone || exponent || start_V || gain_times != 1.0 || ramps_times != 1.0;
  }
};

command::LeverFunction with_change(command::LeverFunction function, const LeverChange& change);

// The text of a lever file with these changes; all else stays. Throws FileError if it cannot be done.
std::string with_changes(std::string_view text, const std::string& file_name,
                         std::span<const LeverChange> changes);

}  // namespace knuckleboom::io
