#include "knuckleboom/core/math/table.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

TEST(Table, FollowsItsLines) {
  const Table table{{-1.0, 0.0, 2.0}, {3.0, 1.0, 5.0}};
  EXPECT_EQ(evaluate(table, -0.5).value, 2.0);
  EXPECT_EQ(evaluate(table, -0.5).slope, -2.0);
  EXPECT_EQ(evaluate(table, 1.0).value, 3.0);
  EXPECT_EQ(evaluate(table, 1.0).slope, 2.0);
  EXPECT_EQ(evaluate(table, 0.0).value, 1.0);
}

TEST(Table, IsFlatBeyondItsEnds) {
  const Table table{{-1.0, 0.0, 2.0}, {3.0, 1.0, 5.0}};
  for (const double x : {-1.0, -50.0}) {
    EXPECT_EQ(evaluate(table, x).value, 3.0);
    EXPECT_EQ(evaluate(table, x).slope, 0.0);
  }
  for (const double x : {2.0, 50.0}) {
    EXPECT_EQ(evaluate(table, x).value, 5.0);
    EXPECT_EQ(evaluate(table, x).slope, 0.0);
  }
}

TEST(Table, EmptyAndSinglePoint) {
  EXPECT_EQ(evaluate(Table{}, 1.0).value, 0.0);
  EXPECT_EQ(evaluate(Table{}, 1.0).slope, 0.0);
  const Table point{{1.0}, {7.0}};
  for (const double x : {0.0, 1.0, 2.0}) EXPECT_EQ(evaluate(point, x).value, 7.0);
}

TEST(Table, FindsTheRightInterval) {
  test::Random random(1);
  for (int k = 0; k < 200; ++k) {
    Table table;
    double x = random.uniform(-5.0, 5.0);
    const int n = 2 + random.index(20);
    for (int i = 0; i < n; ++i) {
      table.x.push_back(x);
      table.y.push_back(random.uniform(-10.0, 10.0));
      x += random.uniform(0.01, 1.0);
    }
    for (std::size_t i = 0; i + 1 < table.x.size(); ++i) {
      const double t = random.uniform(0.0, 1.0);
      const double at = table.x[i] + t * (table.x[i + 1] - table.x[i]);
      ASSERT_NEAR(evaluate(table, at).value, table.y[i] + t * (table.y[i + 1] - table.y[i]), 1e-12);
      ASSERT_NEAR(evaluate(table, table.x[i]).value, table.y[i], 1e-12);
    }
  }
}

}  // namespace
}  // namespace knuckleboom
