// Signals as one datagram; docs/reference/endpoints.md has it byte by byte. Numbers are little endian.
//
//   0  magic "KBSG"         16  sequence, 64 bit
//   4  version              24  time stamp, sender's clock [ns], signed
//   5  kind                 32  answer, 64 bit
//   6  count, 16 bit        40  values, IEEE 754 doubles
//   8  session, 64 bit       …  BLAKE2b-128 of all before, keyed
//
// Without a key the last 16 bytes are a checksum against accidents: anybody can make it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "endpoint/key.hpp"
#include "knuckleboom/core/exchange/exchange.hpp"

namespace knuckleboom::endpoint {

inline constexpr std::uint8_t kPacketVersion = 2;
inline constexpr int kMaxValues = exchange::kMaxSignals;
inline constexpr std::size_t kPacketHeader = 40;
inline constexpr std::size_t kPacketTag = 16;
inline constexpr std::size_t kMaxPacket = kPacketHeader + 8 * kMaxValues + kPacketTag;  // bytes

enum class PacketKind : std::int64_t { kValues, kChallenge };

struct Packet {
  PacketKind kind;
  std::uint64_t session;   // of one run of the sender; of a challenge: whom it asks
  std::uint64_t sequence;  // of a challenge: of the packet that caused it
  std::int64_t stamp_ns;
  std::uint64_t answer;  // number of the newest challenge heard; of a challenge: its number
  std::int64_t count;
  double value[kMaxValues];
};

enum class Refusal : std::int32_t {
  kNone,
  kLength,  // too short, too long or inconsistent with its count
  kMagic,
  kVersion,  // or a kind that is not known
  kCount,    // not as many values as agreed
  kTag,      // another key, or not what the sender wrote
};
inline constexpr int kRefusals = 6;
std::string_view to_string(Refusal refusal);

// Number of bytes used of `bytes`, which has at least kMaxPacket.
std::size_t encode(const Packet& packet, const WireKey& key, std::span<std::byte> bytes);

// Accepts any bytes. On a refusal the packet is unchanged. Values may be any double.
Refusal decode(std::span<const std::byte> bytes, const WireKey& key, Packet& packet);

}  // namespace knuckleboom::endpoint
