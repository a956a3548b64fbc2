// Change over attempts against hand calculation.
#include "learners/progress.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace knuckleboom::progress_test {
namespace {

using learners::Change;
using learners::change_of;
using learners::detectable_change;

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// 1.96 sqrt(2) s with s^2 half of the variance of successive differences: 3 and -4 have 24.5.
TEST(Progress, DetectsWhatIsBeyondTheScatter) {
  const std::vector<double> values = {10.0, 13.0, 9.0};
  EXPECT_NEAR(detectable_change(values), 1.96 * std::sqrt(2.0) * std::sqrt(24.5 / 2.0), 1e-12);
  EXPECT_EQ(change_of(values), Change::kSame);
  // Learning curves, one with what was broken off in between.
  EXPECT_EQ(change_of(std::vector<double>{82.9, 59.9, 51.8, 47.5, 44.7}), Change::kLess);
  EXPECT_EQ(change_of(std::vector<double>{70.0, 65.0, 60.0, 55.0, 50.0}), Change::kLess);
  EXPECT_EQ(change_of(std::vector<double>{70.0, kNone, 60.0, kNone, 50.0, 40.0}), Change::kLess);
  EXPECT_EQ(change_of(std::vector<double>{72.6, 56.1, kNone, 45.8, kNone}), Change::kLess);
  EXPECT_EQ(change_of(std::vector<double>{60.6, 61.4, 60.4, 64.4, 63.8}), Change::kSame);
  EXPECT_EQ(change_of(std::vector<double>{50.0, 55.0, 60.0, 65.0}), Change::kMore);
  EXPECT_EQ(change_of(std::vector<double>{74.0, 74.0, 74.0}), Change::kSame);
  EXPECT_EQ(change_of(std::vector<double>{74.0, kNone, 40.0}), Change::kTooFew);
}

}  // namespace
}  // namespace knuckleboom::progress_test
