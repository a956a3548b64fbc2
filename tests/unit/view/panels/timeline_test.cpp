// The numbers behind a replay's timeline.
#include "view/panels/timeline.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace knuckleboom::view::panels {
namespace {

TEST(Timeline, KeepsEveryPeak) {
  std::vector<float> samples(100'000, 1.0F);
  samples[77'777] = 250.0F;
  samples[10] = -3.0F;
  const TimelineCurve curve = curve_of("boom.p1", "bar", samples, 500);
  ASSERT_EQ(curve.high.size(), 500U);
  EXPECT_EQ(curve.high[388], 250.0F);  // 77 777 / 200
  EXPECT_EQ(curve.low[388], 1.0F);
  EXPECT_EQ(curve.low[0], -3.0F);
}

TEST(Timeline, IsNoLongerThanItsSamplesAndPassesOverNone) {
  const TimelineCurve curve = curve_of("x", "m", {1.0F, NAN, 3.0F}, 500);
  ASSERT_EQ(curve.low.size(), 3U);
  EXPECT_EQ(curve.low[1], 1.0F);
  EXPECT_EQ(curve.low[2], 3.0F);
  EXPECT_EQ(curve_of("x", "m", {}, 10).low.size(), 1U);
}

}  // namespace
}  // namespace knuckleboom::view::panels
