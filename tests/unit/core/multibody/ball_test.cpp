// The turns of a ball joint: orientation, rates, other turns of the same motion, and the rotation vector.
#include "knuckleboom/core/multibody/ball.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "knuckleboom/core/math/angle.hpp"
#include "support/random_tree.hpp"

namespace knuckleboom::ball_test {
namespace {

using multibody::kTurns;

Mat3 about(double angle, const Vec3& axis) {
  return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}
Mat3 by_definition(const double* q) {
  return about(q[0], Vec3::UnitY()) * about(q[1], Vec3::UnitZ()) * about(q[2], Vec3::UnitY()) *
         about(q[3], Vec3::UnitX());
}
// Some orientation, now and then with the body's x axis exactly upright.
Mat3 some_orientation(test::Random& random, int k) {
  if (k % 7 == 0) return about(0.5 * std::numbers::pi * (k % 4), Vec3::UnitY());
  return about(random.uniform(-3.1, 3.1), random.direction());
}

TEST(Ball, TheAngleOfAPointIsThatOfTheLibrary) {
  for (int i = -40; i <= 40; ++i)
    for (int j = -40; j <= 40; ++j) {
      const double y = 0.3 * i, x = 1e-3 * j * j * j;
      const double wanted = y == 0.0 && x == 0.0 ? 0.0 : std::atan2(y, x);
      EXPECT_NEAR(std::remainder(angle_of(y, x) - wanted, 2.0 * std::numbers::pi), 0.0, 1e-15);
    }
}

TEST(Ball, EveryOrientationHasWellPlacedTurns) {
  test::Random random(15);
  for (int k = 0; k < 300; ++k) {
    const Mat3 R = some_orientation(random, k);
    double q[kTurns];
    multibody::place(R, q);
    EXPECT_LT((by_definition(q) - R).norm(), 2e-15);
    EXPECT_LT((multibody::orientation(q).toRotationMatrix() - R).norm(), 2e-15);
    EXPECT_GE(multibody::orientation(q).w(), 0.0);
    EXPECT_TRUE(q[0] == 0.0 || q[0] == 0.5 * std::numbers::pi);
    EXPECT_LT(std::fabs(q[2]), 0.8) << "far from where yaw and roll are one";
  }
}

// The same motion in other turns: orientation along the way to second order, and exactly at the moment.
TEST(Ball, OtherTurnsAreTheSameMotion) {
  test::Random random(16);
  int rebased = 0;
  for (int k = 0; k < 200; ++k) {
    double q[kTurns] = {k % 2 == 0 ? 0.0 : 0.5 * std::numbers::pi, random.uniform(-3.0, 3.0),
                        random.uniform(-1.4, 1.4), random.uniform(-3.0, 3.0)};
    double v[kTurns] = {0.0, random.uniform(-2.0, 2.0), random.uniform(-2.0, 2.0),
                        random.uniform(-2.0, 2.0)};
    double a[kTurns] = {0.0, random.uniform(-5.0, 5.0), random.uniform(-5.0, 5.0),
                        random.uniform(-5.0, 5.0)};
    const auto later = [](const double* q0, const double* v0, const double* a0, double t) {
      double at[kTurns];
      for (int i = 0; i < kTurns; ++i) at[i] = q0[i] + t * (v0[i] + 0.5 * t * a0[i]);
      return by_definition(at);
    };
    constexpr double kTime = 1e-4;
    const Mat3 now = later(q, v, a, 0.0), then = later(q, v, a, kTime);
    const Vec3 omega = multibody::angular_velocity(q, v);
    if (!multibody::rebase(q, v, a)) continue;
    ++rebased;
    EXPECT_LT((by_definition(q) - now).norm(), 3e-15);
    EXPECT_LT((multibody::angular_velocity(q, v) - omega).norm(), 1e-13);
    // The two differ by the third derivative alone.
    EXPECT_LT((later(q, v, a, kTime) - then).norm(), 1e-9);
    EXPECT_EQ(v[0], 0.0);
    EXPECT_EQ(a[0], 0.0);
    EXPECT_FALSE(multibody::rebase(q, v, a)) << "once is enough";
  }
  EXPECT_GT(rebased, 50);
}

TEST(Ball, AngularVelocityIsThatOfTheMovingBody) {
  test::Random random(17);
  for (int k = 0; k < 50; ++k) {
    double q[kTurns], v[kTurns] = {0.0, random.uniform(-2.0, 2.0), random.uniform(-2.0, 2.0), 1.3};
    multibody::place(some_orientation(random, k), q);
    constexpr double kStep = 1e-5;
    double up[kTurns], down[kTurns];
    for (int i = 0; i < kTurns; ++i) {
      up[i] = q[i] + kStep * v[i];
      down[i] = q[i] - kStep * v[i];
    }
    const Mat3 cross =
        by_definition(q).transpose() * (by_definition(up) - by_definition(down)) / (2.0 * kStep);
    EXPECT_LT(
        (multibody::angular_velocity(q, v) - Vec3(cross(2, 1), cross(0, 2), cross(1, 0))).norm(),
        1e-8);
  }
}

TEST(Ball, TheRotationVectorAndItsDerivatives) {
  test::Random random(18);
  for (int k = 0; k < 200; ++k) {
    const double angle = k < 20 ? std::pow(10.0, -k) : random.uniform(0.0, 3.0);
    const Vec3 axis = random.direction();
    double q[kTurns];
    multibody::place(about(angle, axis), q);
    const multibody::Bend bend = multibody::bend(q);
    EXPECT_LT((bend.phi - angle * axis).norm(), 1e-14);
    for (int t = 0; t < 3; ++t) {
      constexpr double kStep = 1e-6;
      double up[kTurns], down[kTurns];
      std::copy(q, q + kTurns, up);
      std::copy(q, q + kTurns, down);
      up[t + 1] += kStep;
      down[t + 1] -= kStep;
      const Vec3 slope = (multibody::bend(up).phi - multibody::bend(down).phi) / (2.0 * kStep);
      EXPECT_LT((bend.by_turn.col(t) - slope).norm(), 1e-8) << angle;
    }
  }
}

}  // namespace
}  // namespace knuckleboom::ball_test
