// Lengths, places and impossible ways.
#include "knuckleboom/core/world/way.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

namespace knuckleboom::way_test {
namespace {

using world::Way;
using world::WayRecipe;

// 20 m along x, a quarter of a circle of 10 m to the left, 20 m along y.
WayRecipe corner() {
  WayRecipe recipe;
  recipe.corners = {{0.0, 0.0}, {30.0, 0.0}, {30.0, 30.0}};
  recipe.bend_radius = 10.0;
  return recipe;
}

TEST(Way, HasBendsOfItsRadius) {
  const Way way(corner());
  EXPECT_NEAR(way.length(), 40.0 + 5.0 * std::numbers::pi, 0.01);
  const double middle = 20.0 + 2.5 * std::numbers::pi;
  const world::WayPoint at = way.at(middle);
  EXPECT_NEAR(at.x, 20.0 + 10.0 * std::sqrt(0.5), 0.01);
  EXPECT_NEAR(at.y, 10.0 - 10.0 * std::sqrt(0.5), 0.01);
  EXPECT_NEAR(std::atan2(at.ahead_y, at.ahead_x), 0.25 * std::numbers::pi, 0.03);
  EXPECT_NEAR(way.at(-2.0).x, -2.0, 1e-12);  // straight on beyond its ends
  EXPECT_NEAR(way.at(way.length() + 3.0).y, 33.0, 1e-9);
}

TEST(Way, TellsTheNearestPlaceAndItsSide) {
  const Way way(corner());
  const world::WayPlace left = way.nearest(5.0, 1.5, -10.0, 60.0);
  EXPECT_NEAR(left.along, 5.0, 1e-12);
  EXPECT_NEAR(left.offset, 1.5, 1e-12);
  // On the outer side of the bend, under 30 degrees of it.
  const double x = 20.0 + 12.0 * std::sin(std::numbers::pi / 6.0);
  const double y = 10.0 - 12.0 * std::cos(std::numbers::pi / 6.0);
  const world::WayPlace right = way.nearest(x, y, -10.0, 60.0);
  EXPECT_NEAR(right.along, 20.0 + 10.0 * std::numbers::pi / 6.0, 0.02);
  EXPECT_NEAR(right.offset, -2.0, 0.02);
  EXPECT_NEAR(way.nearest(30.0, 25.0, 0.0, 8.0).along, 8.0, 1e-12);  // no further than it may
  EXPECT_NEAR(way.nearest(-3.0, -1.0, -10.0, 60.0).along, -3.0, 1e-12);
}

std::string refusal(const WayRecipe& recipe) {
  try {
    const Way way(recipe);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return {};
}

TEST(Way, RefusesWhatCannotBeLaid) {
  EXPECT_EQ(refusal(corner()), "");
  WayRecipe recipe = corner();
  recipe.bend_radius = 40.0;
  EXPECT_EQ(refusal(recipe),
            "the way has no room for the bend at corner 2; move the corner or make 'bend_radius' "
            "smaller");
  recipe = corner();
  recipe.corners = {{0.0, 0.0}, {30.0, 0.0}, {30.0, 8.0}, {60.0, 8.0}};
  EXPECT_NE(refusal(recipe).find("corner 3"), std::string::npos);
  recipe.corners = {{0.0, 0.0}, {30.0, 0.0}, {1.0, 1.0}};
  EXPECT_NE(refusal(recipe).find("turns back at corner 2"), std::string::npos);
  recipe.corners = {{0.0, 0.0}, {0.0, 0.0}};
  EXPECT_NE(refusal(recipe).find("corner 2"), std::string::npos);
  recipe.corners = {{0.0, 0.0}};
  EXPECT_NE(refusal(recipe).find("two corners"), std::string::npos);
  recipe = corner();
  recipe.stops = {20.0, 90.0};
  EXPECT_EQ(refusal(recipe), "stop 2 of the way is 90 m along it, but it is only 56 m long");
  recipe.stops = {20.0, 20.5};
  EXPECT_NE(refusal(recipe).find("not beyond"), std::string::npos);
}

}  // namespace
}  // namespace knuckleboom::way_test
