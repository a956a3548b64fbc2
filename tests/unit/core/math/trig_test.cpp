#include "knuckleboom/core/math/trig.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include <gtest/gtest.h>

#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

double error_at(double x) {
  const SinCos t = sin_cos(x);
  const long double s = std::fabs(static_cast<long double>(t.sin) - sinl(x));
  const long double c = std::fabs(static_cast<long double>(t.cos) - cosl(x));
  return static_cast<double>(std::max(s, c));
}

TEST(Trig, AgreesWithLongDoubleAtRandomArguments) {
  test::Random random(1);
  double worst = 0.0;
  for (int k = 0; k < 300000; ++k) {
    const double range = k % 3 == 0 ? 1e5 : k % 3 == 1 ? 7.0 : random.log_uniform(1e-12, 1e5);
    worst = std::max(worst, error_at(random.uniform(-range, range)));
  }
  std::printf("worst absolute error at random arguments: %.3g\n", worst);
  EXPECT_LT(worst, 2.3e-16);
}

TEST(Trig, AgreesWithLongDoubleWhereQuadrantsMeet) {
  double worst = 0.0;
  for (int k = -127300; k <= 127300; k += k > -2000 && k < 2000 ? 1 : 7) {
    const double x = static_cast<double>(k) * (std::numbers::pi / 4.0);
    if (std::fabs(x) > 1e5) continue;
    worst = std::max(
        {worst, error_at(x), error_at(std::nextafter(x, 1e9)), error_at(std::nextafter(x, -1e9))});
  }
  for (const double x : {1e5, 99999.99999, 65536.0, 1e-300, 5e-324, 1e-9}) {
    worst = std::max({worst, error_at(x), error_at(-x)});
  }
  std::printf("worst absolute error at multiples of pi/4: %.3g\n", worst);
  EXPECT_LT(worst, 2.3e-16);
}

// A sine near its zero keeps its relative precision, or a joint at rest would not stay there.
TEST(Trig, KeepsSmallValuesPrecise) {
  test::Random random(2);
  double worst = 0.0;
  for (int k = 0; k < 20000; ++k) {
    const double x = random.log_uniform(1e-300, 0.5);
    const long double s = sinl(x);
    worst = std::max(worst, static_cast<double>(std::fabs((sin_cos(x).sin - s) / s)));
  }
  EXPECT_LT(worst, 2.3e-16);
}

TEST(Trig, IsExactlyOddAndEven) {
  test::Random random(3);
  for (int k = 0; k < 100000; ++k) {
    const double x = random.log_uniform(1e-12, 1e5);
    const SinCos plus = sin_cos(x), minus = sin_cos(-x);
    ASSERT_EQ(minus.sin, -plus.sin) << x;
    ASSERT_EQ(minus.cos, plus.cos) << x;
  }
}

TEST(Trig, LiesOnTheUnitCircle) {
  test::Random random(4);
  for (int k = 0; k < 100000; ++k) {
    const SinCos t = sin_cos(random.uniform(-1e5, 1e5));
    ASSERT_NEAR(t.sin * t.sin + t.cos * t.cos, 1.0, 5e-16);
    ASSERT_LE(std::fabs(t.sin), 1.0);
    ASSERT_LE(std::fabs(t.cos), 1.0);
  }
}

TEST(Trig, KnownValues) {
  EXPECT_EQ(sin_cos(0.0).sin, 0.0);
  EXPECT_EQ(sin_cos(0.0).cos, 1.0);
  const struct {
    double x, sin, cos;
  } known[] = {
      {std::numbers::pi / 6.0, 0.5, 0.86602540378443865},
      {std::numbers::pi / 2.0, 1.0, 6.123233995736766e-17},
      {std::numbers::pi, 1.2246467991473532e-16, -1.0},
      {1.0, 0.84147098480789651, 0.54030230586813972},
      {2.0, 0.90929742682568170, -0.41614683654714239},
      {10.0, -0.54402111088936981, -0.83907152907645245},
      {100.0, -0.50636564110975879, 0.86231887228768394},
      {100000.0, 0.035748797972016507, -0.99936080743821240},
  };
  for (const auto& k : known) {
    EXPECT_NEAR(sin_cos(k.x).sin, k.sin, 2.3e-16) << k.x;
    EXPECT_NEAR(sin_cos(k.x).cos, k.cos, 2.3e-16) << k.x;
  }
  // The zeros of pi as rounded, to their own precision.
  EXPECT_DOUBLE_EQ(sin_cos(std::numbers::pi).sin, 1.2246467991473532e-16);
  EXPECT_DOUBLE_EQ(sin_cos(std::numbers::pi / 2.0).cos, 6.123233995736766e-17);
}

}  // namespace
}  // namespace knuckleboom
