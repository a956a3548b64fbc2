#include "knuckleboom/core/math/exponential.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

TEST(Decay, AgreesWithLongDouble) {
  test::Random random(1);
  double worst = 0.0;
  for (int k = 0; k < 100000; ++k) {
    const double x = k % 2 == 0 ? random.log_uniform(1e-12, 700.0) : random.uniform(0.0, 3.0);
    const long double exact = expl(-static_cast<long double>(x));
    const double error = static_cast<double>(std::fabs(decay(x) / exact - 1.0L));
    worst = std::max(worst, error / (1.0 + x));
  }
  std::printf("worst relative error over 1 + x: %.2g\n", worst);
  EXPECT_LT(worst, 5e-15);
}

TEST(Decay, EndsAtZero) {
  EXPECT_EQ(decay(0.0), 1.0);
  EXPECT_EQ(decay(700.1), 0.0);
  EXPECT_EQ(decay(1e300), 0.0);
  EXPECT_EQ(decay(INFINITY), 0.0);
  EXPECT_GT(decay(699.9), 0.0);
}

TEST(Decay, NeverRises) {
  double last = 1.0;
  for (double x = 0.0; x < 5.0; x += 1e-4) {
    const double y = decay(x);
    ASSERT_LE(y, last);
    last = y;
  }
}

}  // namespace
}  // namespace knuckleboom
