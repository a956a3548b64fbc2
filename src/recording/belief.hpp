// Checks of recordings of every kind, before their content is used.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace knuckleboom::io {

// Ticks at the end of a recording with losses of which nothing is there: no disk stands still for longer.
inline constexpr std::int64_t kLongestSilence = 3'600'000;
inline constexpr std::size_t kLongestId = 64, kLongestName = 200, kLongestText = 4096;  // bytes

// UTF-8 without control characters, of at most so many bytes.
bool is_plain_text(std::string_view text, std::size_t most);
// Such a text that may name an attribute or a table: HDF5 takes a '/' for a group and a '.' for this one.
bool is_link_name(std::string_view text);
// Letters, digits and '-'; not empty.
bool is_id(std::string_view text);
// "2026-11-28T06:40:12Z"
bool is_utc(std::string_view text);

}  // namespace knuckleboom::io
