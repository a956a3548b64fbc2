#include "endpoint/packet.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include <sodium.h>

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

using Tag = std::array<std::byte, kPacketTag>;

Tag tag_of(std::span<const std::byte> bytes, const WireKey& key) {
  Tag tag{};
  crypto_generichash(reinterpret_cast<unsigned char*>(tag.data()), tag.size(),
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
                     key.given ? key.bytes.data() : nullptr, key.given ? key.bytes.size() : 0);
  return tag;
}

}  // namespace

std::string_view to_string(Refusal refusal) {
  constexpr std::string_view kWords[kRefusals] = {"none",    "length", "magic",
                                                  "version", "count",  "tag"};
  return kWords[static_cast<int>(refusal)];
}

std::size_t encode(const Packet& packet, const WireKey& key, std::span<std::byte> bytes) {
  const auto count =
      static_cast<std::size_t>(std::clamp<std::int64_t>(packet.count, 0, kMaxValues));
  put(bytes, 0, kMagic);
  put(bytes, 4, kPacketVersion);
  put(bytes, 5, static_cast<std::uint8_t>(packet.kind));
  put(bytes, 6, static_cast<std::uint16_t>(count));
  put(bytes, 8, packet.session);
  put(bytes, 16, packet.sequence);
  put(bytes, 24, packet.stamp_ns);
  put(bytes, 32, packet.answer);
  for (std::size_t i = 0; i < count; ++i)
    put(bytes, kPacketHeader + 8 * i, std::bit_cast<std::uint64_t>(packet.value[i]));
  const std::size_t end = kPacketHeader + 8 * count;
  std::ranges::copy(tag_of(bytes.first(end), key),
                    bytes.begin() + static_cast<std::ptrdiff_t>(end));
  return end + kPacketTag;
}

Refusal decode(std::span<const std::byte> bytes, const WireKey& key, Packet& packet) {
  if (bytes.size() < kPacketHeader + kPacketTag || bytes.size() > kMaxPacket)
    return Refusal::kLength;
  if (get<std::uint32_t>(bytes, 0) != kMagic) return Refusal::kMagic;
  const auto kind = get<std::uint8_t>(bytes, 5);
  if (get<std::uint8_t>(bytes, 4) != kPacketVersion || kind > 1) return Refusal::kVersion;
  const std::size_t count = get<std::uint16_t>(bytes, 6);
  const std::size_t end = kPacketHeader + 8 * count;
  if (bytes.size() != end + kPacketTag) return Refusal::kLength;
  const Tag tag = tag_of(bytes.first(end), key);
  if (sodium_memcmp(tag.data(), bytes.data() + end, tag.size()) != 0) return Refusal::kTag;
  packet.kind = static_cast<PacketKind>(kind);
  packet.session = get<std::uint64_t>(bytes, 8);
  packet.sequence = get<std::uint64_t>(bytes, 16);
  packet.stamp_ns = get<std::int64_t>(bytes, 24);
  packet.answer = get<std::uint64_t>(bytes, 32);
  packet.count = static_cast<std::int64_t>(count);
  for (std::size_t i = 0; i < count; ++i)
    packet.value[i] = std::bit_cast<double>(get<std::uint64_t>(bytes, kPacketHeader + 8 * i));
  return Refusal::kNone;
}

}  // namespace knuckleboom::endpoint
