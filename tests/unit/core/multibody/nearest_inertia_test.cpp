// Mended inertias keep their axes and what a rigid body can have.
#include "knuckleboom/core/multibody/nearest_inertia.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "knuckleboom/core/multibody/tree.hpp"

namespace knuckleboom {
namespace {

Mat3 turned(const Vec3& principal) {
  const double c = std::cos(0.7), s = std::sin(0.7);
  Mat3 R, Q;
  R << c, -s, 0, s, c, 0, 0, 0, 1;
  Q << 1, 0, 0, 0, c, -s, 0, s, c;
  return R * Q * principal.asDiagonal() * (R * Q).transpose();
}

TEST(NearestInertia, SoundOnesStay) {
  const Mat3 I = turned(Vec3(0.2, 0.3, 0.45));
  EXPECT_LT((multibody::nearest_inertia(I) - I).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(NearestInertia, TheSmallerTwoAreRaisedAboutTheSameAxes) {
  const Mat3 mended = multibody::nearest_inertia(turned(Vec3(0.2, 0.3, 0.6)));
  EXPECT_LT((mended - turned(Vec3(0.25, 0.35, 0.6))).cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_TRUE(multibody::is_physical({1.0, Vec3::Zero(), 0.5 * (mended + mended.transpose())}));
}

TEST(NearestInertia, WhatIsNegativeBecomesZero) {
  const Mat3 mended = multibody::nearest_inertia(turned(Vec3(-0.1, 0.3, 0.3)));
  EXPECT_LT((mended - turned(Vec3(0.0, 0.3, 0.3))).cwiseAbs().maxCoeff(), 1e-15);
}

}  // namespace
}  // namespace knuckleboom
