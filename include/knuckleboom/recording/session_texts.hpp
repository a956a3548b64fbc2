// The files a session is made from, as they are now.
#pragma once

#include <filesystem>
#include <vector>

#include "knuckleboom/io/override.hpp"
#include "knuckleboom/recording/session_file.hpp"

namespace knuckleboom::io {

// Fills in texts and hashes of a header. Throws FileError, also if a file changes meanwhile.
void read_session_texts(const std::filesystem::path& exercise, const std::filesystem::path& machine,
                        const std::filesystem::path& levers, SessionHeader& header);

// Overrides of the exercise by the variant that an exam has drawn; empty: none was. Throws FileError.
std::vector<Override> drawn_variant(const SessionHeader& header);

}  // namespace knuckleboom::io
