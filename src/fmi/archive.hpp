// FMUs as archives: a zip with a description, binaries and resources.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "knuckleboom/io/named_text.hpp"

namespace knuckleboom::fmi {

// Equal entries make equal bytes. Written in full or not at all. Throws FileError.
void write_archive(const std::filesystem::path& path, const std::vector<io::NamedText>& entries);

// An entry of at most so many bytes; nothing: it is no archive, or has no such entry.
std::optional<std::string> entry_of(const std::filesystem::path& path, const std::string& name,
                                    std::size_t limit);

struct Extracted {
  std::string hash;                // of the file, XXH3-128
  std::vector<std::string> names;  // of all entries that are files
};

// Unpacks a foreign archive below a folder, piece by piece: those entries that are wanted. Throws FileError for no
// archive, names that lead out of the folder or are there twice, and more than an FMU can sensibly have.
Extracted extract_archive(const std::filesystem::path& path, const std::filesystem::path& folder,
                          const std::function<bool(std::string_view name)>& wanted);

}  // namespace knuckleboom::fmi
