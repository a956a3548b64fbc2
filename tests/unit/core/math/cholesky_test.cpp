#include "knuckleboom/core/math/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "knuckleboom/core/math/vector.hpp"
#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

TEST(Cholesky, SolvesRandomSystemsOfEverySize) {
  test::Random random(1);
  double worst = 0.0;
  for (int k = 0; k < 3200; ++k) {
    const int n = 1 + k % kMaxLinks;
    double B[kMaxLinks][kMaxLinks], A[kMaxLinks][kMaxLinks], factor[kMaxLinks][kMaxLinks];
    double b[kMaxLinks], x[kMaxLinks];
    for (int i = 0; i < n; ++i) {
      b[i] = x[i] = random.uniform(-1.0, 1.0);
      for (int j = 0; j < n; ++j) B[i][j] = random.uniform(-1.0, 1.0);
    }
    double size = 0.0;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        A[i][j] = i == j ? 1e-3 : 0.0;
        for (int m = 0; m < n; ++m) A[i][j] += B[i][m] * B[j][m];
        // The upper half must not be read.
        factor[i][j] = j <= i ? A[i][j] : std::nan("");
        size = std::max(size, std::fabs(A[i][j]));
      }
    ASSERT_TRUE(solve_positive_definite(n, factor, x));
    double residual = 0.0, solution = 0.0;
    for (int i = 0; i < n; ++i) {
      double r = -b[i];
      for (int j = 0; j < n; ++j) r += A[i][j] * x[j];
      residual = std::max(residual, std::fabs(r));
      solution = std::max(solution, std::fabs(x[i]));
    }
    const double scaled = residual / (size * solution * n + 1.0);
    ASSERT_TRUE(std::isfinite(scaled));
    worst = std::max(worst, scaled);
  }
  std::printf("worst scaled residual: %.2g\n", worst);
  EXPECT_LT(worst, 1e-15);
}

TEST(Cholesky, RefusesWhatIsNotPositiveDefinite) {
  double indefinite[2][2] = {{1.0, 2.0}, {2.0, 1.0}};
  double singular[2][2] = {{1.0, 1.0}, {1.0, 1.0}};
  double negative[1][1] = {{-1.0}};
  double not_a_number[1][1] = {{std::nan("")}};
  double b[2] = {1.0, 1.0};
  EXPECT_FALSE(solve_positive_definite(2, indefinite, b));
  EXPECT_FALSE(solve_positive_definite(2, singular, b));
  EXPECT_FALSE(solve_positive_definite(1, negative, b));
  EXPECT_FALSE(solve_positive_definite(1, not_a_number, b));
}

TEST(Cholesky, NothingToSolve) {
  double A[1][1] = {{0.0}};
  EXPECT_TRUE(solve_positive_definite(0, A, A[0]));
}

TEST(Cholesky, ByHand) {
  double A[2][2] = {{4.0, 0.0}, {2.0, 5.0}};
  double b[2] = {8.0, 12.0};
  ASSERT_TRUE(solve_positive_definite(2, A, b));
  EXPECT_DOUBLE_EQ(b[0], 1.0);
  EXPECT_DOUBLE_EQ(b[1], 2.0);
}

}  // namespace
}  // namespace knuckleboom
