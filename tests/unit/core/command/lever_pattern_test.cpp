// Shaping of lever axes and the ramps behind it.

#include "knuckleboom/core/command/lever_pattern.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "knuckleboom/core/math/logarithm.hpp"

namespace knuckleboom {
namespace {

using command::AxisShape;
using command::RampLimits;

AxisShape axis(double dead_zone, double exponent) {
  AxisShape s;
  s.dead_zone = dead_zone;
  s.exponent = exponent;
  return s;
}

TEST(LeverShape, IsZeroInTheDeadZoneAndOneAtTheEnd) {
  const AxisShape s = axis(0.2, 2.0);
  for (const double x : {0.0, 0.1, 0.2, -0.2}) EXPECT_EQ(command::shape(x, s), 0.0);
  EXPECT_GT(command::shape(0.2001, s), 0.0);
  EXPECT_LT(command::shape(0.2001, s), 1e-6);  // no jump at its edge
  EXPECT_EQ(command::shape(1.0, s), 1.0);
  EXPECT_EQ(command::shape(-1.0, s), -1.0);
  EXPECT_NEAR(command::shape(0.6, s), 0.25, 1e-14);
}

TEST(LeverShape, IsOddAndRising) {
  const AxisShape s = axis(0.05, 1.7);
  double last = -2.0;
  for (int i = -100; i <= 100; ++i) {
    const double y = command::shape(0.01 * i, s);
    EXPECT_EQ(y, -command::shape(-0.01 * i, s));
    EXPECT_GE(y, last);
    last = y;
  }
}

TEST(LeverShape, LimitsItsInput) {
  const AxisShape s = axis(0.1, 1.0);
  EXPECT_EQ(command::shape(1.5, s), 1.0);
  EXPECT_EQ(command::shape(-7.0, s), -1.0);
  EXPECT_EQ(command::shape(std::numeric_limits<double>::quiet_NaN(), s), 0.0);
  EXPECT_EQ(command::shape(std::numeric_limits<double>::infinity(), s), 0.0);
}

TEST(LeverShape, FollowsATableWithGainAndSign) {
  AxisShape s = axis(0.0, 3.0);
  s.curve = {{0.0, 0.5, 1.0}, {0.0, 0.1, 1.0}};
  s.gain = 0.8;
  s.sign = -1.0;
  EXPECT_DOUBLE_EQ(command::shape(0.5, s), -0.08);
  EXPECT_DOUBLE_EQ(command::shape(-0.75, s), 0.8 * 0.55);
  EXPECT_DOUBLE_EQ(command::shape(1.0, s), -0.8);
}

// Analytic: ((|a| - z) / (1 - z))^n, for whole and broken exponents.
TEST(LeverShape, IsThePowerOfTheTravelBeyondTheDeadZone) {
  for (const double dead_zone : {0.0, 0.05, 0.3})
    for (const double exponent : {0.5, 1.0, 1.6, 3.0})
      for (int i = 1; i <= 50; ++i) {
        const double a = 0.02 * i;
        const double travel = (a - dead_zone) / (1.0 - dead_zone);
        const double exact = travel > 0.0 ? std::pow(travel, exponent) : 0.0;
        EXPECT_NEAR(command::shape(a, axis(dead_zone, exponent)), exact, 1e-14 * (1.0 + exact));
      }
}

TEST(LeverShape, HasNoStepAtTheEdgeOfTheDeadZone) {
  for (const double exponent : {1.0, 1.6, 2.5}) {
    const AxisShape s = axis(0.06, exponent);
    double last = command::shape(0.06, s);
    EXPECT_EQ(last, 0.0);
    for (double over = 1e-12; over < 1e-2; over *= 10.0) {
      const double value = command::shape(0.06 + over, s);
      EXPECT_LE(value, 1.1 * over / 0.94);
      EXPECT_GE(value, last);
      last = value;
    }
  }
  // A curve that does not start flat either.
  AxisShape s = axis(0.1, 1.0);
  s.curve = {{0.0, 0.5, 1.0}, {0.0, 0.8, 1.0}};
  EXPECT_EQ(command::shape(0.1, s), 0.0);
  EXPECT_NEAR(command::shape(0.1 + 1e-9, s), 1e-9 / 0.9 * 1.6, 1e-15);
}

TEST(LeverShape, EveryPatternOfSettingsIsOdd) {
  AxisShape s = axis(0.08, 1.6);
  s.gain = 0.7;
  for (const double sign : {1.0, -1.0})
    for (const bool curved : {false, true}) {
      s.sign = sign;
      s.curve = curved ? Table{{0.0, 0.4, 1.0}, {0.0, 0.1, 1.0}} : Table{};
      EXPECT_EQ(command::shape(1.0, s), 0.7 * sign);
      for (int i = 0; i <= 100; ++i)
        EXPECT_EQ(command::shape(0.01 * i, s), -command::shape(-0.01 * i, s));
    }
}

// In a tick: a program may not depend on the C library's choice of pow.
TEST(Power, AgreesWithLongDouble) {
  double worst = 0.0;
  for (int i = 1; i < 2000; ++i)
    for (const double n : {0.1, 0.7, 1.6, 3.0, 10.0}) {
      const double x = i / 2000.0;
      const long double exact = powl(static_cast<long double>(x), static_cast<long double>(n));
      const double error = static_cast<double>(std::fabs(power(x, n) / exact - 1.0L));
      worst = std::max(worst, error / (1.0 - n * std::log(x)));
    }
  EXPECT_LT(worst, 1e-14);
  EXPECT_EQ(power(0.0, 2.0), 0.0);
  EXPECT_EQ(power(1.0, 2.7), 1.0);
  EXPECT_EQ(power(0.3, 1.0), 0.3);
  EXPECT_EQ(power(5e-324, 0.5), 0.0);
  EXPECT_EQ(logarithm(1.0), 0.0);
}

TEST(LeverRamp, LimitsRiseAndFall) {
  const RampLimits limits{2.0, 4.0};
  EXPECT_DOUBLE_EQ(command::ramp(1.0, 0.1, limits, 0.0), 0.2);
  EXPECT_DOUBLE_EQ(command::ramp(-1.0, 0.1, limits, 0.0), -0.2);
  EXPECT_DOUBLE_EQ(command::ramp(0.0, 0.1, limits, 1.0), 0.6);
  EXPECT_DOUBLE_EQ(command::ramp(-0.2, 0.1, limits, -1.0), -0.6);
  EXPECT_EQ(command::ramp(0.5, 1.0, limits, 0.0), 0.5);  // does not overshoot
  EXPECT_EQ(command::ramp(0.3, 0.1, limits, 0.3), 0.3);
}

TEST(LeverRamp, FallsBeforeItRisesOnTheOtherSide) {
  const RampLimits limits{2.0, 4.0};
  EXPECT_DOUBLE_EQ(command::ramp(-1.0, 0.1, limits, 1.0), 0.6);
  // 0.05 s down to zero at 4/s, 0.05 s up at 2/s.
  EXPECT_DOUBLE_EQ(command::ramp(-1.0, 0.1, limits, 0.2), -0.1);
  // The result does not depend on how the time is cut.
  double value = 0.2;
  for (int i = 0; i < 100; ++i) value = command::ramp(-1.0, 0.001, limits, value);
  EXPECT_NEAR(value, -0.1, 1e-12);
}

TEST(LeverRamp, ZeroMeansAtOnce) {
  EXPECT_EQ(command::ramp(1.0, 1e-3, {0.0, 1.0}, 0.0), 1.0);
  EXPECT_EQ(command::ramp(0.0, 1e-3, {1.0, 0.0}, 1.0), 0.0);
  EXPECT_EQ(command::ramp(-1.0, 1e-3, {0.0, 0.0}, 1.0), -1.0);
  EXPECT_DOUBLE_EQ(command::ramp(-1.0, 0.1, {2.0, 0.0}, 1.0), -0.2);
}

}  // namespace
}  // namespace knuckleboom
