// Classification of a packet by its sequence number and time stamp: new, repeated, out of order,
// too late.
//
// Sequence numbers wrap around: the shorter way around decides which of two is newer (RFC 1982).
// Lateness needs no common clock: it is the transit time in excess of the fastest packet of the
// last ten to twenty seconds, so that clocks may drift and have any offset.
#pragma once

#include <cstdint>

#include "endpoint/packet.hpp"

namespace knuckleboom::endpoint {

enum class Arrival : std::int32_t {
  kNew,
  kRepeated,
  kReordered,  // overtaken by a newer one; its values are not used
  kLate,  // in transit for longer than allowed, or overtaken by more than can be distinguished from
          // repeated
  kFormer,  // of the previous stream
};

struct ArrivalCounters {
  std::int64_t received;  // new
  std::int64_t lost;      // numbers never received; one received out of order later is subtracted
  std::int64_t late, repeated, reordered;
  std::int64_t restarts;  // streams after the first
};

struct Arrivals {
  ArrivalCounters counters;
  std::uint64_t seen;              // bit i: newest - i was seen
  std::int64_t span_end_ns;        // end of the span for the fastest
  std::int64_t fastest_ns;         // smallest clock difference in this span ...
  std::int64_t fastest_before_ns;  // ... and in the one before
  std::uint32_t stream, stream_before;
  std::uint32_t newest;
  std::uint32_t streams;  // 0: nothing received; stops at 2
};

// now_ns: receiver's clock, monotonic.
Arrival judge(Arrivals& arrivals, std::uint32_t stream, std::uint32_t sequence,
              std::int64_t stamp_ns, std::int64_t now_ns, std::int64_t late_ns);

}  // namespace knuckleboom::endpoint
