#include "knuckleboom/core/multibody/tree.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/core/multibody/kinematics.hpp"
#include "support/crane.hpp"
#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

using multibody::Body;
using multibody::JointType;
using multibody::kBase;
using multibody::LinkInertia;
using multibody::Pose;
using multibody::RigidInertia;
using multibody::Tree;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

Body moving_body(int parent = kBase, const std::string& name = "arm") {
  Body body;
  body.name = body.joint_name = name;
  body.parent = parent;
  body.type = JointType::kRevolute;
  body.inertia.mass = 2.0;
  body.inertia.about_com = Vec3(1.0, 2.0, 2.5).asDiagonal();
  return body;
}

// The message has to name the body, as it reaches whoever wrote the machine file.
void expect_refused(Tree& tree, const Body& body) {
  const int bodies = tree.body_count(), links = tree.link_count();
  try {
    tree.add_body(body);
    ADD_FAILURE() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("'" + body.name + "'"), std::string::npos);
  }
  EXPECT_EQ(tree.body_count(), bodies);
  EXPECT_EQ(tree.link_count(), links);
}

TEST(Tree, RefusesParentsThatAreNotThere) {
  Tree tree;
  expect_refused(tree, moving_body(0));
  tree.add_body(moving_body());
  expect_refused(tree, moving_body(1, "hand"));
  expect_refused(tree, moving_body(-2, "hand"));
  EXPECT_EQ(tree.add_body(moving_body(0, "hand")), 1);
}

TEST(Tree, RefusesAnAxisWithoutDirection) {
  Tree tree;
  for (const Vec3& axis : {Vec3(0.0, 0.0, 0.0), Vec3(kNan, 0.0, 1.0), Vec3(0.0, kInfinity, 0.0)}) {
    for (const JointType type : {JointType::kRevolute, JointType::kPrismatic}) {
      Body body = moving_body();
      body.type = type;
      body.axis_B = axis;
      expect_refused(tree, body);
    }
    Body weld = moving_body(kBase, "weld" + std::to_string(tree.body_count()));
    weld.type = JointType::kFixed;
    weld.axis_B = axis;
    tree.add_body(weld);  // has no axis
  }
}

TEST(Tree, MakesAxesUnit) {
  Tree tree;
  Body body = moving_body();
  body.axis_B = Vec3(0.0, -3.0, 4.0);
  tree.add_body(body);
  EXPECT_LT((tree.body(0).axis_B - Vec3(0.0, -0.6, 0.8)).norm(), 1e-15);
  EXPECT_LT((tree.link(0).in_parent.R.col(2) - Vec3(0.0, -0.6, 0.8)).norm(), 1e-15);
}

// z of a link's frame is its joint axis; the body keeps the frame it was given.
TEST(Tree, LinkFramesStandAlongTheirAxes) {
  test::Random random(3);
  for (int k = 0; k < 200; ++k) {
    const Tree tree = test::random_tree(random);
    const auto kinematics =
        multibody::forward_kinematics(tree, test::Coordinates{}.data(), test::Coordinates{}.data());
    for (int b = 0; b < tree.body_count(); ++b) {
      const Body& body = tree.body(b);
      const Pose pose = multibody::body_pose(tree, kinematics, b);
      // At zero the body stands as it was put into its parent.
      const Pose parent =
          body.parent == kBase ? Pose{} : multibody::body_pose(tree, kinematics, body.parent);
      ASSERT_LT((pose.R - parent.R * body.in_parent.R).norm(), 1e-14);
      ASSERT_LT((pose.p - parent.R * body.in_parent.p - parent.p).norm(), 1e-14);
      if (body.type == JointType::kFixed) continue;
      const auto& link = kinematics.link[static_cast<std::size_t>(body.link)];
      ASSERT_EQ(tree.link(body.link).body, b);
      ASSERT_EQ(body.in_link.p, Vec3::Zero());
      ASSERT_LT((body.in_link.R * body.axis_B - Vec3::UnitZ()).norm(), 1e-15);
      ASSERT_LT((link.in_world.R.col(2) - link.axis_W).norm(), 1e-14);
      ASSERT_LT((link.in_world.p - pose.p).norm(), 1e-15);
      ASSERT_NEAR(link.in_world.R.determinant(), 1.0, 1e-14);
    }
  }
}

TEST(Tree, ParallelJointsAreAligned) {
  const Tree crane = test::reference_crane();
  EXPECT_TRUE(crane.link(0).aligned);
  EXPECT_FALSE(crane.link(1).aligned);  // from the vertical to the horizontal
  EXPECT_TRUE(crane.link(2).aligned);
  EXPECT_EQ(crane.link(2).in_parent.R, Mat3::Identity());
  // The same tree with its frames turned is not aligned where the parallel is not exact.
  Tree tilted;
  tilted.add_body(moving_body());
  Body next = moving_body(0);
  next.name = next.joint_name = "next";
  next.axis_B = Vec3(1e-9, 0.0, 1.0);
  tilted.add_body(next);
  EXPECT_FALSE(tilted.link(1).aligned);
}

