// Whose packets are believed. Both ends draw a session number at their start. Packets of a session
// count once its sender has answered a challenge that only this end, in this moment, could have made:
// a recording of an earlier run cannot, a restarted sender can, from another port as well. Within the
// session Arrivals refuses what was heard before; a packet that is too far ahead, or a sender whose
// packets have all been late for a while, has to answer anew. Pure: one end of one connection.
//
// Challenges are numbers made by SipHash from a secret of this end, the asked session, the count of
// answers so far and the time in halves of a second: there is nothing to remember of those who were
// asked, so that a flood of them changes nothing, and an answer counts once, and for a second at most.
#pragma once

#include <array>
#include <cstdint>

#include "endpoint/arrivals.hpp"
#include "endpoint/packet.hpp"

namespace knuckleboom::endpoint {

// So long after its last new packet no other session takes the place of the present one.
inline constexpr std::int64_t kAliveNs = 100'000'000;

enum class Belief : std::int32_t {
  kNew,        // its values count
  kOld,        // heard before, overtaken or late
  kUnproved,   // genuine, but not of the present session or not believed: challenge its sender
  kNotNow,     // the same, and the present session is alive
  kChallenge,  // that we were asked
  kStray,      // our own packet come back, or a challenge of old or to somebody else
};

struct SessionCounters {
  ArrivalCounters arrivals;
  std::int64_t restarts;  // sessions after the first
  std::int64_t former;    // not of the present session, or stray; those from elsewhere do not count
  std::int64_t challenges;  // that we answered
};

class Sessions {
 public:
  // own: number of this run; 0: a random one. late_ns: as judge() has it.
  Sessions(std::uint64_t own, std::int64_t late_ns);

  // A packet whose tag is right. elsewhere: from another port than the present session's.
  Belief hear(const Packet& packet, bool elsewhere, std::int64_t now_ns);
  // Asks the sender of an unproved packet.
  Packet challenge(std::uint64_t session, std::uint64_t sequence, std::int64_t now_ns) const;
  // Head of the next packet with values.
  Packet next(std::int64_t now_ns);

  const SessionCounters& counters() const { return counters_; }

 private:
  std::uint64_t number(std::uint64_t session, std::int64_t slot) const;
  bool proved(const Packet& packet, std::int64_t now_ns) const;
  Belief hear_challenge(const Packet& packet, bool elsewhere);
  Belief adopt(const Packet& packet, std::int64_t now_ns);
  Belief doubt(Belief belief, bool elsewhere);

  std::uint64_t own_, sequence_ = 0, answer_ = 0, asked_ = 0;  // asked_: numbers below do not count
  std::int64_t late_ns_;
  std::array<std::uint8_t, 16> secret_{};
  std::uint64_t theirs_ = 0, answers_ = 0;
  bool known_ = false;
  std::int64_t heard_ns_ = 0;
  Arrivals arrivals_{};
  SessionCounters counters_{};
};

}  // namespace knuckleboom::endpoint
