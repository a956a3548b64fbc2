#include "endpoint/packet.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <xxhash.h>

namespace knuckleboom::endpoint {
namespace {

// As four bytes in this order.
constexpr std::uint32_t kMagic = 'K' | 'B' << 8 | 'S' << 16 | 'G' << 24;

template <class T>
void put(std::span<std::byte> bytes, std::size_t at, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i)
    bytes[at + i] = static_cast<std::byte>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFFU);
}

template <class T>
T get(std::span<const std::byte> bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * i);
  return static_cast<T>(value);
}

std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t key) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), key);
}

}  // namespace

std::string_view to_string(Refusal refusal) {
  constexpr std::string_view kWords[kRefusals] = {"none",    "address", "length",  "magic",
                                                  "version", "count",   "checksum"};
  return kWords[static_cast<int>(refusal)];
}

std::size_t encode(const Packet& packet, std::uint64_t key, std::span<std::byte> bytes) {
  const auto count =
      static_cast<std::size_t>(std::clamp<std::int64_t>(packet.count, 0, kMaxValues));
  put(bytes, 0, kMagic);
  put(bytes, 4, kPacketVersion);
  put(bytes, 6, static_cast<std::uint16_t>(count));
  put(bytes, 8, packet.stream);
  put(bytes, 12, packet.sequence);
  put(bytes, 16, packet.stamp_ns);
  for (std::size_t i = 0; i < count; ++i)
    put(bytes, kPacketHeader + 8 * i, std::bit_cast<std::uint64_t>(packet.value[i]));
  const std::size_t end = kPacketHeader + 8 * count;
  put(bytes, end, checksum(bytes.first(end), key));
  return end + 8;
}

Refusal decode(std::span<const std::byte> bytes, std::uint64_t key, Packet& packet) {
  if (bytes.size() < kPacketHeader + 8 || bytes.size() > kMaxPacket) return Refusal::kLength;
  if (get<std::uint32_t>(bytes, 0) != kMagic) return Refusal::kMagic;
  if (get<std::uint16_t>(bytes, 4) != kPacketVersion) return Refusal::kVersion;
  const std::size_t count = get<std::uint16_t>(bytes, 6);
  const std::size_t end = kPacketHeader + 8 * count;
  if (bytes.size() != end + 8) return Refusal::kLength;
  if (get<std::uint64_t>(bytes, end) != checksum(bytes.first(end), key)) return Refusal::kChecksum;
  packet.stream = get<std::uint32_t>(bytes, 8);
  packet.sequence = get<std::uint32_t>(bytes, 12);
  packet.stamp_ns = get<std::int64_t>(bytes, 16);
  packet.count = static_cast<std::int64_t>(count);
  for (std::size_t i = 0; i < count; ++i)
    packet.value[i] = std::bit_cast<double>(get<std::uint64_t>(bytes, kPacketHeader + 8 * i));
  return Refusal::kNone;
}

}  // namespace knuckleboom::endpoint
