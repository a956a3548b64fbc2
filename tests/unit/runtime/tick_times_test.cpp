#include "knuckleboom/runtime/tick_times.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace knuckleboom::runtime {
namespace {

TEST(TickTimes, knowNothingWithoutTicks) {
  const TickTimes times;
  EXPECT_EQ(times.count(), 0);
  EXPECT_EQ(times.quantile_us(0.5), 0.0);
  EXPECT_EQ(times.max_us(), 0.0);
}

TEST(TickTimes, keepQuantilesWithinTwoPercent) {
  TickTimes times;
  for (std::int64_t ns = 1; ns <= 100'000; ++ns) times.add(ns);
  EXPECT_EQ(times.count(), 100'000);
  for (const double share : {0.01, 0.1, 0.5, 0.9, 0.99, 0.999})
    EXPECT_NEAR(times.quantile_us(share), 100.0 * share, 0.02 * 100.0 * share) << share;
  EXPECT_EQ(times.max_us(), 100.0);
  EXPECT_LE(times.quantile_us(1.0), times.max_us());
}

TEST(TickTimes, areExactForShortTimes) {
  TickTimes times;
  times.add(17);
  times.add(17);
  times.add(40);
  EXPECT_DOUBLE_EQ(times.quantile_us(0.5), 0.017);
  EXPECT_DOUBLE_EQ(times.quantile_us(1.0), 0.040);
}

TEST(TickTimes, takeAnythingThatAClockMaySay) {
  TickTimes times;
  times.add(-5);
  times.add(INT64_MAX);
  EXPECT_EQ(times.count(), 2);
  EXPECT_EQ(times.quantile_us(0.5), 0.0);
  EXPECT_GT(times.max_us(), 1e9);
}

}  // namespace
}  // namespace knuckleboom::runtime
