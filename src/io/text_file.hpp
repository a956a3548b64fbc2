// Reading a whole text file with clear refusals.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace knuckleboom::io {

inline constexpr std::size_t kConfigurationLimit = std::size_t{8} << 20;
inline constexpr std::size_t kTraceLimit = std::size_t{4} << 30;

// Throws FileError if the path is missing, unreadable, not a regular file, empty, binary or longer
// than limit bytes.
std::string read_text_file(const std::filesystem::path& path, std::size_t limit,
                           std::string_view what);

// The same, whatever is in the file, a piece of at most so many bytes at a time, until `take` returns false.
void read_pieces(const std::filesystem::path& path, std::size_t bytes, std::size_t limit,
                 std::string_view what, const std::function<bool(std::string_view piece)>& take);

// The same checks on a text that is in memory already.
void check_text(std::string_view text, const std::string& file, std::size_t limit,
                std::string_view what);

// Refuses a NUL byte. first_line: number of the first line of the text.
void check_no_nul(std::string_view text, std::size_t first_line, const std::string& file,
                  std::string_view what);

// True if a line of TOML is `key = ...` from its first column on.
bool sets_key(std::string_view line, std::string_view key);

}  // namespace knuckleboom::io
