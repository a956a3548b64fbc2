#include "knuckleboom/core/integration/sdirk2.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace knuckleboom {
namespace {

using integration::Sdirk2;

// Steps y' = rate(t, y), written as the stepper uses it: each stage solves Y = y_star + gamma h rate(Y).
template <class Rate, class Slope>
double run(double y, double end, int steps, Rate rate, Slope slope) {
  const double h = end / steps;
  const double g = Sdirk2::kGamma * h;
  for (int k = 0; k < steps; ++k) {
    const double t = k * h;
    double star = y;
    double Y = y;
    double sum = y;
    for (int stage = 0; stage < 2; ++stage) {
      const double at = t + (stage == 0 ? g : h);
      for (int newton = 0; newton < 50; ++newton) {
        const double step = (star + g * rate(at, Y) - Y) / (1.0 - g * slope(at, Y));
        Y += step;
        if (std::fabs(step) < 1e-15 * (1.0 + std::fabs(Y))) break;
      }
      sum += h * Sdirk2::kWeight[stage] * rate(at, Y);
      if (stage == 0) star = y + Sdirk2::kCarry * (Y - y);
    }
    // The last stage is the result, and the weights give the same.
    EXPECT_NEAR(sum, Y, 1e-12 * (1.0 + std::fabs(Y)));
    y = Y;
  }
  return y;
}

TEST(Sdirk2, SecondOrder) {
  // y' = -y^2 cos t, y(0) = 1/2: y = 1 / (2 + sin t).
  const auto rate = [](double t, double y) { return -y * y * std::cos(t); };
  const auto slope = [](double t, double y) { return -2.0 * y * std::cos(t); };
  const double exact = 1.0 / (2.0 + std::sin(3.0));
  double last = 0.0;
  for (int steps = 20; steps <= 640; steps *= 2) {
    const double error = std::fabs(run(0.5, 3.0, steps, rate, slope) - exact);
    if (steps > 40) {
      EXPECT_NEAR(std::log2(last / error), 2.0, 0.1) << steps;
    }
    last = error;
  }
  EXPECT_LT(last, 1e-6);
}

TEST(Sdirk2, OrderConditions) {
  const double g = Sdirk2::kGamma;
  EXPECT_NEAR(g, 1.0 - 1.0 / std::numbers::sqrt2, 1e-16);
  EXPECT_NEAR(Sdirk2::kWeight[0] + Sdirk2::kWeight[1], 1.0, 1e-16);
  // sum b_i c_i = 1/2 with c = (gamma, 1)
  EXPECT_NEAR(Sdirk2::kWeight[0] * g + Sdirk2::kWeight[1], 0.5, 1e-15);
}

TEST(Sdirk2, IsStableAndForgetsFastDecays) {
  const auto growth = [](double z) {
    return run(
        1.0, 1.0, 1, [z](double, double y) { return -z * y; }, [z](double, double) { return -z; });
  };
  for (double z = 1e-3; z < 1e15; z *= 1.3) ASSERT_LT(std::fabs(growth(z)), 1.0) << z;
  EXPECT_LT(std::fabs(growth(1e6)), 1e-5);
  EXPECT_LT(std::fabs(growth(1e12)), 1e-11);
}

TEST(Sdirk2, DampsNoOscillationMuch) {
  // |R(iy)| of a mode at y = h omega: what the oil's bounce loses. 5 Hz at 1 ms: y = 0.03.
  const double y = 0.0314, g = Sdirk2::kGamma;
  // R(z) = (1 + (1 - 2 g) z) / (1 - g z)^2
  const double size = std::hypot(1.0, (1.0 - 2.0 * g) * y) / (1.0 + g * g * y * y);
  EXPECT_LT(1.0 - size, 2e-7);
  EXPECT_LE(size, 1.0);
}

}  // namespace
}  // namespace knuckleboom
