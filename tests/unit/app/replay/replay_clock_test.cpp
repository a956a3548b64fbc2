#include "app/replay/replay_clock.hpp"

#include <gtest/gtest.h>

namespace knuckleboom::app {
namespace {

ReplayClock clock_of_10_s() { return {0, 10'000, 1e-3}; }

TEST(ReplayClock, GoesAtItsSpeed) {
  ReplayClock clock = clock_of_10_s();
  clock.advance(0.5);
  EXPECT_EQ(clock.tick(), 500);
  clock.set_speed(0.1);
  clock.advance(0.0125);  // 1.25 ticks
  EXPECT_EQ(clock.tick(), 501);
  EXPECT_NEAR(clock.share(), 0.25, 1e-9);
  clock.set_speed(10.0);
  clock.advance(0.1);
  EXPECT_NEAR(clock.position(), 1501.25, 1e-9);
  clock.set_speed(1000.0);
  EXPECT_EQ(clock.speed(), 10.0);
}

TEST(ReplayClock, StepsThroughItsSpeeds) {
  ReplayClock clock = clock_of_10_s();
  clock.faster();
  EXPECT_EQ(clock.speed(), 2.0);
  for (int i = 0; i < 9; ++i) clock.faster();
  EXPECT_EQ(clock.speed(), 10.0);
  for (int i = 0; i < 20; ++i) clock.slower();
  EXPECT_EQ(clock.speed(), 0.1);
}

TEST(ReplayClock, PausesAtTheEndAndBeginsAnew) {
  ReplayClock clock = clock_of_10_s();
  clock.advance(11.0);
  EXPECT_EQ(clock.tick(), 10'000);
  EXPECT_TRUE(clock.paused());
  clock.set_paused(false);
  EXPECT_EQ(clock.tick(), 0);
}

TEST(ReplayClock, StepsByWholeTicksWhilePaused) {
  ReplayClock clock = clock_of_10_s();
  clock.advance(1.0004);
  clock.step(1);
  EXPECT_EQ(clock.position(), 1001.0);
  EXPECT_TRUE(clock.paused());
  clock.step(-2);
  EXPECT_EQ(clock.position(), 999.0);
  clock.step(-5000);
  EXPECT_EQ(clock.tick(), 0);
}

TEST(ReplayClock, RunsASectionOverAndOver) {
  ReplayClock clock = clock_of_10_s();
  clock.set_loop(2000.0, 3000.0);
  clock.seek(2900.0);
  clock.advance(0.3);  // 0.1 s to its end, then 0.2 s from its begin
  EXPECT_NEAR(clock.position(), 2200.0, 1e-6);
  clock.advance(2.5);  // more than twice round
  EXPECT_NEAR(clock.position(), 2700.0, 1e-6);
  clock.seek(5000.0);  // behind it nothing loops
  clock.advance(0.1);
  EXPECT_NEAR(clock.position(), 5100.0, 1e-6);
}

TEST(ReplayClock, MarksASectionFromWhereItStands) {
  ReplayClock clock = clock_of_10_s();
  clock.seek(1000.0);
  clock.begin_loop();
  EXPECT_FALSE(clock.loops());
  clock.seek(1500.0);
  clock.end_loop();
  EXPECT_TRUE(clock.loops());
  EXPECT_EQ(clock.position(), 1000.0);
  clock.clear_loop();
  EXPECT_FALSE(clock.loops());
}

TEST(ReplayClock, StandsStillInAnEmptySession) {
  ReplayClock clock(500, 500, 1e-3);
  clock.advance(1.0);
  clock.step(3);
  EXPECT_EQ(clock.tick(), 500);
}

}  // namespace
}  // namespace knuckleboom::app
