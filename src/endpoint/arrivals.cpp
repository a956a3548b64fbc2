#include "endpoint/arrivals.hpp"

#include <algorithm>

namespace knuckleboom::endpoint {
namespace {

constexpr std::int64_t kSpan = 10'000'000'000;  // ns
constexpr std::int64_t kDrift = kSpan / 1000;   // of the clocks in it; more is delay
constexpr std::uint64_t kSeen = 64;
constexpr std::uint64_t kMostLost = std::uint64_t{1} << 32;  // that one gap may count

// Wraps around: a stamp may have any value.
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

std::int64_t fastest(const Arrivals& a) {
  return difference(a.fastest_before_ns, a.fastest_ns) < 0 ? a.fastest_before_ns : a.fastest_ns;
}

bool is_late(Arrivals& a, std::int64_t way, std::int64_t now_ns, std::int64_t late_ns) {
  if (now_ns >= a.span_end_ns) {
    a.fastest_before_ns = a.fastest_ns;
    a.fastest_ns = a.fastest_before_ns + std::min(difference(way, a.fastest_before_ns), kDrift);
    a.span_end_ns = now_ns + kSpan;
  }
  if (difference(way, a.fastest_ns) < 0) a.fastest_ns = way;
  return difference(way, fastest(a)) > late_ns;
}

void advance(Arrivals& a, std::uint64_t steps) {
  a.seen = steps < kSeen ? a.seen << steps | 1U : 1U;
  a.newest += steps;
  a.counters.lost += static_cast<std::int64_t>(steps) - 1;
}

Arrival judge_old(Arrivals& a, std::uint64_t behind) {
  if (behind >= kSeen) {
    ++a.counters.late;
    return Arrival::kLate;
  }
  const std::uint64_t bit = std::uint64_t{1} << behind;
  if ((a.seen & bit) != 0) {
    ++a.counters.repeated;
    return Arrival::kRepeated;
  }
  a.seen |= bit;
  --a.counters.lost;
  ++a.counters.reordered;
  return Arrival::kReordered;
}

}  // namespace

void begin(Arrivals& a, std::uint64_t sequence, std::int64_t stamp_ns, std::int64_t now_ns,
           bool same_session) {
  if (same_session && sequence > a.newest)
    a.counters.lost += static_cast<std::int64_t>(std::min(sequence - a.newest - 1, kMostLost));
  a.newest = sequence - 1;
  // Packets before the first one do not count as lost.
  a.seen = ~std::uint64_t{0};
  a.fastest_ns = a.fastest_before_ns = difference(now_ns, stamp_ns);
  a.span_end_ns = now_ns + kSpan;
}

Arrival judge(Arrivals& a, std::uint64_t sequence, std::int64_t stamp_ns, std::int64_t now_ns,
              std::int64_t late_ns) {
  // A new session may begin with number 0, behind which there is none.
  const std::uint64_t steps = sequence - a.newest;
  if (steps == 0 || (sequence < a.newest && a.newest + 1 != 0)) return judge_old(a, 0 - steps);
  const std::int64_t way = difference(now_ns, stamp_ns);
  if (steps > kMostSkipped || difference(way, fastest(a)) < -late_ns) {
    ++a.counters.ahead;
    return Arrival::kAhead;
  }
  advance(a, steps);
  if (is_late(a, way, now_ns, late_ns)) {
    ++a.counters.late;
    return Arrival::kLate;
  }
  ++a.counters.received;
  return Arrival::kNew;
}

}  // namespace knuckleboom::endpoint
