#include "support/forge.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "recording/journal_blocks.hpp"
#include "recording/session_guard.hpp"

namespace knuckleboom::test {
namespace {

constexpr std::size_t kHead = 32;

// Counts and ticks, and the bits of numbers that are none.
const std::uint64_t kOddNumbers[] = {
    0,
    1,
    2,
    3,
    255,
    4097,
    std::uint64_t{1} << 31,
    std::uint64_t{1} << 32,
    std::uint64_t{1} << 53,
    std::uint64_t{1} << 62,
    std::numeric_limits<std::int64_t>::max(),
    ~std::uint64_t{0},
    ~std::uint64_t{0} - 1,
    std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN()),
    std::bit_cast<std::uint64_t>(std::numeric_limits<double>::infinity()),
    std::bit_cast<std::uint64_t>(1e300),
    std::bit_cast<std::uint64_t>(-1.0),
    std::bit_cast<std::uint64_t>(1.0000001),
};

}  // namespace

std::string content_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void put_content(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

std::vector<Block> blocks_of(const std::string& content) {
  std::vector<Block> blocks;
  for (std::size_t at = 0; at + kHead <= content.size();) {
    Block& block = blocks.emplace_back();
    std::uint64_t size = 0;
    std::memcpy(&block.kind, content.data() + at + 4, sizeof block.kind);
    std::memcpy(&size, content.data() + at + 8, sizeof size);
    block.payload = content.substr(at + kHead, static_cast<std::size_t>(size));
    at += kHead + static_cast<std::size_t>(size);
  }
  return blocks;
}

std::string sealed(const std::vector<Block>& blocks) {
  std::string content;
  std::uint64_t number = 0;
  for (const Block& block : blocks)
    content += io::journal_block(block.kind, number++, block.payload);
  return content;
}

void seal_session(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  const std::string block = io::to_text(io::guard_of(descriptor, file.string()));
  const bool written =
      ::pwrite(descriptor, block.data(), block.size(), 0) == static_cast<ssize_t>(block.size());
  ::close(descriptor);
  if (!written) throw std::runtime_error("cannot seal " + file.string());
}

std::size_t Forger::below(std::size_t end) {
  return end == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
}

std::string Forger::spoil_number(std::string& bytes, std::size_t begin, std::size_t end) {
  const std::uint64_t number = kOddNumbers[below(std::size(kOddNumbers))];
  if (end - begin < sizeof number) return "nothing";
  const std::size_t at = begin + below(end - begin - sizeof number + 1);
  std::memcpy(bytes.data() + at, &number, sizeof number);
  return fmt::format("{:#x} at {}", number, at);
}

std::string Forger::forge(std::vector<Block>& blocks, std::uint32_t first_kind,
                          std::uint32_t last_kind) {
  const std::size_t one = below(blocks.size()), other = below(blocks.size());
  Block& block = blocks[one];
  std::string& payload = block.payload;
  const std::string where = fmt::format("block {} of kind {}", one, block.kind);
  switch (below(12)) {
    case 0:
      blocks.erase(blocks.begin() + static_cast<std::ptrdiff_t>(one));
      return where + " left out";
    case 1:
      blocks.insert(blocks.begin() + static_cast<std::ptrdiff_t>(other), Block(block));
      return where + " doubled";
    case 2:
      std::swap(blocks[one], blocks[other]);
      return where + " exchanged";
    case 3:
      block.kind = first_kind + static_cast<std::uint32_t>(below(last_kind + 2 - first_kind));
      return where + " of another kind";
    case 4:
      payload.resize(below(payload.size()));
      return where + " cut";
    case 5:
      payload.append(1 + below(64), static_cast<char>(below(256)));
      return where + " longer";
    case 6:
      payload.clear();
      return where + " empty";
    case 7:
      std::fill(
          payload.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(8, payload.size())),
          payload.end(), '\0');
      return where + " zeros behind its tick";
    case 8:
      if (!payload.empty()) payload[below(payload.size())] ^= static_cast<char>(1 << below(8));
      return where + " a bit";
    case 9:
      // The last block says how it ended.
      return "end mark " + spoil_number(blocks.back().payload, 0, blocks.back().payload.size());
    case 10:
      // Where most numbers stand: at its beginning.
      return where + " " + spoil_number(payload, 0, std::min<std::size_t>(payload.size(), 24));
    default:
      return where + " " + spoil_number(payload, 0, payload.size());
  }
}

}  // namespace knuckleboom::test
