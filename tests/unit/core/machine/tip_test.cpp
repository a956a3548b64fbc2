#include "knuckleboom/core/machine/tip.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "support/crane.hpp"
#include "support/machines.hpp"
#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

using machine::MachineModel;

constexpr bool kAll[kMaxLinks] = {true, true, true};

struct Joints {
  double q[kMaxLinks] = {};
};

Joints random_pose(test::Random& random, const MachineModel& model, double margin = 0.0) {
  Joints out;
  for (int i = 0; i < model.joint_count(); ++i) {
    const multibody::Body& body = model.tree.body(model.tree.link(i).body);
    const bool limited = body.upper > body.lower;
    out.q[i] =
        random.uniform(limited ? body.lower + margin : -3.0, limited ? body.upper - margin : 3.0);
  }
  return out;
}

void expect_within_limits(const MachineModel& model, const Joints& pose) {
  for (int i = 0; i < model.joint_count(); ++i) {
    const multibody::Body& body = model.tree.body(model.tree.link(i).body);
    if (!(body.upper > body.lower)) continue;
    EXPECT_GE(pose.q[i], body.lower);
    EXPECT_LE(pose.q[i], body.upper);
  }
}

TEST(Tip, StandsWhereTheCraneEnds) {
  const MachineModel model = test::reference_machine();
  const double q[kMaxLinks] = {0.4, 0.0, -0.5};
  const test::CraneNumbers k;
  const double radius = k.boom_pivot_x + k.boom_length + k.stick_length * std::cos(0.5);
  const Vec3 expected(radius * std::cos(0.4), radius * std::sin(0.4),
                      k.boom_pivot_z - k.stick_length * std::sin(0.5));
  EXPECT_LT((machine::tip_position(model, q) - expected).norm(), 1e-14);
  MachineModel longer = model;
  longer.tip_B = Vec3(0.3, 0.0, 0.0);
  EXPECT_NEAR((machine::tip_position(longer, q) - expected).norm(), 0.3, 1e-14);
}

// As a tick uses it: the pose is near the last one.
TEST(Tip, FindsPosesNearby) {
  const MachineModel model = test::reference_machine();
  test::Random random(1);
  double worst_tip = 0.0, worst_joint = 0.0;
  for (int k = 0; k < 5000; ++k) {
    const Joints goal = random_pose(random, model, 0.05);
    const Vec3 target = machine::tip_position(model, goal.q);
    Joints pose = goal;
    for (int i = 0; i < 3; ++i) pose.q[i] += random.uniform(-0.05, 0.05);
    ASSERT_TRUE(machine::solve_tip(model, target, kAll, pose.q)) << k;
    worst_tip = std::max(worst_tip, (machine::tip_position(model, pose.q) - target).norm());
    for (int i = 0; i < 3; ++i)
      worst_joint = std::max(worst_joint, std::fabs(pose.q[i] - goal.q[i]));
    expect_within_limits(model, pose);
  }
  std::printf("worst: tip %.1e m, joint %.1e rad\n", worst_tip, worst_joint);
  EXPECT_LT(worst_tip, 1e-9);
  EXPECT_LT(worst_joint, 1e-8);
}

// From anywhere to anywhere; the elbow has one side only, so the pose is the same again.
TEST(Tip, FindsPosesFarAway) {
  const MachineModel model = test::reference_machine();
  test::Random random(2);
  int found = 0;
  constexpr int kPoses = 2000;
  for (int k = 0; k < kPoses; ++k) {
    const Joints goal = random_pose(random, model, 0.02);
    Joints pose = random_pose(random, model, 0.02);
    pose.q[0] = goal.q[0] + random.uniform(-1.0, 1.0);
    const Vec3 target = machine::tip_position(model, goal.q);
    if (!machine::solve_tip(model, target, kAll, pose.q)) continue;
    ++found;
    ASSERT_LT((machine::tip_position(model, pose.q) - target).norm(), 1e-9);
    for (int i = 0; i < 3; ++i) ASSERT_NEAR(pose.q[i], goal.q[i], 1e-7);
  }
  std::printf("found %d of %d\n", found, kPoses);
  EXPECT_EQ(found, kPoses);
}

TEST(Tip, SaysWhenThePointIsOutOfReach) {
  const MachineModel model = test::reference_machine();
  test::Random random(3);
  for (int k = 0; k < 500; ++k) {
    Joints pose = random_pose(random, model);
    const double angle = random.uniform(-3.0, 3.0);
    const double radius = random.uniform(9.0, 30.0);
    const Vec3 target(radius * std::cos(angle), radius * std::sin(angle),
                      random.uniform(-2.0, 5.0));
    const double before = (machine::tip_position(model, pose.q) - target).norm();
    ASSERT_FALSE(machine::solve_tip(model, target, kAll, pose.q));
    ASSERT_LE((machine::tip_position(model, pose.q) - target).norm(), before);
    expect_within_limits(model, pose);
  }
  // Straight up along the swing axis there is nothing either, nor at the foot of the crane.
  Joints pose{{0.0, 0.5, -1.3}};
  EXPECT_FALSE(machine::solve_tip(model, Vec3(0.0, 0.0, 12.0), kAll, pose.q));
  EXPECT_FALSE(machine::solve_tip(model, Vec3(0.0, 0.0, 0.0), kAll, pose.q));
  for (const double q : pose.q) EXPECT_TRUE(std::isfinite(q));
}

TEST(Tip, JointsNotUsedStay) {
  const MachineModel model = test::reference_machine();
  const bool plane[kMaxLinks] = {false, true, true};
  Joints pose{{0.3, 0.4, -1.2}};
  const Joints goal{{0.3, 0.55, -1.35}};
  EXPECT_TRUE(machine::solve_tip(model, machine::tip_position(model, goal.q), plane, pose.q));
  EXPECT_EQ(pose.q[0], 0.3);
  EXPECT_NEAR(pose.q[1], 0.55, 1e-9);
  // A target beside the plane cannot be met without the swing.
  const Joints aside{{0.4, 0.55, -1.35}};
  EXPECT_FALSE(machine::solve_tip(model, machine::tip_position(model, aside.q), plane, pose.q));
  EXPECT_EQ(pose.q[0], 0.3);
  // Without any joint only the point where the tip already is.
  const bool none[kMaxLinks] = {};
  EXPECT_TRUE(
      machine::solve_tip(model, machine::tip_position(model, goal.q), none, Joints{goal}.q));
  EXPECT_FALSE(
      machine::solve_tip(model, machine::tip_position(model, aside.q), none, Joints{goal}.q));
}

TEST(Tip, TheCircleIsWithinReach) {
  const MachineModel model = test::reference_machine();
  const command::Scenario scenario = test::tip_circle();
  Joints pose{{0.0, 0.5, -1.3}};
  const Vec3 start = machine::tip_position(model, pose.q);
  for (int k = 0; k <= 42000; k += 7) {
    const Vec3 target = start + command::offset(scenario.tip_path, 1e-3 * k);
    ASSERT_TRUE(machine::solve_tip(model, target, kAll, pose.q)) << k;
    ASSERT_LT((machine::tip_position(model, pose.q) - target).norm(), 1e-9);
  }
}

}  // namespace
}  // namespace knuckleboom
