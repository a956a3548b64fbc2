#include "knuckleboom/core/integration/fitted_theta.hpp"

#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

namespace knuckleboom {
namespace {

using integration::fitted_theta;

// One step of y' = -y over z.
double growth(double z, double theta) { return (1.0 - (1.0 - theta) * z) / (1.0 + theta * z); }

TEST(FittedTheta, FollowsADecayExactly) {
  double worst = 0.0;
  for (double z = 1e-6; z < 1e6; z *= 1.01)
    worst = std::fmax(worst, std::fabs(growth(z, fitted_theta(z)) - std::exp(-z)));
  std::printf("worst absolute error of one step: %.2g\n", worst);
  EXPECT_LT(worst, 1e-11);
}

TEST(FittedTheta, HalfForSlowAndOneForFastDecays) {
  EXPECT_EQ(fitted_theta(0.0), 0.5);
  EXPECT_NEAR(fitted_theta(1e-9), 0.5, 1e-9);
  EXPECT_NEAR(fitted_theta(1e12), 1.0, 1e-11);
  EXPECT_EQ(fitted_theta(INFINITY), 1.0);
}

TEST(FittedTheta, OfTwoDecaysIsClose) {
  double worst = 0.0, worst_growth = 0.0;
  for (double z = 1e-9; z < 1e9; z *= 1.01) {
    const Pair theta = integration::fitted_theta_of_inverse(Pair{1.0 / z, 0.5 / z});
    worst = std::fmax(worst, std::fabs(theta[0] - fitted_theta(z)));
    worst = std::fmax(worst, std::fabs(theta[1] - fitted_theta(2.0 * z)));
    worst_growth = std::fmax(worst_growth, std::fabs(growth(z, theta[0]) - std::exp(-z)));
  }
  std::printf("worst error of theta %.2g, of one step %.2g\n", worst, worst_growth);
  EXPECT_LT(worst, 2.2e-5);
  EXPECT_LT(worst_growth, 2.5e-5);
  EXPECT_EQ(integration::fitted_theta_of_inverse(Pair{})[0], 1.0);
  EXPECT_EQ(integration::fitted_theta_of_inverse(both(1e60))[0], 0.5);
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
