// Lost, repeated, out of order, late, ahead: detected from sequence numbers and differing clocks.
#include "endpoint/arrivals.hpp"

#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "knuckleboom/core/math/hash.hpp"

namespace knuckleboom::endpoint {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kLate = 50 * kMs;

struct Receiver {
  Arrivals arrivals{};
  std::int64_t now = 0;
  bool begun = false;

  Arrival hear(std::uint64_t sequence) {
    now += kMs;
    if (!begun) begin(arrivals, sequence, now, now, false);
    begun = true;
    return judge(arrivals, sequence, now, now, kLate);
  }
  const ArrivalCounters& counters() const { return arrivals.counters; }
};

TEST(Arrivals, CountBeyondThirtyTwoBits) {
  Receiver r;
  std::uint64_t sequence = 0xFFFFFF00U;
  for (int i = 0; i < 600; ++i) EXPECT_EQ(r.hear(sequence++), Arrival::kNew);
  EXPECT_EQ(r.counters().received, 600);
  EXPECT_EQ(r.counters().lost, 0);
}

TEST(Arrivals, LoseWhatNeverComesAndTakeBackWhatComesLater) {
  Receiver r;
  r.hear(0);
  EXPECT_EQ(r.hear(5), Arrival::kNew);  // 1, 2, 3, 4 are missing
  EXPECT_EQ(r.counters().lost, 4);
  EXPECT_EQ(r.hear(2), Arrival::kReordered);
  EXPECT_EQ(r.counters().lost, 3);
  EXPECT_EQ(r.hear(2), Arrival::kRepeated);
  EXPECT_EQ(r.hear(5), Arrival::kRepeated);
  EXPECT_EQ(r.counters().lost, 3);
  EXPECT_EQ(r.counters().reordered, 1);
  EXPECT_EQ(r.counters().repeated, 2);
  EXPECT_EQ(r.counters().received, 2);
}

TEST(Arrivals, TakeWhatIsBeyondTheWindowForLate) {
  Receiver r;
  r.hear(1000);
  r.hear(1100);
  EXPECT_EQ(r.hear(1037), Arrival::kReordered);
  EXPECT_EQ(r.hear(1036), Arrival::kLate);
  EXPECT_EQ(r.counters().late, 1);
}

TEST(Arrivals, AreLateByTheWayThoughClocksDiffer) {
  for (const std::int64_t apart : {std::int64_t{0}, -777 * kMs, std::int64_t{1} << 62}) {
    Arrivals a{};
    const auto hear = [&a, apart](std::uint64_t n, std::int64_t sent, std::int64_t heard) {
      if (n == 0) begin(a, n, sent + apart, heard, false);
      return judge(a, n, sent + apart, heard, kLate);
    };
    EXPECT_EQ(hear(0, 0, 3 * kMs), Arrival::kNew);
    EXPECT_EQ(hear(1, 10 * kMs, 11 * kMs), Arrival::kNew);
    EXPECT_EQ(hear(2, 20 * kMs, 71 * kMs), Arrival::kNew);       // 51 ms, 1 ms being the fastest
    EXPECT_EQ(hear(3, 30 * kMs, 81 * kMs + 1), Arrival::kLate);  // a nanosecond more
    EXPECT_EQ(hear(4, 90 * kMs, 91 * kMs), Arrival::kNew);
    EXPECT_EQ(a.counters.received, 4);
    EXPECT_EQ(a.counters.late, 1);
  }
}

// Clocks 200 ppm apart (poor ones; 100 is usual): in an hour that is 0.7 s.
TEST(Arrivals, FollowClocksThatDrift) {
  for (const double drift : {2e-4, -2e-4}) {
    Arrivals a{};
    for (std::uint32_t n = 0; n < 360000; ++n) {
      const std::int64_t now = n * 10 * kMs;
      if (n == 0) begin(a, 0, 0, 0, false);
      const auto stamp = static_cast<std::int64_t>(static_cast<double>(now) * (1.0 + drift));
      ASSERT_EQ(judge(a, n, stamp, now, kLate), Arrival::kNew) << n;
    }
  }
}

// One number or stamp that is far ahead must not make old what follows.
TEST(Arrivals, DoNotBelieveWhatIsFarAhead) {
  Receiver r;
  for (std::uint64_t n = 0; n < 100; ++n) r.hear(n);
  EXPECT_EQ(r.hear(99 + kMostSkipped + 1), Arrival::kAhead);
  EXPECT_EQ(r.hear(std::uint64_t{1} << 63), Arrival::kAhead);
  EXPECT_EQ(judge(r.arrivals, 100, r.now + kLate + 1, r.now, kLate), Arrival::kAhead);
  EXPECT_EQ(judge(r.arrivals, 100, std::numeric_limits<std::int64_t>::max(), r.now, kLate),
            Arrival::kAhead);
  EXPECT_EQ(r.hear(100), Arrival::kNew);
  EXPECT_EQ(r.hear(100 + kMostSkipped), Arrival::kNew);
  EXPECT_EQ(r.counters().ahead, 4);
  EXPECT_EQ(r.counters().lost, static_cast<std::int64_t>(kMostSkipped) - 1);
}

// A sender of whom it is known that it did jump.
TEST(Arrivals, BeginAnewOnRequest) {
  Receiver r;
  for (std::uint64_t n = 0; n < 10; ++n) r.hear(n);
  begin(r.arrivals, 1000, 5 * kLate, r.now, true);
  EXPECT_EQ(judge(r.arrivals, 1000, 5 * kLate, r.now, kLate), Arrival::kNew);
  EXPECT_EQ(r.counters().lost, 990);
  EXPECT_EQ(judge(r.arrivals, 999, 5 * kLate, r.now, kLate), Arrival::kRepeated);
  begin(r.arrivals, 0, 0, r.now, false);  // a sender that was restarted
  EXPECT_EQ(judge(r.arrivals, 0, 0, r.now, kLate), Arrival::kNew);
  EXPECT_EQ(judge(r.arrivals, 1, 0, r.now, kLate), Arrival::kNew);
  EXPECT_EQ(r.counters().lost, 990);
}

TEST(Arrivals, StandAnything) {
  Arrivals a{};
  std::int64_t now = 0;
  const std::int64_t stamps[] = {std::numeric_limits<std::int64_t>::min(),
                                 std::numeric_limits<std::int64_t>::max(), 0, -1};
  for (std::uint64_t k = 0; k < 200000; ++k) {
    const std::uint64_t bits = mixed_bits(k);
    now += static_cast<std::int64_t>(bits % 1000000);
    const std::uint64_t sequence = mixed_bits(bits) >> (bits % 60);
    if (bits % 7 == 0) begin(a, sequence, stamps[bits >> 20 & 3U], now, bits % 2 == 0);
    judge(a, sequence, stamps[bits >> 22 & 3U], now, kLate);
  }
  EXPECT_GE(a.counters.lost, 0);
  EXPECT_GT(a.counters.ahead, 0);
  EXPECT_GT(a.counters.received, 0);
}

}  // namespace
}  // namespace knuckleboom::endpoint
