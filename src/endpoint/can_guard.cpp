#include "endpoint/can_guard.hpp"

#include <algorithm>

#include "endpoint/sodium.hpp"

namespace knuckleboom::endpoint {
namespace {

constexpr std::int64_t kAskNs = 100'000'000;
constexpr std::int64_t kNonceNs = 500'000'000;  // so long an unanswered challenge holds
constexpr int kCounterBytes = 2, kHashBytes = 6, kNonceBytes = 7;
constexpr std::size_t kMostFrames = 64;
constexpr std::size_t kFrameBytes = 13;  // id, length, data

using Hash = std::array<std::uint8_t, 8>;

Hash hash_of(const std::array<std::uint8_t, 16>& key, std::uint64_t counter,
             std::span<const CanFrame> round) {
  std::array<std::uint8_t, 8 + kFrameBytes * kMostFrames> bytes{};
  std::size_t size = 0;
  const auto put = [&bytes, &size](std::uint64_t value, int width) {
    for (int i = 0; i < width; ++i)
      bytes[size++] = static_cast<std::uint8_t>(value >> (8 * i) & 0xFFU);
  };
  put(counter, 8);
  for (const CanFrame& frame : round.first(std::min(round.size(), kMostFrames))) {
    put(frame.id, 4);
    put(static_cast<std::uint64_t>(frame.length), 1);
    std::copy_n(frame.data, 8, bytes.begin() + static_cast<std::ptrdiff_t>(size));
    size += 8;
  }
  Hash hash{};
  crypto_shorthash(hash.data(), bytes.data(), size, key.data());
  return hash;
}

}  // namespace

CanGuard::CanGuard(const WireKey& key, std::uint32_t id, bool first)
    : wire_(key), first_(first), own_id_(first ? id : id + 1), other_id_(first ? id + 1 : id) {
  start_sodium();
}

CanGuard::Key CanGuard::key_of(bool of_first, const Nonce& nonce) const {
  std::array<std::uint8_t, 1 + kNonceBytes> purpose{};
  purpose[0] = of_first ? 'm' : 'p';
  std::ranges::copy(nonce, purpose.begin() + 1);
  Key out{};
  crypto_generichash(out.data(), out.size(), purpose.data(), purpose.size(), wire_.bytes.data(),
                     wire_.bytes.size());
  return out;
}

CanFrame CanGuard::seal(std::span<const CanFrame> round) {
  CanFrame out;
  out.id = own_id_;
  if (!was_asked_) return out;
  const Hash hash = hash_of(sealing_, counter_, round);
  out.length = kCounterBytes + kHashBytes;
  out.data[0] = static_cast<std::uint8_t>(counter_ & 0xFFU);
  out.data[1] = static_cast<std::uint8_t>(counter_ >> 8 & 0xFFU);
  std::copy_n(hash.begin(), kHashBytes, out.data + kCounterBytes);
  ++counter_;
  return out;
}

bool CanGuard::must_ask(std::int64_t now_ns) {
  if (heard_ && now_ns - heard_ns_ < kAskNs) return false;
  if (drawn_ns_ != 0 && now_ns - asked_ns_ < kAskNs) return false;
  if (drawn_ns_ == 0 || newest_ > 0 || now_ns - drawn_ns_ >= kNonceNs) {
    randombytes_buf(nonce_.data(), nonce_.size());
    opening_ = key_of(!first_, nonce_);
    drawn_ns_ = std::max<std::int64_t>(now_ns, 1);
    newest_ = 0;
  }
  asked_ns_ = now_ns;
  return true;
}

CanFrame CanGuard::challenge() const {
  CanFrame out;
  out.id = own_id_;
  out.length = kNonceBytes;
  std::ranges::copy(nonce_, out.data);
  return out;
}

CanGuard::Heard CanGuard::hear(const CanFrame& guard, std::span<const CanFrame> round,
                               std::int64_t now_ns) {
  if (guard.length == kNonceBytes) {
    Nonce nonce{};
    std::copy_n(guard.data, kNonceBytes, nonce.begin());
    if (!was_asked_ || nonce != asked_) {
      asked_ = nonce;
      sealing_ = key_of(first_, nonce);
      counter_ = 0;
      was_asked_ = true;
    }
    return Heard::kChallenge;
  }
  if (guard.length != kCounterBytes + kHashBytes || drawn_ns_ == 0) return Heard::kForged;
  // The next counter with these lower bits; `newest_` is the smallest that may come.
  const std::uint64_t low = guard.data[0] | static_cast<std::uint64_t>(guard.data[1]) << 8;
  std::uint64_t counter = (newest_ & ~std::uint64_t{0xFFFF}) | low;
  if (counter < newest_) counter += 0x10000;
  const Hash hash = hash_of(opening_, counter, round);
  if (sodium_memcmp(hash.data(), guard.data + kCounterBytes, kHashBytes) != 0) {
    if (counter < 0x10000) return Heard::kForged;
    const Hash before = hash_of(opening_, counter - 0x10000, round);
    return sodium_memcmp(before.data(), guard.data + kCounterBytes, kHashBytes) == 0
               ? Heard::kFormer
               : Heard::kForged;
  }
  newest_ = counter + 1;
  heard_ = true;
  heard_ns_ = now_ns;
  return Heard::kGood;
}

}  // namespace knuckleboom::endpoint
