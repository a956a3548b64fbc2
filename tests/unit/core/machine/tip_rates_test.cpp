// Joint rates for a velocity of the tip: against differences of the tip's position, at limits and in
// stretched poses.

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/tip.hpp"
#include "support/machines.hpp"
#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

using machine::MachineModel;
using machine::RateLimits;
using machine::TipAnswer;
using machine::TipVelocity;

constexpr bool kBoomAndStick[kMaxLinks] = {false, true, true};
const Vec3 kOrigin = Vec3::Zero();

RateLimits wide() {
  RateLimits limits{};
  for (int i = 0; i < kMaxLinks; ++i) {
    limits.down[i] = 1e3;
    limits.lower[i] = -1e3;
    limits.upper[i] = limits.up[i] = 1e3;
    limits.scale[i] = 0.5;
  }
  return limits;
}

struct Pose {
  double q[kMaxLinks] = {};
  machine::LinkPoint tip;
  machine::PointPose point;
};

Pose pose_at(const MachineModel& model, double swing, double boom, double stick) {
  Pose pose;
  pose.q[0] = swing;
  pose.q[1] = boom;
  pose.q[2] = stick;
  pose.tip = machine::crane_tip(model);
  machine::locate(model, pose.tip, pose.q, pose.point);
  return pose;
}

TEST(TipRates, MoveTheTipAsAsked) {
  const MachineModel model = test::reference_machine();
  test::Random random(5);
  for (int n = 0; n < 500; ++n) {
    const Pose pose = pose_at(model, random.uniform(-3.0, 3.0), random.uniform(-0.3, 1.0),
                              random.uniform(-2.0, -0.6));
    const TipVelocity asked{random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)};
    double rate[kMaxLinks];
    ASSERT_EQ(
        machine::tip_rates(model, pose.tip, kOrigin, pose.q, asked, kBoomAndStick, wide(), rate),
        TipAnswer::kAsAsked);
    EXPECT_EQ(rate[0], 0.0);
    // By differences of positions, not by the Jacobian.
    constexpr double kStep = 1e-6;
    double q[2][kMaxLinks];
    for (int side = 0; side < 2; ++side)
      for (int i = 0; i < 3; ++i) q[side][i] = pose.q[i] + (side == 0 ? -kStep : kStep) * rate[i];
    const Vec3 a = machine::tip_position(model, q[0]);
    const Vec3 b = machine::tip_position(model, q[1]);
    const auto radius = [](const Vec3& p) { return std::hypot(p.x(), p.y()); };
    EXPECT_NEAR((radius(b) - radius(a)) / (2.0 * kStep), asked.reach, 1e-8);
    EXPECT_NEAR((b.z() - a.z()) / (2.0 * kStep), asked.height, 1e-8);
    const TipVelocity got = machine::tip_velocity(model, pose.point, kOrigin, rate);
    EXPECT_NEAR(got.reach, asked.reach, 1e-12);
    EXPECT_NEAR(got.height, asked.height, 1e-12);
  }
}

TEST(TipRates, TooFastSlowsDownInTheSameDirection) {
  const MachineModel model = test::reference_machine();
  const Pose pose = pose_at(model, 0.3, 0.5, -1.3);
  RateLimits limits = wide();
  for (int i = 0; i < 3; ++i) limits.up[i] = limits.down[i] = 0.1;
  double rate[kMaxLinks];
  EXPECT_EQ(
      machine::tip_rates(model, pose.tip, kOrigin, pose.q, {3.0, 1.0}, kBoomAndStick, limits, rate),
      TipAnswer::kAsAsked);
  EXPECT_DOUBLE_EQ(std::max(std::fabs(rate[1]), std::fabs(rate[2])), 0.1);
  const TipVelocity got = machine::tip_velocity(model, pose.point, kOrigin, rate);
  EXPECT_NEAR(got.reach, 3.0 * got.height, 1e-12);
  EXPECT_GT(got.reach, 0.0);
}

TEST(TipRates, AJointAtItsEndLetsTheTipSlideOrStop) {
  const MachineModel model = test::reference_machine();
  const Pose pose = pose_at(model, 0.0, 0.2, -1.0);
  RateLimits limits = wide();
  limits.upper[2] = 0.0;  // the stick is out
  // The way the boom alone moves the tip: it goes on along that.
  double boom_only[kMaxLinks] = {0.0, 0.1};
  const TipVelocity along = machine::tip_velocity(model, pose.point, kOrigin, boom_only);
  double rate[kMaxLinks];
  machine::tip_rates(model, pose.tip, kOrigin, pose.q, along, kBoomAndStick, limits, rate);
  EXPECT_NEAR(rate[1], 0.1, 1e-12);
  // A little aside, to the side that would need more stick: slides, and says so.
  TipVelocity aside{along.reach + 0.2 * along.height, along.height - 0.2 * along.reach};
  machine::tip_rates(model, pose.tip, kOrigin, pose.q, aside, kBoomAndStick, wide(), rate);
  if (rate[2] < 0.0) aside = {along.reach - 0.2 * along.height, along.height + 0.2 * along.reach};
  EXPECT_EQ(
      machine::tip_rates(model, pose.tip, kOrigin, pose.q, aside, kBoomAndStick, limits, rate),
      TipAnswer::kLimited);
  EXPECT_EQ(rate[2], 0.0);
  EXPECT_GT(rate[1], 0.05);
  // Straight out: the boom could only take it aside, so it stays.
  EXPECT_EQ(
      machine::tip_rates(model, pose.tip, kOrigin, pose.q, {1.0, 0.0}, kBoomAndStick, limits, rate),
      TipAnswer::kLimited);
  EXPECT_EQ(rate[1], 0.0);
  EXPECT_EQ(rate[2], 0.0);
  // Back in is free.
  EXPECT_EQ(machine::tip_rates(model, pose.tip, kOrigin, pose.q, {-1.0, 0.0}, kBoomAndStick, limits,
                               rate),
            TipAnswer::kAsAsked);
  EXPECT_LT(rate[2], 0.0);
}

