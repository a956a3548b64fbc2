#include "knuckleboom/core/multibody/loops.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include <gtest/gtest.h>

#include "knuckleboom/core/multibody/dynamics.hpp"
#include "support/mechanisms.hpp"

namespace knuckleboom {
namespace {

using multibody::Embedding;
using multibody::Loop;
using multibody::LoopSystem;
using multibody::Tree;

constexpr bool kKeepFirst[kMaxLinks] = {true};

TEST(Loops, FourBarMovesAsNortonSays) {
  Tree tree;
  const test::FourBar bars;
  const LoopSystem loops(tree, {test::add_four_bar(tree, bars)});
  ASSERT_EQ(loops.group_count(), 1);
  double q[3] = {0.4, 0.6, 1.5};
  double gap;
  ASSERT_EQ(loops.assemble(tree, kKeepFirst, q, gap), -1);
  const std::int64_t dependent = loops.choose(tree, q, kKeepFirst);
  EXPECT_EQ(dependent, 0b110);
  Embedding e;
  for (int step = 0; step <= 200; ++step) {
    const double angle = 0.4 + step * 0.05;
    const auto want = test::four_bar_motion(bars, angle, 2.0, -3.0);
    double v[3] = {2.0, 0.0, 0.0};
    const double a[3] = {};
    q[0] = angle;
    loops.embed(tree, dependent, v, q, e);
    multibody::expand(e, v);
    loops.add_gamma(tree, v, a, e);
    ASSERT_EQ(e.gap, 0.0);
    const double turn = 2.0 * std::numbers::pi;
    EXPECT_NEAR(std::remainder(q[0] + q[1] - want.angle[1], turn), 0.0, 1e-13);
    EXPECT_NEAR(std::remainder(q[2] - want.angle[2], turn), 0.0, 1e-13);
    EXPECT_NEAR(v[0] + v[1], want.rate[1], 1e-12);
    EXPECT_NEAR(v[2], want.rate[2], 1e-12);
    EXPECT_NEAR(-3.0 + e.B[1][0] * -3.0 + e.gamma[1], want.acceleration[1], 1e-11);
    EXPECT_NEAR(e.B[2][0] * -3.0 + e.gamma[2], want.acceleration[2], 1e-11);
    EXPECT_LT(loops.gap(tree, q), 1e-15);
  }
}

TEST(Loops, CrankSliderMovesAsItsTriangleSays) {
  Tree tree;
  const test::CrankSlider sizes;
  std::vector<Loop> list;
  test::add_crank_slider(tree, sizes, list);
  const LoopSystem loops(tree, list);
  ASSERT_EQ(loops.group_count(), 1);  // both hang on all joints
  double q[3] = {0.3, -0.4, 0.1};
  double gap;
  ASSERT_EQ(loops.assemble(tree, kKeepFirst, q, gap), -1);
  const std::int64_t dependent = loops.choose(tree, q, kKeepFirst);
  Embedding e;
  for (int step = 0; step <= 200; ++step) {
    q[0] = 0.3 + 0.05 * step;
    const auto want = test::slider_motion(sizes, q[0], 4.0, 5.0);
    double v[3] = {4.0, 0.0, 0.0};
    const double a[3] = {};
    loops.embed(tree, dependent, v, q, e);
    multibody::expand(e, v);
    loops.add_gamma(tree, v, a, e);
    EXPECT_NEAR(std::remainder(q[0] + q[1] - want.rod_angle, 2.0 * std::numbers::pi), 0.0, 1e-13);
    EXPECT_NEAR(v[0] + v[1], want.rod_rate, 1e-12);
    EXPECT_NEAR(5.0 + 5.0 * e.B[1][0] + e.gamma[1], want.rod_acceleration, 1e-11);
    EXPECT_NEAR(std::remainder(q[0] + q[1] + q[2], 2.0 * std::numbers::pi), 0.0, 1e-13);
    EXPECT_NEAR(v[0] + v[1] + v[2], 0.0, 1e-12);
    // The slider's pin.
    const auto kinematics = multibody::forward_kinematics(tree, q, v);
    EXPECT_NEAR(kinematics.link[2].in_world.p.x(), want.x, 1e-14);
    EXPECT_NEAR(kinematics.link[2].v_origin_W.x(), want.x_dot, 1e-13);
  }
}

// The plane of the loop at an angle to every axis: three rows of which two count.
TEST(Loops, RedundantRowsOfATiltedPlaneAreNoMatter) {
  Tree tree;
  multibody::Body stand = test::bar("stand", multibody::kBase, Vec3(0.3, 0.1, 0.4), 0.2, 5.0);
  stand.axis_B = Vec3(0.3, -0.5, 0.81).normalized();
  tree.add_body(stand);
  const test::FourBar bars;
  Tree flat;
  Loop loop = test::add_four_bar(flat, bars);
  const Mat3 R = (Eigen::AngleAxisd(0.7, Vec3::UnitX()) * Eigen::AngleAxisd(-0.4, Vec3::UnitZ()))
                     .toRotationMatrix();
  for (int i = 0; i < 3; ++i) {
    multibody::Body body = flat.body(i);
    if (body.parent == multibody::kBase) {
      body.parent = 0;
      body.in_parent = {R, R * body.in_parent.p};
    } else {
      body.parent += 1;
    }
    tree.add_body(body);
  }
  loop.body_a += 1;
  loop.body_b += 1;
  const LoopSystem loops(tree, {loop});
  EXPECT_FALSE(loops.has(0));  // the stand carries the whole loop
  double q[4] = {1.0, 0.4, 0.6, 1.5};
  EXPECT_EQ(loops.rank(tree, q), 2);
  bool keep[kMaxLinks] = {true, true};
  double gap;
  ASSERT_EQ(loops.assemble(tree, keep, q, gap), -1);
  double v[4] = {3.0, 2.0, 0.0, 0.0};
  Embedding e;
  loops.embed(tree, loops.choose(tree, q, keep), v, q, e);
  multibody::expand(e, v);
  const auto want = test::four_bar_motion(bars, 0.4, 2.0, 0.0);
  EXPECT_NEAR(q[3], want.angle[2], 1e-12);
  EXPECT_NEAR(v[3], want.rate[2], 1e-12);
  EXPECT_EQ(e.gap, 0.0);
}

// A line that turns with its body: gamma against differences of the rates along the motion.
TEST(Loops, PointOnATurningLine) {
  Tree tree;
  tree.add_body(test::bar("arm", multibody::kBase, Vec3::Zero(), 0.5, 1.0));
  tree.add_body(test::bar("guide", multibody::kBase, Vec3(0.8, 0.0, 0.1), 1.0, 1.0));
  Loop loop;
  loop.name = "slot";
  loop.kind = multibody::LoopKind::kPointLine;
  loop.body_a = 0;
  loop.point_a = Vec3(0.5, 0.0, 0.0);
  loop.body_b = 1;
  loop.direction_b = Vec3(-1.0, 0.0, 0.2);
  const LoopSystem loops(tree, {loop});
  double gap;
  Embedding e;
  const double a[2] = {};
  const auto rate_at = [&](double angle, double* gamma) {
    double q[2] = {angle, 0.1};
    EXPECT_EQ(loops.assemble(tree, kKeepFirst, q, gap), -1);
    double v[2] = {1.5, 0.0};
    loops.embed(tree, 0b10, v, q, e);
    multibody::expand(e, v);
    loops.add_gamma(tree, v, a, e);
    if (gamma != nullptr) *gamma = e.gamma[1];
    return v[1];
  };
  double gamma;
  rate_at(0.7, &gamma);
  const double d = 1e-4;
  EXPECT_NEAR(
      gamma, (rate_at(0.7 + 1.5 * d, nullptr) - rate_at(0.7 - 1.5 * d, nullptr)) / (2.0 * d), 1e-6);
}

TEST(Loops, ForcesCarryWhatTheDependentJointsLack) {
  // A bar on two supports, one of them a loop to the ground: half its weight each.
  Tree tree;
  tree.add_body(test::bar("bar", multibody::kBase, Vec3::Zero(), 2.0, 3.0));
  Loop loop;
  loop.name = "rest";
  loop.kind = multibody::LoopKind::kPointLine;
  loop.body_a = 0;
  loop.point_a = Vec3(2.0, 0.0, 0.0);
  loop.direction_b = Vec3::UnitX();
  const LoopSystem loops(tree, {loop});
  double q[1] = {0.0};
  const double v[1] = {};
  Embedding e;
  loops.embed(tree, 1, v, q, e);
  double bias[1];
  multibody::inverse_dynamics(tree, tree.link_inertias().data(), q, v, v, bias);
  double force_W[multibody::kMaxLoops][3];
  double coupling_force[kMaxLinks] = {};
  loops.forces(tree, e, q, bias, force_W, coupling_force);
  EXPECT_NEAR(force_W[0][2], 0.5 * 3.0 * 9.81, 1e-12);
  EXPECT_NEAR(force_W[0][0], 0.0, 1e-12);
}

TEST(Loops, SeparateMechanismsAreSeparateGroups) {
  Tree tree;
  const test::FourBar bars;
  const Loop one = test::add_four_bar(tree, bars, Vec3::Zero(), "1");
  const Loop two = test::add_four_bar(tree, bars, Vec3(0.0, 1.0, 0.0), "2");
  const LoopSystem loops(tree, {one, two});
  ASSERT_EQ(loops.group_count(), 2);
  EXPECT_EQ(loops.group(1).joint, (std::vector<int>{3, 4, 5}));
}

TEST(Loops, WhatCannotBeClosedNamesItsGap) {
  Tree tree;
  test::FourBar bars;
  bars.ground = 3.0;  // crank, coupler and rocker together reach 1.9 m
  const LoopSystem loops(tree, {test::add_four_bar(tree, bars)});
  double q[3] = {};
  double gap = 0.0;
  const bool fixed[kMaxLinks] = {};
  EXPECT_EQ(loops.assemble(tree, fixed, q, gap), 0);
  EXPECT_NEAR(gap, 3.0 - 1.9, 1e-6);
}

TEST(Loops, AssembledFromBarsInOneLine) {
  Tree tree;
  const LoopSystem loops(tree, {test::add_four_bar(tree, test::FourBar{})});
  double q[3] = {1.0, -1.0, 0.0};
  double gap;
  EXPECT_EQ(loops.assemble(tree, kKeepFirst, q, gap), -1);
  EXPECT_EQ(q[0], 1.0);
  EXPECT_LT(loops.gap(tree, q), 1e-11);
}

// Parallelogram, all bars in one line: the coupler may follow or turn over.
TEST(Loops, SingularPositionIsSeenAndPassed) {
  Tree tree;
  test::FourBar bars;
  bars.crank = bars.rocker = 0.4;
  bars.coupler = bars.ground = 1.0;
  const LoopSystem loops(tree, {test::add_four_bar(tree, bars)});
  EXPECT_EQ(loops.rank(tree, std::array<double, 3>{}.data()), 2);
  double v[3] = {2.0, -2.0, 2.0};  // going round as a parallelogram
  Embedding e;
  double q[3] = {0.0, 0.0, 0.0};
  loops.embed(tree, 0b110, v, q, e);
  EXPECT_LT(e.quality, 1e-5);
  EXPECT_EQ(e.worst, 0);
  multibody::expand(e, v);
  EXPECT_NEAR(v[1], -2.0, 1e-12);
  EXPECT_NEAR(v[2], 2.0, 1e-12);
  const double a[3] = {};
  loops.add_gamma(tree, v, a, e);
  EXPECT_NEAR(e.gamma[1], 0.0, 1e-12);
  for (const double angle : {-1e-3, 1e-7, 1e-3, 0.5}) {
    double beside[3] = {angle, -angle, angle};
    loops.embed(tree, 0b110, v, beside, e);
    EXPECT_NEAR(beside[2], angle, 1e-12);
    double rate[3] = {2.0, -2.0, 2.0};
    multibody::expand(e, rate);
    EXPECT_NEAR(rate[2], 2.0, 1e-6);
  }
}

// A dead centre of the input is none of the mechanism: another joint is chosen.
TEST(Loops, AtADeadCentreAnotherJointIsIndependent) {
  Tree tree;
  test::FourBar bars;
  const LoopSystem loops(tree, {test::add_four_bar(tree, bars)});
  const bool keep_rocker[kMaxLinks] = {false, false, true};
  // Crank and coupler in one line: the rocker stands still whatever the crank does.
  double q[3] = {0.5, 0.0, 1.5};
  bool fixed[kMaxLinks] = {false, true, false};
  double gap;
  ASSERT_EQ(loops.assemble(tree, fixed, q, gap), -1);
  EXPECT_EQ(loops.choose(tree, q, keep_rocker) >> 2 & 1, 1);
}

TEST(Loops, RefusesWhatClosesNothing) {
  Tree tree;
  tree.add_body(test::bar("bar", multibody::kBase, Vec3::Zero(), 2.0, 3.0));
  Loop loop;
  loop.name = "own";
  loop.body_a = loop.body_b = 0;
  EXPECT_THROW(LoopSystem(tree, {loop}), std::invalid_argument);
  loop.body_b = 7;
  EXPECT_THROW(LoopSystem(tree, {loop}), std::invalid_argument);
}

TEST(PointPair, DistanceAndItsSlopes) {
  Tree tree;
  tree.add_body(test::bar("a", multibody::kBase, Vec3::Zero(), 1.0, 1.0));
  tree.add_body(test::bar("b", 0, Vec3(1.0, 0.0, 0.0), 1.0, 1.0));
  tree.add_body(test::bar("c", 0, Vec3(0.5, 0.0, 0.2), 1.0, 1.0));
  const multibody::PointPair pair(tree, 1, Vec3(0.6, 0.0, 0.1), 2, Vec3(0.3, 0.1, 0.2));
  double q[3] = {0.3, 0.8, -0.4};
  double row[kMaxLinks], unused[kMaxLinks];
  pair.distance(tree, q, row);
  EXPECT_EQ(row[0], 0.0);
  for (int j = 0; j < 3; ++j) {
    const double d = 1e-6;
    q[j] += d;
    const double up = pair.distance(tree, q, unused);
    q[j] -= 2.0 * d;
    const double down = pair.distance(tree, q, unused);
    q[j] += d;
    EXPECT_NEAR(row[j], (up - down) / (2.0 * d), 1e-9) << j;
  }
}

}  // namespace
}  // namespace knuckleboom
