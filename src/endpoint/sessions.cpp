#include "endpoint/sessions.hpp"

#include <cstring>

#include "endpoint/sodium.hpp"

namespace knuckleboom::endpoint {
namespace {

constexpr std::int64_t kSlotNs = 500'000'000;

}  // namespace

Sessions::Sessions(std::uint64_t own, std::int64_t late_ns) : own_(own), late_ns_(late_ns) {
  start_sodium();
  while (own_ == 0) randombytes_buf(&own_, sizeof own_);
  randombytes_buf(secret_.data(), secret_.size());
}

std::uint64_t Sessions::number(std::uint64_t session, std::int64_t slot) const {
  const std::array<std::uint64_t, 3> asked{session, answers_, static_cast<std::uint64_t>(slot)};
  std::array<std::uint8_t, 8> hash{};
  crypto_shorthash(hash.data(), reinterpret_cast<const unsigned char*>(asked.data()), sizeof asked,
                   secret_.data());
  std::uint64_t out = 0;
  std::memcpy(&out, hash.data(), sizeof out);
  return out;
}

bool Sessions::proved(const Packet& packet, std::int64_t now_ns) const {
  const std::int64_t slot = now_ns / kSlotNs;
  return packet.answer == number(packet.session, slot) ||
         packet.answer == number(packet.session, slot - 1);
}

Packet Sessions::challenge(std::uint64_t session, std::uint64_t sequence,
                           std::int64_t now_ns) const {
  Packet out;
  out.kind = PacketKind::kChallenge;
  out.session = session;
  out.sequence = sequence;
  out.stamp_ns = now_ns;
  out.answer = number(session, now_ns / kSlotNs);
  out.count = 0;
  return out;
}

Packet Sessions::next(std::int64_t now_ns) {
  Packet out;
  out.kind = PacketKind::kValues;
  out.session = own_;
  out.sequence = sequence_++;
  out.stamp_ns = now_ns;
  out.answer = answer_;
  return out;
}

// A challenge names the packet that caused it, which nobody could do before that packet was sent: a
// recorded one names an older packet.
Belief Sessions::hear_challenge(const Packet& packet, bool elsewhere) {
  if (packet.session != own_ || packet.sequence < asked_ || packet.sequence >= sequence_)
    return doubt(Belief::kStray, elsewhere);
  asked_ = packet.sequence + 1;
  answer_ = packet.answer;
  ++counters_.challenges;
  return Belief::kChallenge;
}

Belief Sessions::doubt(Belief belief, bool elsewhere) {
  if (!elsewhere) ++counters_.former;
  return belief;
}

Belief Sessions::adopt(const Packet& packet, std::int64_t now_ns) {
  const bool same = known_ && packet.session == theirs_;
  if (known_ && !same) ++counters_.restarts;
  known_ = true;
  theirs_ = packet.session;
  ++answers_;
  begin(arrivals_, packet.sequence, packet.stamp_ns, now_ns, same);
  heard_ns_ = now_ns;
  judge(arrivals_, packet.sequence, packet.stamp_ns, now_ns, late_ns_);
  counters_.arrivals = arrivals_.counters;
  return Belief::kNew;
}

Belief Sessions::hear(const Packet& packet, bool elsewhere, std::int64_t now_ns) {
  if (packet.kind == PacketKind::kChallenge) return hear_challenge(packet, elsewhere);
  if (packet.session == own_) return doubt(Belief::kStray, elsewhere);
  const bool alive = known_ && now_ns - heard_ns_ < kAliveNs;
  if (!known_ || packet.session != theirs_ || elsewhere) {
    if (alive) return doubt(Belief::kNotNow, elsewhere);
    const bool newer = !known_ || packet.session != theirs_ || packet.sequence > arrivals_.newest;
    if (newer && proved(packet, now_ns)) return adopt(packet, now_ns);
    return doubt(Belief::kUnproved, elsewhere);
  }
  const Arrival arrival = judge(arrivals_, packet.sequence, packet.stamp_ns, now_ns, late_ns_);
  ArrivalCounters& counters = arrivals_.counters;
  Belief belief = arrival == Arrival::kNew ? Belief::kNew : Belief::kOld;
  if (belief == Belief::kNew) heard_ns_ = now_ns;
  const bool all_late = arrival == Arrival::kLate && packet.sequence == arrivals_.newest && !alive;
  if (arrival == Arrival::kAhead || all_late) {
    belief = Belief::kUnproved;
    if (proved(packet, now_ns) && packet.sequence >= arrivals_.newest) {
      --(all_late ? counters.late : counters.ahead);
      belief = adopt(packet, now_ns);
    }
  }
  counters_.arrivals = counters;
  return belief;
}

}  // namespace knuckleboom::endpoint