// Stick in line with the boom: no joint rates whatever make the tip longer.
TEST(TipRates, AStretchedArmGetsBoundedRates) {
  const MachineModel model = test::reference_machine();
  double worst = 0.0;
  double last = 0.0;
  for (int i = 0; i <= 2000; ++i) {
    const double stick = -0.4 + 1e-3 * 0.2 * i;  // to 0
    const Pose pose = pose_at(model, 0.0, 0.4, stick);
    double rate[kMaxLinks];
    machine::tip_rates(model, pose.tip, kOrigin, pose.q, {1.0, 0.0}, kBoomAndStick, wide(), rate);
    for (int k = 1; k < 3; ++k) {
      ASSERT_TRUE(std::isfinite(rate[k]));
      worst = std::max(worst, std::fabs(rate[k]));
    }
    if (i > 0) {
      EXPECT_LT(std::fabs(rate[2] - last), 0.05) << stick;
    }
    last = rate[2];
  }
  EXPECT_LT(worst, 2.5);
  // Stretched out level, it still goes up and down at full speed, and rests when asked outwards.
  const Pose level = pose_at(model, 0.0, 0.0, 0.0);
  double rate[kMaxLinks];
  EXPECT_EQ(machine::tip_rates(model, level.tip, kOrigin, level.q, {0.0, 0.7}, kBoomAndStick,
                               wide(), rate),
            TipAnswer::kAsAsked);
  EXPECT_NEAR(machine::tip_velocity(model, level.point, kOrigin, rate).height, 0.7, 1e-12);
  EXPECT_EQ(machine::tip_rates(model, level.tip, kOrigin, level.q, {1.0, 0.0}, kBoomAndStick,
                               wide(), rate),
            TipAnswer::kLimited);
  EXPECT_EQ(rate[1], 0.0);
  EXPECT_EQ(rate[2], 0.0);
  // From its edge it returns, slowly at first.
  const Pose edge = pose_at(model, 0.0, 0.0, -0.01);
  machine::tip_rates(model, edge.tip, kOrigin, edge.q, {-0.1, 0.0}, kBoomAndStick, wide(), rate);
  EXPECT_LT(rate[2], -0.05);
  EXPECT_GT(rate[2], -2.0);
}

// A machine that lies in no plane, and one whose tip hangs on passive joints.
TEST(TipRates, WorkForAnyTree) {
  test::Random random(11);
  int solved = 0;
  for (int n = 0; n < 200; ++n) {
    MachineModel model;
    model.tree = test::random_tree(random);
    model.tip_body = model.tree.body_count() - 1;
    model.tip_B = random.vector(1.0);
    double q[kMaxLinks] = {};
    bool used[kMaxLinks] = {};
    for (int i = 0; i < model.joint_count(); ++i) {
      q[i] = random.uniform(-1.0, 1.0);
      used[i] = true;
    }
    machine::PointPose pose;
    machine::locate(model, machine::tip_point(model), q, pose);
    EXPECT_LT((pose.p_W - machine::tip_position(model, q)).norm(), 1e-12);
    const TipVelocity asked{random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2)};
    double rate[kMaxLinks];
    const TipAnswer answer =
        machine::tip_rates(model, machine::tip_point(model), kOrigin, q, asked, used, wide(), rate);
    for (int i = 0; i < model.joint_count(); ++i) ASSERT_TRUE(std::isfinite(rate[i]));
    if (answer != TipAnswer::kAsAsked) continue;
    ++solved;
    const TipVelocity got = machine::tip_velocity(model, pose, kOrigin, rate);
    const double off = std::hypot(got.reach - asked.reach, got.height - asked.height);
    EXPECT_LT(off, 0.15 * std::hypot(asked.reach, asked.height));
  }
  EXPECT_GT(solved, 60);
}

TEST(CraneTip, EndsWhereThePassiveJointsBegin) {
  MachineModel model = test::reference_machine();
  EXPECT_EQ(machine::crane_tip(model).link, 2);
  EXPECT_LT((machine::crane_tip(model).p_L - machine::tip_point(model).p_L).norm(), 1e-15);
  multibody::Body hanger;
  hanger.name = "hanger";
  hanger.joint_name = "hanger";
  hanger.parent = model.tree.find_body("stick");
  hanger.type = multibody::JointType::kRevolute;
  hanger.axis_B = Vec3(0.0, -1.0, 0.0);
  hanger.in_parent.p = Vec3(3.0, 0.0, 0.1);
  hanger.inertia.mass = 10.0;
  hanger.inertia.com = Vec3(0.0, 0.0, -0.5);
  hanger.inertia.about_com = Mat3::Identity();
  model.tip_body = model.tree.add_body(hanger);
  model.tip_B = Vec3(0.0, 0.0, -1.0);
  const machine::LinkPoint tip = machine::crane_tip(model);
  EXPECT_EQ(tip.link, 2);
  double q[kMaxLinks] = {0.0, 0.3, -1.0, 0.5};
  machine::PointPose pose;
  machine::locate(model, tip, q, pose);
  EXPECT_FALSE(pose.carries[3]);
  const Vec3 hung = machine::tip_position(model, q);
  EXPECT_NEAR((hung - pose.p_W).norm(), 1.0, 1e-12);
}

}  // namespace
}  // namespace knuckleboom
