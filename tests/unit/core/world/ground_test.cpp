// The ground: what the recipe asks for, and height and normal that belong together.
#include <cmath>

#include <gtest/gtest.h>

#include "world_test_support.hpp"

namespace knuckleboom::world {
namespace {

GroundRecipe bumpy(std::uint32_t seed = 3) {
  GroundRecipe recipe;
  recipe.seed = seed;
  recipe.bump_height = 0.2;
  return recipe;
}

TEST(Ground, IsFlatWithoutBumps) {
  const Ground ground = make_ground(GroundRecipe{});
  EXPECT_EQ(height(ground, 12.3, -4.0), 0.0);
  EXPECT_EQ(normal(ground, 12.3, -4.0), Vec3(0.0, 0.0, 1.0));
}

TEST(Ground, IsLevelAroundTheMachine) {
  GroundRecipe recipe = bumpy();
  recipe.slope_x = 0.1;
  const Ground ground = make_ground(recipe);
  for (double angle = 0.0; angle < 6.3; angle += 0.1)
    for (const double r : {0.0, 1.0, 2.2}) {
      EXPECT_EQ(height(ground, r * std::cos(angle), r * std::sin(angle)), 0.0);
      EXPECT_EQ(normal(ground, r * std::cos(angle), r * std::sin(angle)).z(), 1.0);
    }
}

TEST(Ground, HasBumpsOfTheHeightAndLengthAskedFor) {
  GroundRecipe recipe = bumpy();
  recipe.level_radius = 0.0;
  const Ground ground = make_ground(recipe);
  double sum = 0.0, squares = 0.0;
  for (const double z : ground.height) {
    sum += z;
    squares += z * z;
  }
  const auto n = static_cast<double>(ground.height.size());
  EXPECT_NEAR(sum / n, 0.0, 1e-12);
  EXPECT_NEAR(std::sqrt(squares / n), 0.2, 1e-12);
  // From summit to summit along a line.
  int summits = 0;
  for (double y = -38.0; y < 38.0; y += 4.0)
    for (double x = -38.0; x < 38.0; x += 0.5)
      if (height(ground, x, y) > height(ground, x - 0.5, y) &&
          height(ground, x, y) >= height(ground, x + 0.5, y))
        ++summits;
  EXPECT_NEAR(76.0 * 19.0 / summits, recipe.bump_length, 0.35 * recipe.bump_length);
}

TEST(Ground, SlopesAsAskedFor) {
  GroundRecipe recipe;
  recipe.slope_x = 0.2;
  recipe.slope_y = -0.1;
  const Ground ground = make_ground(recipe);
  EXPECT_NEAR(height(ground, 20.0, 10.0), 3.0, 1e-12);
  const Vec3 n = normal(ground, 20.0, 10.0);
  EXPECT_LT((n - Vec3(-0.2, 0.1, 1.0).normalized()).norm(), 1e-12);
}

TEST(Ground, NormalIsAcrossTheSurface) {
  const Ground ground = make_ground(bumpy());
  const double h = 1e-5;
  for (int i = 0; i < 300; ++i) {
    const double x = -30.03 + 0.197 * i;
    const double y = 21.7043 - 0.151 * i;
    const double dz_dx = (height(ground, x + h, y) - height(ground, x - h, y)) / (2.0 * h);
    const double dz_dy = (height(ground, x, y + h) - height(ground, x, y - h)) / (2.0 * h);
    const Vec3 n = normal(ground, x, y);
    EXPECT_NEAR(n.norm(), 1.0, 1e-12);
    EXPECT_NEAR(n.dot(Vec3(1.0, 0.0, dz_dx)), 0.0, 1e-6);
    EXPECT_NEAR(n.dot(Vec3(0.0, 1.0, dz_dy)), 0.0, 1e-6);
  }
}

TEST(Ground, IsLevelBeyondItsEdge) {
  GroundRecipe recipe;
  recipe.slope_x = 0.1;
  const Ground ground = make_ground(recipe);
  EXPECT_NEAR(height(ground, 500.0, 0.0), 4.0, 1e-12);
  EXPECT_NEAR(height(ground, -500.0, 7e3), -4.0, 1e-12);
  EXPECT_EQ(normal(ground, 500.0, 0.0), Vec3(0.0, 0.0, 1.0));
}

TEST(Ground, DependsOnTheSeedAlone) {
  EXPECT_EQ(make_ground(bumpy(5)).height, make_ground(bumpy(5)).height);
  EXPECT_NE(make_ground(bumpy(5)).height, make_ground(bumpy(6)).height);
  // A number to notice if the generator changes: recordings of exercises would no longer fit.
  EXPECT_NEAR(height(make_ground(bumpy(1)), 10.0, 10.0), 0.13342448654428501, 1e-12);
}

}  // namespace
}  // namespace knuckleboom::world
