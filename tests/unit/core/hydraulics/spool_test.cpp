#include "knuckleboom/core/hydraulics/spool.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "knuckleboom/core/hydraulics/valve.hpp"

namespace knuckleboom::hydraulics {
namespace {

Valve lagging(double lag_s) {
  Valve valve;
  valve.full_V = 10.0;
  valve.spool_time_constant_s = lag_s;
  return valve;
}

TEST(Spool, FollowsItsCommandByAFirstOrderLag) {
  const SpoolLag lag(lagging(0.05), 0.01);
  double spool_V = -2.0;
  for (int i = 1; i <= 5; ++i) {
    lag.move(6.0, spool_V);
    EXPECT_NEAR(spool_V, 6.0 - 8.0 * std::exp(-0.2 * i), 1e-12);
  }
  SpoolLag(lagging(0.0), 0.01).move(-3.0, spool_V);
  EXPECT_EQ(spool_V, -3.0);
}

TEST(Spool, StandsBesideItsCommandAsFarAsItCanGo) {
  const SpoolLag lag(lagging(0.0), 0.01);
  double spool_V = 0.0;
  std::int32_t stuck = 0;
  lag.move(4.0, {0.0, 1.5}, spool_V, stuck);
  EXPECT_EQ(spool_V, 5.5);
  lag.move(9.0, {0.0, 1.5}, spool_V, stuck);
  EXPECT_EQ(spool_V, 10.0);
  EXPECT_EQ(stuck, 0);
}

TEST(Spool, SticksUntilTheCommandIsFarEnoughAway) {
  const SpoolLag lag(lagging(0.01), 0.01);
  const SpoolFault fault{1.0, 0.0};
  double spool_V = 0.0;
  std::int32_t stuck = 0;
  lag.move(0.05, fault, spool_V, stuck);  // as near as this, it sticks at once
  EXPECT_EQ(stuck, 1);
  EXPECT_EQ(spool_V, 0.0);
  lag.move(0.99, fault, spool_V, stuck);
  EXPECT_EQ(spool_V, 0.0);
  lag.move(2.0, fault, spool_V, stuck);
  EXPECT_EQ(stuck, 0);
  EXPECT_GT(spool_V, 1.0);
  for (int i = 0; i < 20 && stuck == 0; ++i) lag.move(2.0, fault, spool_V, stuck);
  EXPECT_EQ(stuck, 1);
  EXPECT_NEAR(spool_V, 2.0, kStuckAgain * fault.breakout_V);
  EXPECT_NE(spool_V, 2.0);
}

}  // namespace
}  // namespace knuckleboom::hydraulics
