// The block of text before HDF5's part of a session file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "knuckleboom/recording/session_file.hpp"
#include "knuckleboom/recording/session_signatures.hpp"

namespace knuckleboom::io {

// HDF5 leaves it alone; it names the format and guards everything behind it, so that no damaged byte
// gets as far as the library.
inline constexpr std::size_t kGuardBytes = kSessionContentBegin;
inline constexpr std::string_view kSessionFirstLine = "knuckleboom session ";  // its beginning
struct Guard {
  std::uint64_t bytes = 0;  // behind it
  std::string hash;         // XXH3-128 of them, 32 digits
  SessionSignatures signatures;
};
std::string to_text(const Guard& guard);  // kGuardBytes long
// Throws FileError with one sentence for anything else than a sound file of this format.
Guard guard_of(const std::string& block, const std::string& shown);
Guard guard_of(int descriptor, const std::string& shown);  // computed from the content
Guard guard_in(int descriptor, const std::string& shown);  // the block of an open session file

}  // namespace knuckleboom::io
