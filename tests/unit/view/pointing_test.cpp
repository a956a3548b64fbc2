// Direction towards what is not in the picture.
#include "view/pointing.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace knuckleboom::view {
namespace {

// Looks along x from 2 m above the ground, 90 degrees high, twice as wide.
CameraView ahead() {
  CameraView view;
  view.eye = Vec3(0.0, 0.0, 2.0);
  view.target = Vec3(1.0, 0.0, 2.0);
  view.fov_y = std::acos(0.0);
  return view;
}

TEST(Pointing, KnowsTheEdgesOfThePicture) {
  const auto inside = [](double x, double y, double z, double margin = 0.0) {
    return pointing_to(ahead(), Vec3(x, y, z), 2.0, margin).inside;
  };
  EXPECT_TRUE(inside(10.0, 0.0, 2.0));
  EXPECT_TRUE(inside(10.0, 0.0, 11.9) && !inside(10.0, 0.0, 12.1));
  EXPECT_TRUE(inside(10.0, 19.9, 2.0) && !inside(10.0, 20.1, 2.0));
  EXPECT_FALSE(inside(10.0, 19.9, 2.0, 0.05));
  EXPECT_FALSE(inside(-10.0, 0.0, 2.0));
}

TEST(Pointing, LeadsTheShorterWayRound) {
  const auto to = [](double x, double y, double z) {
    return pointing_to(ahead(), Vec3(x, y, z), 2.0, 0.0);
  };
  EXPECT_DOUBLE_EQ(to(0.0, 5.0, 2.0).right, -1.0);  // y is to the left
  EXPECT_DOUBLE_EQ(to(-9.0, -0.5, 2.0).right, 1.0);
  EXPECT_DOUBLE_EQ(to(1.0, 0.0, 9.0).down, -1.0);
  const Pointing low = to(1.0, -3.0, -2.0);
  EXPECT_NEAR(low.right, 0.6, 1e-12);
  EXPECT_NEAR(low.down, 0.8, 1e-12);
  EXPECT_DOUBLE_EQ(to(-9.0, 0.0, 2.0).right, 1.0);  // straight behind
}

}  // namespace
}  // namespace knuckleboom::view
