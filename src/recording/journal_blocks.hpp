// A journal: a sequence of blocks, each with its own checksum. Everything after the first incomplete
// block is ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "knuckleboom/recording/session_journal.hpp"

namespace knuckleboom::io {

inline constexpr std::string_view kJournalMagic = "KBJ1";  // begins every block
inline constexpr std::size_t kMostBlock = std::size_t{64} << 20;

// kind: each sort of journal has numbers of its own.
std::string journal_block(std::uint32_t kind, std::uint64_t sequence, std::string_view payload);
template <class Kind>
requires std::is_enum_v<Kind> std::string journal_block(Kind kind, std::uint64_t sequence,
                                                        std::string_view payload) {
  return journal_block(static_cast<std::uint32_t>(kind), sequence, payload);
}

// Blocks in memory, for whoever writes them.
class BlockBuffer {
 public:
  // Whole blocks since the last clear(); what is still being gathered is not among them.
  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }
  std::string take() { return std::exchange(bytes_, {}); }
  std::uint64_t next() const { return sequence_; }  // number of the next block

  void block(auto kind, std::string_view payload) {
    bytes_ += journal_block(kind, sequence_++, payload);
  }
  // A block of what has been gathered, if that is anything.
  void close(auto kind, std::string& gathered) {
    if (!gathered.empty()) block(kind, gathered);
    gathered.clear();
  }
  // The same once it is a large one.
  void close_if_large(auto kind, std::string& gathered) {
    if (gathered.size() >= kGathered) close(kind, gathered);
  }

 private:
  static constexpr std::size_t kGathered = std::size_t{64} << 10;

  std::uint64_t sequence_ = 0;
  std::string bytes_;
};

// Blocks that only the process that reads a session file sends: docs/reference/session_file.md.
enum class StreamBlock : std::uint32_t {
  kExtent = 201,  // after the header: whether it is complete, and its end mark
  kDone,          // the last of a file: one sentence, or nothing
  kHello,         // the very first: the reader's version; one sentence, or nothing
  kTable,         // of a table: its kind, remarks
  kArray,         // name, unit, shape and texts of one of its arrays
  kNumbers,       // some more of that array's numbers
};

// Gives the sound blocks of a file, in order.
class JournalReader {
 public:
  // wanted: "a recording of a session". Throws FileError for a file that cannot be read.
  JournalReader(const std::filesystem::path& path, std::string_view wanted);
  // Takes over a descriptor.
  explicit JournalReader(int descriptor);

  // False: there is no further sound block. `payload` is then of no use.
  bool next(std::uint32_t& kind, std::string& payload);
  // The next block is to be number 0 again.
  void restart() { expected_ = 0; }
  // After that: whether the file ends with its last sound block.
  bool ends_whole() const { return ends_whole_; }
  std::uint64_t sound_bytes() const { return sound_bytes_; }  // of the blocks so far

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  std::uint64_t expected_ = 0, sound_bytes_ = 0;
  bool ends_whole_ = false;
};

// Calls use(kind, payload) for each sound block of a session's journal until it returns false. Throws
// FileError for a file that cannot be read.
void scan_journal(const std::filesystem::path& path,
                  const std::function<bool(JournalKind, std::string_view)>& use);

}  // namespace knuckleboom::io
