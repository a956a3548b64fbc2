// The packet's layout byte by byte, and that nothing but a whole packet is taken for one.
#include "endpoint/packet.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include <gtest/gtest.h>
#include <sodium.h>

#include "knuckleboom/core/math/hash.hpp"
#include "support/wire_keys.hpp"

namespace knuckleboom::endpoint {
namespace {

using test::key_of;

Packet two_values() {
  Packet packet{};
  packet.session = 0x0102030405060708;
  packet.sequence = 0xFFFFFFFE;
  packet.answer = 0x1112131415161718;
  packet.stamp_ns = -2;
  packet.count = 2;
  packet.value[0] = 1.0;
  packet.value[1] = -0.5;
  return packet;
}

std::vector<std::byte> bytes_of(const Packet& packet, const WireKey& key) {
  std::array<std::byte, kMaxPacket> buffer{};
  const std::size_t size = encode(packet, key, buffer);
  return {buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(size)};
}

TEST(Packet, HasTheLayoutOfItsPage) {
  const std::vector<std::byte> bytes = bytes_of(two_values(), key_of(7));
  const std::vector<unsigned> head = {
      'K',  'B',  'S',  'G',  2,    0,    2,    0,     // magic, version, kind, count
      8,    7,    6,    5,    4,    3,    2,    1,     // session
      0xFE, 0xFF, 0xFF, 0xFF, 0,    0,    0,    0,     // sequence
      0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,  // stamp
      0x18, 0x17, 0x16, 0x15, 0x14, 0x13, 0x12, 0x11,  // answer
      0,    0,    0,    0,    0,    0,    0xF0, 0x3F, 0, 0, 0, 0, 0, 0, 0xE0, 0xBF};  // 1, -0.5
  ASSERT_EQ(bytes.size(), head.size() + 16);
  for (std::size_t i = 0; i < head.size(); ++i)
    EXPECT_EQ(std::to_integer<unsigned>(bytes[i]), head[i]) << i;
  const auto tag_is = [&head](std::span<const std::byte> packet, std::size_t key_size) {
    const WireKey key = key_of(7);
    std::array<unsigned char, 16> tag{};
    crypto_generichash(tag.data(), 16, reinterpret_cast<const unsigned char*>(packet.data()),
                       head.size(), key.bytes.data(), key_size);
    return std::memcmp(tag.data(), packet.data() + head.size(), 16) == 0;
  };
  EXPECT_TRUE(tag_is(bytes, 32));
  EXPECT_TRUE(tag_is(bytes_of(two_values(), {}), 0));
}

TEST(Packet, ComesBackBitByBit) {
  Packet packet = two_values();
  packet.count = kMaxValues;
  for (int i = 0; i < kMaxValues; ++i) packet.value[i] = gaussian(static_cast<std::uint64_t>(i));
  packet.value[3] = std::nan("");
  packet.value[4] = -std::numeric_limits<double>::infinity();
  packet.value[5] = -0.0;
  Packet back{};
  ASSERT_EQ(decode(bytes_of(packet, key_of(1)), key_of(1), back), Refusal::kNone);
  EXPECT_EQ(std::memcmp(&packet, &back, sizeof packet), 0);
}

TEST(Packet, IsRefusedWithAnyBitTurned) {
  const std::vector<std::byte> bytes = bytes_of(two_values(), key_of(7));
  for (std::size_t i = 0; i < bytes.size() * 8; ++i) {
    std::vector<std::byte> bent = bytes;
    bent[i / 8] ^= static_cast<std::byte>(1U << i % 8);
    Packet back{};
    back.count = -5;
    ASSERT_NE(decode(bent, key_of(7), back), Refusal::kNone) << i;
    ASSERT_EQ(back.count, -5);
  }
}

TEST(Packet, SaysWhyItIsRefused) {
  const std::vector<std::byte> bytes = bytes_of(two_values(), key_of(7));
  const auto refusal = [](std::vector<std::byte> b, const WireKey& key = key_of(7)) {
    Packet back{};
    return decode(b, key, back);
  };
  const auto changed = [&bytes](std::size_t at, int value) {
    std::vector<std::byte> b = bytes;
    b[at] = static_cast<std::byte>(value);
    return b;
  };
  EXPECT_EQ(refusal(bytes), Refusal::kNone);
  EXPECT_EQ(refusal(bytes, key_of(8)), Refusal::kTag);
  EXPECT_EQ(refusal(changed(0, 'X')), Refusal::kMagic);
  EXPECT_EQ(refusal(bytes, {}), Refusal::kTag);
  EXPECT_EQ(refusal(bytes_of(two_values(), {})), Refusal::kTag);
  EXPECT_EQ(refusal(changed(4, 1)), Refusal::kVersion);
  EXPECT_EQ(refusal(changed(5, 2)), Refusal::kVersion);
  EXPECT_EQ(refusal(changed(5, 1)), Refusal::kTag);
  EXPECT_EQ(refusal(changed(6, 3)), Refusal::kLength);
  EXPECT_EQ(refusal(changed(7, 255)), Refusal::kLength);
  EXPECT_EQ(refusal({}), Refusal::kLength);
  EXPECT_EQ(refusal(std::vector<std::byte>(100000)), Refusal::kLength);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(refusal({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}),
              Refusal::kNone);
}

}  // namespace
}  // namespace knuckleboom::endpoint
