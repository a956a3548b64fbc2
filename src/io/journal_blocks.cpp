#include "journal_blocks.hpp"

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include <fmt/format.h>
#include <xxhash.h>

#include "bytes.hpp"

namespace knuckleboom::io {
namespace {

constexpr std::size_t kBeforeChecksum = 24;
constexpr std::size_t kHead = kBeforeChecksum + 8;

std::uint64_t checksum(std::string_view head, std::string_view payload) {
  return XXH3_64bits_withSeed(payload.data(), payload.size(),
                              XXH3_64bits(head.data(), kBeforeChecksum));
}

}  // namespace

std::string journal_block(JournalKind kind, std::uint64_t sequence, std::string_view payload) {
  std::string block(kJournalMagic);
  block.reserve(kHead + payload.size());
  put(block, static_cast<std::uint32_t>(kind));
  put(block, static_cast<std::uint64_t>(payload.size()));
  put(block, sequence);
  put(block, checksum(block, payload));
  block.append(payload);
  return block;
}

void scan_journal(const std::filesystem::path& path,
                  const std::function<bool(JournalKind, std::string_view)>& use) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    throw FileError(path.string(), "this is not a regular file; expected a recording of a session");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             &std::fclose);
  if (!file)
    throw FileError(path.string(),
                    fmt::format("cannot be read: {}", std::generic_category().message(errno)));
  std::string head(kHead, '\0'), payload;
  for (std::uint64_t expected = 0;; ++expected) {
    if (std::fread(head.data(), 1, kHead, file.get()) != kHead) return;
    ByteReader reader(head);
    const bool magic = reader.take_bytes(kJournalMagic.size()) == kJournalMagic;
    const auto kind = reader.take<std::uint32_t>();
    const auto size = reader.take<std::uint64_t>();
    const auto sequence = reader.take<std::uint64_t>();
    if (!magic || sequence != expected || size > kMostBlock) return;
    payload.resize(static_cast<std::size_t>(size));
    if (std::fread(payload.data(), 1, payload.size(), file.get()) != payload.size()) return;
    if (reader.take<std::uint64_t>() != checksum(head, payload)) return;
    if (!use(static_cast<JournalKind>(kind), payload)) return;
  }
}

}  // namespace knuckleboom::io
