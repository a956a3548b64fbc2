#include "knuckleboom/core/multibody/kinematics.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "support/crane.hpp"
#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

using multibody::Body;
using multibody::JointType;
using multibody::kBase;
using multibody::Tree;

TEST(Kinematics, CraneTip) {
  const Tree tree = test::reference_crane();
  const test::CraneNumbers k;
  const int head = tree.find_body("head");
  test::Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 q = random.vector(std::numbers::pi), v = random.vector(3.0);
    const auto kinematics = multibody::forward_kinematics(tree, q.data(), v.data());
    const auto tip = multibody::point_motion(tree, kinematics, head, Vec3::Zero());
    const double phi = q(1) + q(2);
    const double radius =
        k.boom_pivot_x + k.boom_length * std::cos(q(1)) + k.stick_length * std::cos(phi);
    const double height = k.boom_length * std::sin(q(1)) + k.stick_length * std::sin(phi);
    const Vec3 outward(std::cos(q(0)), std::sin(q(0)), 0.0);
    const Vec3 sideways(-std::sin(q(0)), std::cos(q(0)), 0.0);
    const Vec3 up = Vec3::UnitZ();
    ASSERT_LT((tip.p_W - (radius * outward + (k.boom_pivot_z + height) * up)).norm(), 1e-14);
    const Vec3 by_stick = k.stick_length * (-std::sin(phi) * outward + std::cos(phi) * up);
    const Vec3 J[3] = {radius * sideways, -height * outward + (radius - k.boom_pivot_x) * up,
                       by_stick};
    Vec3 velocity = Vec3::Zero();
    for (int j = 0; j < 3; ++j) {
      ASSERT_LT((tip.J_W[static_cast<std::size_t>(j)] - J[j]).norm(), 1e-14);
      velocity += J[j] * v(j);
    }
    ASSERT_LT((tip.v_W - velocity).norm(), 1e-13);
    const Vec3 omega = v(0) * up - (v(1) + v(2)) * sideways;
    ASSERT_LT((kinematics.link[2].omega_W - omega).norm(), 1e-14);
    ASSERT_LT((kinematics.link[2].axis_W + sideways).norm(), 1e-14);
  }
}

TEST(Kinematics, BoomAndStickPointUpForPositiveAngles) {
  const Tree tree = test::reference_crane();
  const double q[3] = {0.0, 0.5, -1.3}, rest[3] = {};
  const auto kinematics = multibody::forward_kinematics(tree, q, rest);
  EXPECT_GT(multibody::body_pose(tree, kinematics, 1).R(2, 0), 0.0);
  EXPECT_LT(multibody::body_pose(tree, kinematics, 2).R(2, 0), 0.0);
  EXPECT_NEAR(multibody::body_pose(tree, kinematics, 3).p.z(),
              1.9 + 5.0 * std::sin(0.5) + 3.2 * std::sin(-0.8), 1e-14);
}

TEST(Kinematics, SlideOnATurningArm) {
  Tree tree;
  Body arm;
  arm.name = arm.joint_name = "arm";
  arm.type = JointType::kRevolute;
  arm.inertia.mass = 1.0;
  Body slide;
  slide.name = slide.joint_name = "slide";
  slide.parent = 0;
  slide.type = JointType::kPrismatic;
  slide.axis_B = Vec3::UnitX();
  slide.in_parent.p = Vec3(1.0, 0.0, 0.0);
  slide.inertia.mass = 1.0;
  tree.add_body(arm);
  tree.add_body(slide);
  const double q[2] = {std::numbers::pi / 2.0, 0.5}, v[2] = {2.0, 3.0};
  const auto kinematics = multibody::forward_kinematics(tree, q, v);
  const auto& end = kinematics.link[1];
  EXPECT_LT((end.in_world.p - Vec3(0.0, 1.5, 0.0)).norm(), 1e-15);
  EXPECT_LT((end.v_origin_W - Vec3(-3.0, 3.0, 0.0)).norm(), 1e-15);
  EXPECT_EQ(end.omega_W, Vec3(0.0, 0.0, 2.0));
  EXPECT_LT((end.axis_W - Vec3::UnitY()).norm(), 1e-15);
}

TEST(Kinematics, BodiesOnTheBaseStandStill) {
  Tree tree;
  Body post;
  post.name = "post";
  post.in_parent.p = Vec3(1.0, 2.0, 3.0);
  tree.add_body(post);
  post.parent = 0;
  post.name = "second";
  tree.add_body(post);
  Body arm;
  arm.name = arm.joint_name = "arm";
  arm.type = JointType::kRevolute;
  arm.inertia.mass = 1.0;
  tree.add_body(arm);
  const double q[1] = {0.3}, v[1] = {4.0};
  const auto kinematics = multibody::forward_kinematics(tree, q, v);
  EXPECT_EQ(multibody::body_pose(tree, kinematics, 1).p, Vec3(2.0, 4.0, 6.0));
  const auto point = multibody::point_motion(tree, kinematics, 1, Vec3(0.0, 0.0, 1.0));
  EXPECT_EQ(point.p_W, Vec3(2.0, 4.0, 7.0));
  EXPECT_EQ(point.v_W, Vec3::Zero());
  EXPECT_EQ(point.J_W[0], Vec3::Zero());
}

TEST(Kinematics, OtherBranchesDoNotMoveAPoint) {
  test::Random random(2);
  for (int k = 0; k < 100; ++k) {
    const Tree tree = test::random_tree(random);
    const auto s = test::random_state(random, tree);
    const auto kinematics = multibody::forward_kinematics(tree, s.q.data(), s.v.data());
    const int b = random.index(tree.body_count());
    std::array<bool, kMaxLinks> carries{};
    for (int i = b; i != kBase; i = tree.body(i).parent)
      if (tree.body(i).type != JointType::kFixed)
        carries[static_cast<std::size_t>(tree.body(i).link)] = true;
    const auto motion = multibody::point_motion(tree, kinematics, b, random.vector(1.0));
    for (std::size_t i = 0; i < static_cast<std::size_t>(tree.link_count()); ++i) {
      if (!carries[i]) {
        ASSERT_EQ(motion.J_W[i], Vec3::Zero());
      }
    }
  }
}

TEST(Kinematics, RotationsStayOrthonormal) {
  test::Random random(3);
  test::TreeOptions options;
  options.min_bodies = options.max_bodies = 12;
  options.serial = true;
  for (int k = 0; k < 100; ++k) {
    const Tree tree = test::random_tree(random, options);
    const auto s = test::random_state(random, tree);
    const auto kinematics = multibody::forward_kinematics(tree, s.q.data(), s.v.data());
    for (int i = 0; i < tree.link_count(); ++i) {
      const Mat3& R = kinematics.link[static_cast<std::size_t>(i)].in_world.R;
      ASSERT_LT((R * R.transpose() - Mat3::Identity()).norm(), 2e-14);
    }
  }
}

}  // namespace
}  // namespace knuckleboom
