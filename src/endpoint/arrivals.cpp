#include "endpoint/arrivals.hpp"

#include <algorithm>

namespace knuckleboom::endpoint {
namespace {

constexpr std::int64_t kSpan = 10'000'000'000;  // ns
constexpr std::int32_t kSeen = 64;

// Wraps around: a stamp may have any value.
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

void start_stream(Arrivals& a, std::uint32_t stream, std::uint32_t sequence, std::int64_t way,
                  std::int64_t now_ns) {
  if (a.streams > 0) ++a.counters.restarts;
  a.stream_before = a.stream;
  a.streams = std::min(a.streams + 1, 2U);
  a.stream = stream;
  a.newest = sequence - 1;
  // Packets before the first one do not count as lost.
  a.seen = ~std::uint64_t{0};
  a.fastest_ns = a.fastest_before_ns = way;
  a.span_end_ns = now_ns + kSpan;
}

bool is_late(Arrivals& a, std::int64_t way, std::int64_t now_ns, std::int64_t late_ns) {
  if (now_ns >= a.span_end_ns) {
    a.fastest_before_ns = a.fastest_ns;
    a.fastest_ns = way;
    a.span_end_ns = now_ns + kSpan;
  }
  if (difference(way, a.fastest_ns) < 0) a.fastest_ns = way;
  const std::int64_t fastest =
      difference(a.fastest_before_ns, a.fastest_ns) < 0 ? a.fastest_before_ns : a.fastest_ns;
  return difference(way, fastest) > late_ns;
}

void advance(Arrivals& a, std::int32_t steps) {
  a.seen = steps < kSeen ? a.seen << steps | 1U : 1U;
  a.newest += static_cast<std::uint32_t>(steps);
  a.counters.lost += steps - 1;
}

}  // namespace

Arrival judge(Arrivals& a, std::uint32_t stream, std::uint32_t sequence, std::int64_t stamp_ns,
              std::int64_t now_ns, std::int64_t late_ns) {
  const std::int64_t way = difference(now_ns, stamp_ns);
  if (a.streams == 0 || stream != a.stream) {
    if (a.streams == 2 && stream == a.stream_before) return Arrival::kFormer;
    start_stream(a, stream, sequence, way, now_ns);
  }
  const auto steps = static_cast<std::int32_t>(sequence - a.newest);
  if (steps <= 0 && steps > -kSeen) {
    const std::uint64_t bit = std::uint64_t{1} << -steps;
    if ((a.seen & bit) != 0) {
      ++a.counters.repeated;
      return Arrival::kRepeated;
    }
    a.seen |= bit;
    --a.counters.lost;
    ++a.counters.reordered;
    return Arrival::kReordered;
  }
  if (steps <= 0) {
    ++a.counters.late;
    return Arrival::kLate;
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
