#include "knuckleboom/runtime/pacer.hpp"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace knuckleboom::runtime::pacer_test {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// Time passes only on request.
class FakeClock : public Clock {
 public:
  std::int64_t now_ns() override { return now; }
  void sleep_until_ns(std::int64_t time) override {
    if (time > now) now = time;
    sleeps.push_back(time);
  }
  std::int64_t now = 5 * kMs;
  std::vector<std::int64_t> sleeps;
};

TEST(Pacer, startsEachTickAtItsOwnTime) {
  FakeClock clock;
  Pacer pacer(1e-3, 50, clock);
  pacer.start();
  for (int i = 0; i < 5; ++i) {
    pacer.wait();
    EXPECT_EQ(clock.now, (5 + i) * kMs);
    clock.now += kMs / 3;
    pacer.tick_finished();
  }
  EXPECT_EQ(pacer.overruns(), 0);
  EXPECT_EQ(pacer.lost_s(), 0.0);
}

TEST(Pacer, gathersNoRoundingOverManyTicks) {
  FakeClock clock;
  Pacer pacer(1.0 / 3000.0, 50, clock);
  pacer.start();
  for (int i = 0; i <= 3'000'000; ++i) {
    pacer.wait();
    pacer.tick_finished();
  }
  EXPECT_EQ(clock.now, 5 * kMs + 1000 * 1000 * kMs);
}

TEST(Pacer, catchesUpWithoutChangingTheDeadlines) {
  FakeClock clock;
  Pacer pacer(1e-3, 50, clock);
  pacer.start();
  pacer.wait();
  clock.now += 10 * kMs + kMs / 2;  // one long tick
  pacer.tick_finished();
  clock.sleeps.clear();
  int late = 0;
  for (int i = 0; i < 20; ++i) {
    pacer.wait();
    late += clock.sleeps.empty() ? 1 : 0;
    pacer.tick_finished();
  }
  EXPECT_EQ(late, 10);
  EXPECT_EQ(clock.now, 25 * kMs);  // the 20th tick after the first is due at 20 periods
  EXPECT_EQ(pacer.lost_s(), 0.0);
  // The long one, and each that was caught up with but the last.
  EXPECT_EQ(pacer.overruns(), 10);
  EXPECT_NEAR(pacer.worst_lateness_s(), 9.5e-3, 1e-12);
}

TEST(Pacer, losesTimeBeyondTheLimit) {
  FakeClock clock;
  Pacer pacer(1e-3, 50, clock);
  pacer.start();
  pacer.wait();
  clock.now += 101 * kMs;
  pacer.tick_finished();
  clock.sleeps.clear();
  pacer.wait();
  EXPECT_TRUE(clock.sleeps.empty());
  EXPECT_NEAR(pacer.lost_s(), 0.1, 1e-12);
  pacer.tick_finished();
  pacer.wait();  // deadlines go on from there, a period apart
  EXPECT_EQ(clock.now, 107 * kMs);
  EXPECT_NEAR(pacer.elapsed_s(), 0.102, 1e-12);
}

TEST(Pacer, forgetsAPause) {
  FakeClock clock;
  Pacer pacer(1e-3, 50, clock);
  pacer.start();
  for (int i = 0; i < 3; ++i) {
    pacer.wait();
    EXPECT_EQ(pacer.due_ns(), (5 + i) * kMs);
    pacer.tick_finished();
  }
  clock.now += 500 * kMs;
  pacer.resume();
  const std::int64_t resumed = clock.now;
  for (int i = 0; i < 3; ++i) {
    pacer.wait();
    EXPECT_EQ(pacer.due_ns(), resumed + i * kMs);
    EXPECT_EQ(pacer.lateness_ns(), 0);
    pacer.tick_finished();
  }
  EXPECT_EQ(pacer.lost_s(), 0.0);
  EXPECT_EQ(pacer.overruns(), 0);
  EXPECT_EQ(pacer.worst_lateness_s(), 0.0);
}

TEST(Pacer, keepsRealTime) {
  Pacer pacer(1e-3);
  pacer.start();
  for (int i = 0; i <= 20; ++i) {
    pacer.wait();
    pacer.tick_finished();
  }
  EXPECT_GE(pacer.elapsed_s() + pacer.lost_s(), 0.020);
}

}  // namespace
}  // namespace knuckleboom::runtime::pacer_test
