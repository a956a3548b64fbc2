#include "knuckleboom/core/math/quadratic.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

TEST(SignedQuadratic, LeavesNoResidual) {
  test::Random random(1);
  for (int k = 0; k < 100000; ++k) {
    const double a = random.log_uniform(1e-3, 1e14);
    const double b = random.log_uniform(1e-6, 1e12);
    const double r = random.log_uniform(1e-9, 1e9) * (random.chance(0.5) ? 1.0 : -1.0);
    const double q = solve_signed_quadratic(a, b, r);
    ASSERT_NEAR(a * signed_square(q) + b * q, r, 4e-15 * std::fabs(r)) << a << ' ' << b << ' ' << r;
    ASSERT_EQ(std::signbit(q), std::signbit(r));
  }
}

TEST(SignedQuadratic, IsOddInTheRightHandSide) {
  test::Random random(2);
  for (int k = 0; k < 1000; ++k) {
    const double a = random.log_uniform(1e-3, 1e14);
    const double b = random.log_uniform(1e-6, 1e12);
    const double r = random.log_uniform(1e-9, 1e9);
    ASSERT_EQ(solve_signed_quadratic(a, b, -r), -solve_signed_quadratic(a, b, r));
  }
}

TEST(SignedQuadratic, SpecialCases) {
  EXPECT_EQ(solve_signed_quadratic(3.0, 2.0, 0.0), 0.0);
  EXPECT_EQ(solve_signed_quadratic(0.0, 2.0, 5.0), 2.5);   // linear
  EXPECT_EQ(solve_signed_quadratic(2.0, 1.0, 10.0), 2.0);  // 2 * 4 + 2
  EXPECT_EQ(solve_signed_quadratic(2.0, 1.0, -10.0), -2.0);
  // Nearly linear: the textbook formula would lose every digit.
  EXPECT_DOUBLE_EQ(solve_signed_quadratic(1.0, 1e12, 1.0), 1e-12);
}

TEST(SignedSquare, KeepsTheSign) {
  EXPECT_EQ(signed_square(3.0), 9.0);
  EXPECT_EQ(signed_square(-3.0), -9.0);
  EXPECT_EQ(signed_square(0.0), 0.0);
}

}  // namespace
}  // namespace knuckleboom
