// Classification of a packet of one session by its sequence number and time stamp: new, repeated,
// out of order, too late, too far ahead to be believed.
//
// Lateness needs no common clock: it is the transit time in excess of the fastest packet so far, so
// that clocks may have any offset. They may drift by a thousandth: so much is forgiven in ten seconds.
#pragma once

#include <cstdint>

namespace knuckleboom::endpoint {

enum class Arrival : std::int32_t {
  kNew,
  kRepeated,
  kReordered,  // overtaken by a newer one; its values are not used
  kLate,  // in transit for longer than allowed, or overtaken by more than can be distinguished from
          // repeated
  kAhead,  // more than kMostSkipped numbers were left out, or a stamp of the future; changes nothing
};

// One packet that is that far ahead must not turn all that follow it into old ones.
inline constexpr std::uint64_t kMostSkipped = 256;

struct ArrivalCounters {
  std::int64_t received;  // new
  std::int64_t lost;      // numbers never received; one received out of order later is subtracted
  std::int64_t late, repeated, reordered, ahead;
};

struct Arrivals {
  ArrivalCounters counters;
  std::uint64_t seen;  // bit i: newest - i was seen
  std::uint64_t newest;
  std::int64_t span_end_ns;        // end of the span for the fastest
  std::int64_t fastest_ns;         // smallest clock difference in this span ...
  std::int64_t fastest_before_ns;  // ... and in the one before
};

// Numbers and clock begin with this packet, which is then new to judge(). same_session: numbers left
// out since the newest one are lost.
void begin(Arrivals& arrivals, std::uint64_t sequence, std::int64_t stamp_ns, std::int64_t now_ns,
           bool same_session);

// now_ns: receiver's clock, monotonic. late_ns: also how far a stamp may be ahead of the fastest.
Arrival judge(Arrivals& arrivals, std::uint64_t sequence, std::int64_t stamp_ns,
              std::int64_t now_ns, std::int64_t late_ns);

}  // namespace knuckleboom::endpoint
