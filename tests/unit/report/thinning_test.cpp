#include "report/thinning.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace knuckleboom::report {
namespace {

TEST(Thinning, KeepsThePeakOfEachColumn) {
  // An hour at 50 Hz, quiet but for one value.
  const std::size_t n = 180'000;
  std::vector<double> t(n), value(n, 1.0);
  for (std::size_t i = 0; i < n; ++i) t[i] = 0.02 * static_cast<double>(i);
  value[123'456] = 37.0;
  value[123'457] = -5.0;
  const std::vector<std::size_t> kept = thinned(t, value, t.front(), t.back(), 600);
  EXPECT_LE(kept.size(), 2U * 601U + 2U);
  EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), 123'456U));
  EXPECT_TRUE(std::binary_search(kept.begin(), kept.end(), 123'457U));
  EXPECT_EQ(kept.front(), 0U);
  EXPECT_EQ(kept.back(), n - 1);
  EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end()));
}

TEST(Thinning, KeepsAllOfWhatIsFew) {
  const std::vector<double> t = {0, 1, 2, 3}, value = {4, 2, 7, 1};
  EXPECT_THAT(thinned(t, value, 0.0, 3.0, 600), testing::ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(thinned({}, {}, 0.0, 1.0, 600), testing::IsEmpty());
}

TEST(Thinning, LeavesGapsOpen) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> t = {0, 1, 2, 3, 4, 5}, value = {1, 2, none, none, 3, 4};
  EXPECT_THAT(thinned(t, value, 0.0, 5.0, 600), testing::ElementsAre(0, 1, 2, 4, 5));
}

TEST(Thinning, KeepsTheEndsOfALine) {
  std::vector<Pixel> circle;
  for (int i = 0; i <= 100'000; ++i) {
    const double angle = 1e-3 * i;  // 16 times round
    circle.push_back({100.0 * std::cos(angle), 100.0 * std::sin(angle)});
  }
  const Pixel first = circle.front(), last = circle.back();
  const std::vector<Pixel> few = thinned(circle, 0.4, 2000);
  EXPECT_LE(few.size(), 2000U);
  EXPECT_GE(few.size(), 900U);
  EXPECT_EQ(few.front().x, first.x);
  EXPECT_EQ(few.back().x, last.x);
  EXPECT_EQ(few.back().y, last.y);
}

TEST(Thinning, LeavesAStraightWayWithTwoPoints) {
  EXPECT_EQ(thinned({{0, 0}, {0.1, 0}, {0.2, 0}, {5, 0}}, 0.4, 100).size(), 2U);
  EXPECT_EQ(thinned({{1, 1}, {std::nan(""), 0}}, 0.4, 100).size(), 1U);
}

}  // namespace
}  // namespace knuckleboom::report
