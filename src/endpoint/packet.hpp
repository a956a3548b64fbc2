// Signals as one datagram; docs/reference/endpoints.md has it byte by byte. Numbers are little endian.
//
//   0  magic "KBSG"      16  time stamp, sender's clock [ns], signed
//   4  version, 16 bit   24  values, IEEE 754 doubles
//   6  count, 16 bit      …  XXH3-64 of all before, seeded with the key both sides know
//   8  stream, 32 bit
//  12  sequence, 32 bit, wraps around
//
// The checksum with its key rejects accidents and foreign programs; it is not a cryptographic
// signature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "knuckleboom/core/exchange/exchange.hpp"

namespace knuckleboom::endpoint {

inline constexpr std::uint16_t kPacketVersion = 1;
inline constexpr int kMaxValues = exchange::kMaxSignals;
inline constexpr std::size_t kPacketHeader = 24;
inline constexpr std::size_t kMaxPacket = kPacketHeader + 8 * kMaxValues + 8;  // bytes

struct Packet {
  std::uint32_t stream;  // of one run of the sender: a new run starts a new sequence
  std::uint32_t sequence;
  std::int64_t stamp_ns;
  std::int64_t count;
  double value[kMaxValues];
};

enum class Refusal : std::int32_t {
  kNone,
  kAddress,  // not the configured sender
  kLength,   // too short, too long or inconsistent with its count
  kMagic,
  kVersion,
  kCount,  // not as many values as agreed
  kChecksum,
};
inline constexpr int kRefusals = 7;
std::string_view to_string(Refusal refusal);

// Number of bytes used of `bytes`, which has at least kMaxPacket.
std::size_t encode(const Packet& packet, std::uint64_t key, std::span<std::byte> bytes);

// Accepts any bytes. On a refusal the packet is unchanged. Values may be any double.
Refusal decode(std::span<const std::byte> bytes, std::uint64_t key, Packet& packet);

}  // namespace knuckleboom::endpoint
