#include "journal_blocks.hpp"

#include <cerrno>
#include <system_error>

#include <fmt/format.h>
#include <xxhash.h>

#include "bytes.hpp"

namespace knuckleboom::io {
namespace {

constexpr std::size_t kBeforeChecksum = 24;
constexpr std::size_t kStreamBuffer = std::size_t{1} << 18;
constexpr std::size_t kHead = kBeforeChecksum + 8;

std::uint64_t checksum(std::string_view head, std::string_view payload) {
  return XXH3_64bits_withSeed(payload.data(), payload.size(),
                              XXH3_64bits(head.data(), kBeforeChecksum));
}

}  // namespace

std::string journal_block(std::uint32_t kind, std::uint64_t sequence, std::string_view payload) {
  std::string block(kJournalMagic);
  block.reserve(kHead + payload.size());
  put(block, kind);
  put(block, static_cast<std::uint64_t>(payload.size()));
  put(block, sequence);
  put(block, checksum(block, payload));
  block.append(payload);
  return block;
}

JournalReader::JournalReader(const std::filesystem::path& path, std::string_view wanted)
    : file_(nullptr, &std::fclose) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    throw FileError(path.string(), fmt::format("this is not a regular file; expected {}", wanted));
  file_.reset(std::fopen(path.c_str(), "rbe"));
  if (!file_ && errno == ENOENT)
    throw FileError(path.string(), fmt::format("there is no such file; expected {}", wanted));
  if (!file_)
    throw FileError(path.string(),
                    fmt::format("cannot be read: {}", std::generic_category().message(errno)));
}

JournalReader::JournalReader(int descriptor) : file_(::fdopen(descriptor, "rb"), &std::fclose) {
  if (!file_) throw std::system_error(errno, std::generic_category());
  std::setvbuf(file_.get(), nullptr, _IOFBF, kStreamBuffer);
}

bool JournalReader::next(std::uint32_t& kind, std::string& payload) {
  std::string head(kHead, '\0');
  const std::size_t got = std::fread(head.data(), 1, kHead, file_.get());
  ends_whole_ = got == 0 && std::feof(file_.get()) != 0;
  if (got != kHead) return false;
  ByteReader reader(head);
  const bool magic = reader.take_bytes(kJournalMagic.size()) == kJournalMagic;
  kind = reader.take<std::uint32_t>();
  const auto size = reader.take<std::uint64_t>();
  const auto sequence = reader.take<std::uint64_t>();
  if (!magic || sequence != expected_ || size > kMostBlock) return false;
  payload.resize(static_cast<std::size_t>(size));
  if (std::fread(payload.data(), 1, payload.size(), file_.get()) != payload.size()) return false;
  ++expected_;
  if (reader.take<std::uint64_t>() != checksum(head, payload)) return false;
  sound_bytes_ += kHead + size;
  return true;
}

void scan_journal(const std::filesystem::path& path,
                  const std::function<bool(JournalKind, std::string_view)>& use) {
  JournalReader reader(path, "a recording of a session");
  std::string payload;
  for (std::uint32_t kind = 0; reader.next(kind, payload);)
    if (!use(static_cast<JournalKind>(kind), payload)) return;
}

}  // namespace knuckleboom::io