TEST(Tree, RefusesInertiasNoBodyHas) {
  Tree tree;
  const auto refused = [&](double mass, const Mat3& about_com, const Vec3& com = Vec3::Zero()) {
    Body body = moving_body();
    body.inertia = {mass, com, about_com};
    EXPECT_FALSE(multibody::is_physical(body.inertia));
    expect_refused(tree, body);
    body.type = JointType::kFixed;
    expect_refused(tree, body);
  };
  const Mat3 sound = Vec3(1.0, 2.0, 2.5).asDiagonal();
  refused(-1.0, sound);
  refused(kNan, sound);
  refused(kInfinity, sound);
  refused(1.0, sound, Vec3(kNan, 0.0, 0.0));
  refused(1.0, Vec3(1.0, 2.0, 3.1).asDiagonal());   // triangle rule
  refused(1.0, Vec3(-0.1, 2.0, 2.0).asDiagonal());  // negative moment
  refused(1.0, Vec3(kNan, 2.0, 2.0).asDiagonal());
  refused(0.0, sound);  // inertia of nothing
  Mat3 lopsided = sound;
  lopsided(0, 1) = 0.1;
  refused(1.0, lopsided);
  // Each diagonal alone looks sound; the principal moments do not.
  Mat3 slanted = Vec3(1.0, 1.0, 1.0).asDiagonal();
  slanted(0, 1) = slanted(1, 0) = 0.9;
  refused(1.0, slanted);
}

TEST(Tree, RefusesPosesThatAreNone) {
  Tree tree;
  const auto refused = [&](const Mat3& R, const Vec3& p) {
    for (const JointType type : {JointType::kFixed, JointType::kRevolute, JointType::kPrismatic}) {
      Body body = moving_body();
      body.type = type;
      body.in_parent = {R, p};
      expect_refused(tree, body);
    }
  };
  const Mat3 upright = Mat3::Identity();
  refused(upright, Vec3(0.0, kNan, 0.0));
  refused(upright, Vec3(kInfinity, 0.0, 0.0));
  Mat3 R = upright;
  R(0, 1) = kNan;
  refused(R, Vec3::Zero());
  refused(Mat3::Zero(), Vec3::Zero());
  refused(1.00000001 * upright, Vec3::Zero());               // stretched
  refused(Vec3(1.0, 1.0, -1.0).asDiagonal(), Vec3::Zero());  // mirrored
  R = upright;
  R(0, 1) = 1e-8;  // sheared
  refused(R, Vec3::Zero());
  R(0, 1) = 1e-11;  // rounding of a file's numbers
  Body body = moving_body();
  body.in_parent.R = R;
  EXPECT_EQ(tree.add_body(body), 0);
}

TEST(Tree, RefusesJointNumbersThatAreNone) {
  Tree tree;
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    for (double Body::*field : {&Body::damping, &Body::lower, &Body::upper}) {
      Body body = moving_body();
      body.*field = bad;
      expect_refused(tree, body);
    }
  }
  Body body = moving_body();
  body.damping = -1.0;
  expect_refused(tree, body);
  body = moving_body();
  body.lower = 0.2;
  body.upper = 0.1;
  expect_refused(tree, body);
}

TEST(Tree, RefusesNamesThatAreTaken) {
  Tree tree;
  tree.add_body(moving_body());
  expect_refused(tree, moving_body(0));
  Body body = moving_body(0, "hand");
  body.joint_name = "arm";
  expect_refused(tree, body);
  Body weld = moving_body(0);
  weld.type = JointType::kFixed;
  expect_refused(tree, weld);
  weld.name = "glove";  // a weld's joint has no name
  EXPECT_EQ(tree.add_body(weld), 1);
  EXPECT_EQ(tree.add_body(moving_body(0, "hand")), 2);
}

TEST(Tree, AcceptsTheLimitsOfTheTriangleRule) {
  const auto accepted = [](const Mat3& about_com) {
    return multibody::is_physical({1.0, Vec3::Zero(), about_com});
  };
  EXPECT_TRUE(accepted(Mat3::Zero()));                      // point
  EXPECT_TRUE(accepted(Vec3(0.0, 2.0, 2.0).asDiagonal()));  // rod
  EXPECT_TRUE(accepted(Vec3(1.0, 2.0, 3.0).asDiagonal()));  // plate
  EXPECT_TRUE(multibody::is_physical(RigidInertia{}));      // nothing
  test::Random random(1);
  for (int k = 0; k < 1000; ++k) {
    const Mat3 R = random.rotation();
    Mat3 plate = R * Vec3(1.0, 2.0, 3.0).asDiagonal() * R.transpose();
    ASSERT_TRUE(accepted(0.5 * (plate + plate.transpose())));
    ASSERT_TRUE(multibody::is_physical(test::random_inertia(random, 3.0, 0.5)));
  }
}

TEST(Tree, RefusesMoreMovingBodiesThanItHolds) {
  Tree tree;
  for (int i = 0; i < kMaxLinks; ++i)
    EXPECT_EQ(tree.add_body(moving_body(i - 1, "arm" + std::to_string(i))), i);
  expect_refused(tree, moving_body());
  // Welded bodies are no links.
  Body weld = moving_body(3);
  weld.type = JointType::kFixed;
  EXPECT_EQ(tree.add_body(weld), kMaxLinks);
  EXPECT_EQ(tree.link_count(), kMaxLinks);
}

