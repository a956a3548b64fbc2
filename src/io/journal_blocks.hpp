// A journal: blocks one after the other, each with a checksum over itself. What follows the first block
// that is not whole does not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "knuckleboom/io/session_journal.hpp"

namespace knuckleboom::io {

inline constexpr std::string_view kJournalMagic = "KBJ1";  // begins every block
inline constexpr std::size_t kMostBlock = std::size_t{64} << 20;

std::string journal_block(JournalKind kind, std::uint64_t sequence, std::string_view payload);

// Calls use(kind, payload) for each sound block, in order, until it returns false. Throws FileError for
// a file that cannot be read.
void scan_journal(const std::filesystem::path& path,
                  const std::function<bool(JournalKind, std::string_view)>& use);

}  // namespace knuckleboom::io
