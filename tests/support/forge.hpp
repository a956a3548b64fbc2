// Recordings that no recorder has written, with checksums that are right.
#pragma once

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace knuckleboom::test {

std::string content_of(const std::filesystem::path& path);
void put_content(const std::filesystem::path& path, std::string_view content);

// A journal or a recording of an emulation as blocks, and back with checksums and numbers made anew.
struct Block {
  std::uint32_t kind = 0;
  std::string payload;
};
std::vector<Block> blocks_of(const std::string& content);
std::string sealed(const std::vector<Block>& blocks);

// Gives a session file the block of text that fits what stands behind it.
void seal_session(const std::filesystem::path& file);

// Changes a list of blocks as nobody changes it by accident: blocks left out, doubled, exchanged, of another
// kind; contents cut, longer, empty; numbers that are counts, sizes, ticks or values set to what they never
// are. Returns what was done.
class Forger {
 public:
  explicit Forger(std::uint32_t seed) : random_(seed) {}
  // kinds: the numbers that blocks of the sort have.
  std::string forge(std::vector<Block>& blocks, std::uint32_t first_kind, std::uint32_t last_kind);
  // Sets eight bytes to a number of a sort that is easily overlooked.
  std::string spoil_number(std::string& bytes, std::size_t begin, std::size_t end);
  std::size_t below(std::size_t end);

 private:
  std::mt19937 random_;
};

}  // namespace knuckleboom::test
