// FMUs as archives: a zip with a description, binaries and resources.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "knuckleboom/io/named_text.hpp"

namespace knuckleboom::fmi {

// Equal entries make equal bytes. Written in full or not at all. Throws FileError.
void write_archive(const std::filesystem::path& path, const std::vector<io::NamedText>& entries);

// An entry of at most so many bytes; nothing: it is no archive, or has no such entry.
std::optional<std::string> entry_of(const std::filesystem::path& path, const std::string& name,
                                    std::size_t limit);

// Unpacks all of a foreign archive below a folder; returns the hash of the file (XXH3-128). Throws FileError for no
// archive, names that lead out of the folder, and more than an FMU can sensibly have.
std::string extract_archive(const std::filesystem::path& path, const std::filesystem::path& folder);

}  // namespace knuckleboom::fmi
