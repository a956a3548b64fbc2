// What a packet's sequence number and time stamp say about it: new, repeated, out of order, too late.
//
// Sequence numbers wrap around: the shorter way round says which of two is newer (RFC 1982). How late a
// packet is follows without a common clock: its way took longer than the fastest one of the last ten to
// twenty seconds by that much, so that clocks may drift and be apart by any time.
#pragma once

#include <cstdint>

#include "endpoint/packet.hpp"

namespace knuckleboom::endpoint {

enum class Arrival : std::int32_t {
  kNew,
  kRepeated,
  kReordered,  // overtaken by a newer one; its values are not used
  kLate,  // on its way for longer than allowed, or overtaken by more than can be told from repeated
  kFormer,  // of the stream before this one
};

struct ArrivalCounters {
  std::int64_t received;  // new
  std::int64_t lost;  // numbers never seen; one that arrives out of order after all is taken off
  std::int64_t late, repeated, reordered;
  std::int64_t restarts;  // streams after the first
};

struct Arrivals {
  ArrivalCounters counters;
  std::uint64_t seen;              // bit i: newest - i was seen
  std::int64_t span_end_ns;        // of the fastest's bookkeeping
  std::int64_t fastest_ns;         // smallest difference of the clocks in this span ...
  std::int64_t fastest_before_ns;  // ... and in the one before
  std::uint32_t stream, stream_before;
  std::uint32_t newest;
  std::uint32_t streams;  // 0: nothing heard; stops at 2
};

// now_ns: receiver's clock, which does not go back.
Arrival judge(Arrivals& arrivals, std::uint32_t stream, std::uint32_t sequence,
              std::int64_t stamp_ns, std::int64_t now_ns, std::int64_t late_ns);

}  // namespace knuckleboom::endpoint