TEST(Tree, FindsByName) {
  const Tree tree = test::reference_crane();
  EXPECT_EQ(tree.body_count(), 4);
  EXPECT_EQ(tree.link_count(), 3);
  EXPECT_EQ(tree.find_body("swing"), 0);
  EXPECT_EQ(tree.find_body("head"), 3);
  EXPECT_EQ(tree.find_body("hook"), kBase);
  EXPECT_EQ(tree.find_joint("boom"), 1);
  EXPECT_EQ(tree.find_joint("stick"), 2);
  EXPECT_EQ(tree.find_joint("head"), kBase);
  EXPECT_EQ(tree.body(3).link, 2);
}

TEST(Tree, InertiaAboutTheLinkOrigin) {
  // Steiner by hand: a body turned a quarter about z and moved.
  RigidInertia body;
  body.mass = 2.0;
  body.com = Vec3(1.0, 0.0, 0.0);
  body.about_com = Vec3(1.0, 2.0, 2.5).asDiagonal();
  Pose pose;
  pose.R << 0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0;
  pose.p = Vec3(0.0, 0.0, 3.0);  // centre of mass at (0, 1, 3)
  const LinkInertia link = multibody::to_link_inertia(body, pose);
  EXPECT_EQ(link.mass, 2.0);
  const double mc[3] = {0.0, 2.0, 6.0};
  const double I[6] = {2.0 + 20.0, 1.0 + 18.0, 2.5 + 2.0, 0.0, 0.0, -6.0};
  for (int k = 0; k < 3; ++k) EXPECT_DOUBLE_EQ(link.mc[k], mc[k]);
  for (int k = 0; k < 6; ++k) EXPECT_DOUBLE_EQ(link.I[k], I[k]);
}

TEST(Tree, WeldedBodiesAreLumpedIntoTheirLink) {
  const Tree crane = test::reference_crane();
  const test::CraneNumbers k;
  const LinkInertia& stick = crane.link_inertias()[2];
  EXPECT_DOUBLE_EQ(stick.mass, k.stick_mass + k.head_mass);
  // Link frame: x along the stick, y up across it, z along its axis, to the right.
  EXPECT_LT((crane.body(2).in_link.R * Vec3::UnitX() - Vec3::UnitX()).norm(), 1e-15);
  EXPECT_LT((crane.body(2).in_link.R * Vec3::UnitZ() - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_DOUBLE_EQ(stick.mc[0], k.stick_mass * k.stick_com_x + k.head_mass * k.stick_length);
  EXPECT_DOUBLE_EQ(stick.mc[1], k.stick_mass * k.stick_com_z);
  EXPECT_NEAR(stick.mc[2], 0.0, 1e-12);
  EXPECT_NEAR(stick.I[2],
              k.stick_I_t +
                  k.stick_mass * (k.stick_com_x * k.stick_com_x + k.stick_com_z * k.stick_com_z) +
                  k.head_mass * k.stick_length * k.stick_length,
              1e-11);
  EXPECT_NEAR(stick.I[0], k.stick_I_x + k.stick_mass * k.stick_com_z * k.stick_com_z, 1e-11);

  // A weld on a weld on a link; and one on the base, which moves nothing.
  Tree tree;
  Body base = moving_body(kBase, "floor");
  base.type = JointType::kFixed;
  const int floor = tree.add_body(base);
  const int arm = tree.add_body(moving_body(floor));
  Body bracket = moving_body(arm, "bracket");
  bracket.type = JointType::kFixed;
  bracket.in_parent.p = Vec3(1.0, 0.0, 0.0);
  const int first = tree.add_body(bracket);
  bracket.parent = first;
  bracket.name = "hook";
  const int second = tree.add_body(bracket);
  EXPECT_EQ(tree.link_count(), 1);
  EXPECT_EQ(tree.body(floor).link, kBase);
  EXPECT_EQ(tree.body(second).link, 0);
  EXPECT_EQ(tree.body(second).in_link.p, Vec3(2.0, 0.0, 0.0));
  EXPECT_DOUBLE_EQ(tree.link_inertias()[0].mass, 6.0);
  EXPECT_DOUBLE_EQ(tree.link_inertias()[0].mc[0], 2.0 * (1.0 + 2.0));
}

TEST(Tree, InertiasAddAndSubtract) {
  test::Random random(2);
  const LinkInertia a = multibody::to_link_inertia(test::random_inertia(random, 5.0, 0.5), {});
  const LinkInertia b = multibody::to_link_inertia(test::random_inertia(random, 9.0, 0.5), {});
  const LinkInertia back = (a + b) - b;
  EXPECT_NEAR(back.mass, a.mass, 1e-14);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(back.mc[k], a.mc[k], 1e-14);
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(back.I[k], a.I[k], 1e-14);
}

}  // namespace
}  // namespace knuckleboom
