#include "knuckleboom/runtime/interpolation.hpp"

#include <memory>

#include <gtest/gtest.h>

namespace knuckleboom::runtime {
namespace {

constexpr std::int64_t kMs = 1'000'000;

TEST(Interpolation, runsOnePublicationBehind) {
  const auto p = std::make_unique<Published>();
  p->older_due_ns = 100 * kMs;
  p->newer_due_ns = 104 * kMs;
  p->interval_ns = 4 * kMs;
  EXPECT_EQ(interpolation_share(*p, 104 * kMs), 0.0);
  EXPECT_EQ(interpolation_share(*p, 105 * kMs), 0.25);
  EXPECT_EQ(interpolation_share(*p, 108 * kMs), 1.0);
  // The thread is late, or paused: the frame does not change. After a tick that was caught up: it
  // waits.
  EXPECT_EQ(interpolation_share(*p, 5000 * kMs), 1.0);
  EXPECT_EQ(interpolation_share(*p, 90 * kMs), 0.0);
}

TEST(Interpolation, goesAtItsOwnSpeedAfterLostTime) {
  const auto p = std::make_unique<Published>();
  p->older_due_ns = 100 * kMs;
  p->newer_due_ns = 900 * kMs;
  p->interval_ns = 1 * kMs;
  EXPECT_EQ(interpolation_share(*p, 900 * kMs + kMs / 2), 0.5);
}

TEST(Interpolation, doesNotGoThroughAJump) {
  const auto p = std::make_unique<Published>();
  p->newer_due_ns = 104 * kMs;
  p->interval_ns = 4 * kMs;
  p->jumped = true;
  EXPECT_EQ(interpolation_share(*p, 104 * kMs), 1.0);
}

TEST(Interpolation, hasNothingToGoThroughBeforeTheStart) {
  const auto p = std::make_unique<Published>();
  EXPECT_EQ(interpolation_share(*p, 5), 1.0);
}

}  // namespace
}  // namespace knuckleboom::runtime
