#include "knuckleboom/core/integration/fitted_theta.hpp"

#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

namespace knuckleboom {
namespace {

using integration::fitted_theta;

// One step of y' = -y over z.
double growth(double z) {
  const double theta = fitted_theta(z);
  return (1.0 - (1.0 - theta) * z) / (1.0 + theta * z);
}

TEST(FittedTheta, FollowsADecayExactly) {
  double worst = 0.0;
  for (double z = 1e-6; z < 1e6; z *= 1.01)
    worst = std::fmax(worst, std::fabs(growth(z) - std::exp(-z)));
  std::printf("worst absolute error of one step: %.2g\n", worst);
  EXPECT_LT(worst, 1e-11);
}

TEST(FittedTheta, HalfForSlowAndOneForFastDecays) {
  EXPECT_EQ(fitted_theta(0.0), 0.5);
  EXPECT_NEAR(fitted_theta(1e-9), 0.5, 1e-9);
  EXPECT_NEAR(fitted_theta(1e12), 1.0, 1e-11);
  EXPECT_EQ(fitted_theta(INFINITY), 1.0);
}

TEST(FittedTheta, RisesWithoutSteps) {
  double last = 0.5;
  for (double z = 0.0; z < 100.0; z += 1e-3) {
    const double theta = fitted_theta(z);
    ASSERT_GE(theta, last - 1e-9) << z;  // its pieces meet
    ASSERT_LE(theta - last, 1e-3 / 12.0 + 1e-9) << z;
    ASSERT_LE(theta, 1.0);
    last = theta;
  }
}

}  // namespace
}  // namespace knuckleboom
