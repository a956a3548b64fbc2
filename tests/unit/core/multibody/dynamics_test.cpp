#include "knuckleboom/core/multibody/dynamics.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

using multibody::Body;
using multibody::JointType;
using multibody::Tree;

Body body_named(const char* name, int parent, JointType type, const Vec3& axis) {
  Body body;
  body.name = body.joint_name = name;
  body.parent = parent;
  body.type = type;
  body.axis_B = axis;
  return body;
}

TEST(Dynamics, PendulumByHand) {
  Tree tree;
  Body rod = body_named("rod", -1, JointType::kRevolute, -Vec3::UnitY());
  rod.inertia.mass = 2.0;
  rod.inertia.com = Vec3(1.5, 0.0, 0.0);
  rod.inertia.about_com = Vec3(0.0, 0.3, 0.3).asDiagonal();
  tree.add_body(rod);
  const double q[1] = {0.7}, v[1] = {1.1}, tau[1] = {5.0};
  double a[1];
  multibody::forward_dynamics(tree, tree.link_inertias().data(), q, v, tau, a);
  EXPECT_NEAR(a[0], (5.0 - 2.0 * 9.81 * 1.5 * std::cos(0.7)) / (0.3 + 4.5), 1e-14);
  const auto energy = multibody::energy(tree, tree.link_inertias().data(), q, v);
  EXPECT_NEAR(energy.kinetic, 0.5 * 4.8 * 1.21, 1e-14);
  EXPECT_NEAR(energy.potential, 2.0 * 9.81 * 1.5 * std::sin(0.7), 1e-14);
}

TEST(Dynamics, FreeFallOfASlide) {
  Tree tree;
  Body block = body_named("block", -1, JointType::kPrismatic, Vec3(0.6, 0.0, 0.8));
  block.inertia.mass = 3.0;
  tree.add_body(block);
  const double q[1] = {0.2}, v[1] = {1.0}, tau[1] = {0.0};
  double a[1];
  multibody::forward_dynamics(tree, tree.link_inertias().data(), q, v, tau, a);
  EXPECT_NEAR(a[0], -9.81 * 0.8, 1e-14);
}

// Bead sliding out along a turning arm: centrifugal and Coriolis terms by hand.
TEST(Dynamics, BeadOnATurningArm) {
  Tree tree;
  Body arm = body_named("arm", -1, JointType::kRevolute, Vec3::UnitZ());
  arm.inertia.mass = 1.0;
  arm.inertia.about_com = Vec3(2.0, 2.0, 2.0).asDiagonal();
  Body bead = body_named("bead", 0, JointType::kPrismatic, Vec3::UnitX());
  bead.inertia.mass = 4.0;
  tree.add_body(arm);
  tree.add_body(bead);
  const double r = 1.5, w = 2.0, u = 0.5;
  const double q[2] = {0.3, r}, v[2] = {w, u}, tau[2] = {7.0, 3.0};
  double a[2];
  multibody::forward_dynamics(tree, tree.link_inertias().data(), q, v, tau, a);
  EXPECT_NEAR(a[0], (7.0 - 2.0 * 4.0 * r * w * u) / (2.0 + 4.0 * r * r), 1e-14);
  EXPECT_NEAR(a[1], 3.0 / 4.0 + r * w * w, 1e-14);
}

// A universal joint: two hinges with nothing between them.
TEST(Dynamics, LinksWithoutMassCarryOthers) {
  Tree tree;
  const int cross = tree.add_body(body_named("cross", -1, JointType::kRevolute, Vec3::UnitX()));
  Body hook = body_named("hook", cross, JointType::kRevolute, Vec3::UnitY());
  hook.inertia.mass = 10.0;
  hook.inertia.com = Vec3(0.0, 0.0, -1.0);
  hook.inertia.about_com = Vec3(0.5, 0.6, 0.7).asDiagonal();
  tree.add_body(hook);
  const double q[2] = {0.0, 0.0}, v[2] = {0.0, 0.0}, tau[2] = {2.1, 4.24};
  double a[2];
  multibody::forward_dynamics(tree, tree.link_inertias().data(), q, v, tau, a);
  EXPECT_NEAR(a[0], 2.1 / 10.5, 1e-14);
  EXPECT_NEAR(a[1], 4.24 / 10.6, 1e-14);
  const double tilted[2] = {0.4, -0.8}, turning[2] = {1.0, 2.0};
  double back[2];
  multibody::forward_dynamics(tree, tree.link_inertias().data(), tilted, turning, tau, a);
  multibody::inverse_dynamics(tree, tree.link_inertias().data(), tilted, turning, a, back);
  EXPECT_NEAR(back[0], tau[0], 1e-12);
  EXPECT_NEAR(back[1], tau[1], 1e-12);
}

TEST(Dynamics, DampingIsLeftToTheCaller) {
  test::Random random(1);
  const Tree plain = test::random_tree(random);
  Tree damped;
  damped.gravity_W = plain.gravity_W;
  for (int i = 0; i < plain.body_count(); ++i) {
    Body body = plain.body(i);
    body.damping = 100.0;
    damped.add_body(body);
  }
  const auto s = test::random_state(random, plain);
  double tau[2][kMaxLinks], a[2][kMaxLinks];
  const Tree* trees[2] = {&plain, &damped};
  multibody::MassAndBias system[2];
  for (int k = 0; k < 2; ++k) {
    const auto* inertia = trees[k]->link_inertias().data();
    const double *q = s.q.data(), *v = s.v.data();
    multibody::inverse_dynamics(*trees[k], inertia, q, v, s.a.data(), tau[k]);
    multibody::forward_dynamics(*trees[k], inertia, q, v, s.tau.data(), a[k]);
    multibody::mass_and_bias(*trees[k], inertia, q, v, system[k]);
  }
  for (int i = 0; i < plain.link_count(); ++i) {
    EXPECT_EQ(tau[0][i], tau[1][i]);
    EXPECT_EQ(a[0][i], a[1][i]);
    EXPECT_EQ(system[0].bias[i], system[1].bias[i]);
  }
}

TEST(Dynamics, AnEmptyTreeIsNoError) {
  const Tree tree;
  const auto* inertia = tree.link_inertias().data();
  double none[1] = {3.0};
  multibody::MassAndBias out;
  multibody::mass_and_bias(tree, inertia, none, none, out);
  multibody::inverse_dynamics(tree, inertia, none, none, none, none);
  multibody::forward_dynamics(tree, inertia, none, none, none, none);
  EXPECT_EQ(multibody::energy(tree, inertia, none, none).kinetic, 0.0);
  EXPECT_EQ(none[0], 3.0);
}

}  // namespace
}  // namespace knuckleboom
