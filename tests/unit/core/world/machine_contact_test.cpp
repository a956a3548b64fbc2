// The machine in the forest: nothing lets it through, what it gives is what others get, collisions count.
#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/core/math/trig.hpp"
#include "knuckleboom/core/world/grapple.hpp"
#include "world_test_support.hpp"

namespace knuckleboom::world {
namespace {

constexpr auto kGround = static_cast<std::size_t>(Obstacle::kGround);
constexpr auto kStem = static_cast<std::size_t>(Obstacle::kStem);
constexpr auto kLog = static_cast<std::size_t>(Obstacle::kLog);
constexpr auto kBunk = static_cast<std::size_t>(Obstacle::kBunk);
constexpr auto kCarrier = static_cast<std::size_t>(Obstacle::kCarrier);

WorldRecipe one_stem() {
  WorldRecipe recipe;
  Stem stem;
  stem.name = "spruce";
  stem.x = 4.0;
  stem.radius = 0.15;
  recipe.stems.push_back(stem);
  return recipe;
}

class Rates : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Of, Rates, testing::Values(0.5e-3, 1e-3, 4e-3));

TEST_P(Rates, AFastTipDoesNotPassAStem) {
  const double dt = GetParam();
  const World world(one_stem());
  for (const double m : {50.0, 300.0, 1000.0})
    for (const double off : {0.0, 0.1}) {
      WorldState state = world.initial_state();
      PartForces forces;
      Ram ram(PartRole::kHead, Vec3(3.0, off, 2.0), Vec3(3.0, off, 2.4), 0.05, m,
              Vec3(8.0, 0.0, 0.0));
      double farthest = 0.0;
      for (double t = 0.0; t < 1.0; t += dt) {
        ram.tick(world, state, dt, forces);
        if (std::fabs(ram.part.shape.a.y()) < 0.15)
          farthest = std::max(farthest, ram.part.shape.a.x());
      }
      EXPECT_LT(farthest, 4.0) << m << " kg, " << off;
      EXPECT_EQ(state.collisions[kStem], 1);
      EXPECT_NEAR(state.last_impact_speed, 8.0 * std::sqrt(1.0 - off * off / 0.04), 0.35);
      if (off == 0.0) {
        EXPECT_LT(ram.part.v_W.x(), 0.0);
        EXPECT_LE(ram.part.v_W.norm(), 8.0);
      }
    }
}

// Thin and fast: in 4 ms it would be on the other side without ever having overlapped.
TEST_P(Rates, AThinTipDoesNotJumpOverAThinLogOrStake) {
  const double dt = GetParam();
  WorldRecipe recipe;
  recipe.stems.push_back({"sapling", 0.0, 0.0, 3.0, 0.012});
  const World world(recipe);
  for (int start = 0; start < 8; ++start) {
    WorldState state = world.initial_state();
    PartForces forces;
    Ram ram(PartRole::kHead, Vec3(-0.3 - 0.004 * start, 0.0, 1.0),
            Vec3(-0.3 - 0.004 * start, 0.6, 1.0), 0.004, 200.0, Vec3(8.0, 0.0, 0.0));
    for (double t = 0.0; t < 0.5; t += dt) ram.tick(world, state, dt, forces);
    EXPECT_LT(ram.part.shape.a.x(), 0.0) << start;
  }
}

TEST_P(Rates, AFastTipDoesNotPassALog) {
  const double dt = GetParam();
  for (int start = 0; start < 6; ++start) {
    WorldRecipe recipe = with_logs({log_at(0.0, 0.0, 0.0, 0.0, 0.05, 4.0)});
    const World world(recipe);
    WorldState state = world.initial_state();
    PartForces forces;
    const double z = 0.5 + 0.005 * start;
    Ram ram(PartRole::kHead, Vec3(0.0, -0.3, z), Vec3(0.0, 0.3, z), 0.04, 500.0,
            Vec3(0.0, 0.0, -8.0));
    for (double t = 0.0; t < 0.4; t += dt) {
      ram.tick(world, state, dt, forces);
      // Above the log as long as it is over it.
      ASSERT_GT(ram.part.shape.a.z(), state.log[0].p[2]) << start << " " << t;
    }
    EXPECT_GE(state.collisions[kLog], 1);
  }
}

TEST_P(Rates, AStrongMachineDoesNotPressThrough) {
  const double dt = GetParam();
  WorldRecipe recipe = one_stem();
  recipe.logs.push_back(log_at(0.0, 0.0, 0.0, 0.0, 0.06, 4.0));
  const World world(recipe);
  struct Case {
    const char* name;
    Vec3 a, b, push;
  };
  const Case cases[] = {
      {"ground", Vec3(-5.0, 0.0, 0.3), Vec3(-5.0, 0.5, 0.3), Vec3(0.0, 0.0, -60e3)},
      {"log", Vec3(0.0, -0.3, 0.5), Vec3(0.0, 0.3, 0.5), Vec3(0.0, 0.0, -60e3)},
      {"stem", Vec3(3.5, -0.3, 1.5), Vec3(3.5, 0.3, 1.5), Vec3(60e3, 0.0, 0.0)}};
  for (const Case& c : cases) {
    WorldState state = world.initial_state();
    PartForces forces;
    Ram ram(PartRole::kHead, c.a, c.b, 0.06, 400.0, Vec3::Zero());
    ram.push = c.push;
    for (double t = 0.0; t < 2.0; t += dt) ram.tick(world, state, dt, forces);
    EXPECT_LT(ram.part.v_W.norm(), 0.02) << c.name;
    Vec3 f = Vec3::Zero();
    for (int i = 0; i < forces.count; ++i) f += forces.force[i].f_W;
    EXPECT_LT((f + c.push).norm(), 0.02 * 60e3) << c.name;
    EXPECT_GT(ram.part.shape.a.z(), -0.02) << c.name;
    EXPECT_LT(ram.part.shape.a.x(), 3.9) << c.name;
  }
}

TEST_P(Rates, GivesALogTheMomentumItLoses) {
  const double dt = GetParam();
  const World world(with_logs({log_at(0.0, 0.0, 0.0, 100.0)}));
  WorldState state = world.initial_state();
  PartForces forces;
  const double m_log = mass(world.recipe().logs[0]);
  const double z = state.log[0].p[2];
  // From the side, falling with the log so that it meets it.
  Ram ram(PartRole::kHead, Vec3(0.4, -0.5, z), Vec3(0.4, -0.5, z + 0.2), 0.06, 300.0,
          Vec3(0.0, 3.0, 0.0));
  ram.push = Vec3(0.0, 0.0, -300.0 * kTestGravity);
  Vec3 impulse = Vec3::Zero();
  Vec3 moment = Vec3::Zero();  // about the log's centre of mass
  for (double t = 0.0; t < 0.3; t += dt) {
    const Vec3 centre = vec(state.log[0].p);
    ram.tick(world, state, dt, forces);
    for (int i = 0; i < forces.count; ++i) {
      impulse += dt * forces.force[i].f_W;
      moment += dt * (forces.force[i].p_W - centre).cross(forces.force[i].f_W);
    }
  }
  EXPECT_LT(impulse.y(), -100.0);
  Vec3 gained = m_log * vec(state.log[0].v);
  gained.z() = 0.0;
  impulse.z() = 0.0;
  EXPECT_LT((gained + impulse).norm(), 1e-9 * gained.norm());
  EXPECT_NEAR(inertia(world.recipe().logs[0]).transverse * state.log[0].omega[2], -moment.z(),
              0.02 * std::fabs(moment.z()));
  EXPECT_NEAR(state.impulse[kLog], gained.y(), 0.05 * gained.y());
}

TEST(Collisions, AreCountedOnceUntilApartForAWhile) {
  const World world(one_stem());
  WorldState state = world.initial_state();
  PartForces forces;
  MachinePart part;
  part.role = PartRole::kStick;
  part.id = 3;
  const auto at = [&](double x, int ticks) {
    part.shape = {Vec3(x, -1.0, 2.0), Vec3(x, 1.0, 2.0), 0.1};
    part.p_W = part.shape.a;
    part.v_W = Vec3::Zero();
    part.omega_W = Vec3::Zero();
    for (int k = 0; k < ticks; ++k)
      world.step(std::span<const MachinePart>(&part, 1), 1e-3, state, forces);
  };
  at(3.5, 10);
  EXPECT_EQ(state.collisions[kStem], 0);
  EXPECT_EQ(state.last_collision_tick, -1);
  at(3.76, 100);  // 1 cm deep
  EXPECT_EQ(state.collisions[kStem], 1);
  EXPECT_EQ(state.last_collision_tick, 10);
  // The contact in series with the stem, a beam of 2.3 m.
  const double stem =
      3.0 * 8e9 * 3.14159265358979323846 * std::pow(0.15, 4) / 4.0 / std::pow(2.3, 3);
  const double N = 8e5 * stem / (8e5 + stem) * 0.01 * (1.0 + 1.0 / 36.0);
  EXPECT_NEAR(state.machine_force, N, 1e-6 * N);
  EXPECT_NEAR(state.impulse[kStem], 0.1 * N, 1e-6 * N);
  for (int i = 0; i < 5; ++i) {  // chatters
    at(3.7, 150);
    EXPECT_EQ(state.machine_force, 0.0);
    at(3.76, 20);
  }
  EXPECT_EQ(state.collisions[kStem], 1);
  at(3.7, 210);
  at(3.76, 10);
  EXPECT_EQ(state.collisions[kStem], 2);
  EXPECT_EQ(state.collisions[kGround], 0);
}

MachinePart still(PartRole role, int id, const Vec3& a, const Vec3& b, double radius) {
  return {{a, b, radius}, a, Vec3::Zero(), Vec3::Zero(), role, id};
}

TEST(Collisions, KnowWhoMindsWhom) {
  WorldRecipe recipe;
  Bunk bunk;
  bunk.x = 6.0;
  recipe.bunks.push_back(bunk);
  recipe.logs.push_back(log_at(0.0, 6.0, 0.0, 0.0));
  const World world(recipe);
  PartForces forces;
  const auto collisions = [&](const std::vector<MachinePart>& parts) {
    WorldState state = world.initial_state();
    world.step(parts, 1e-3, state, forces);
    return std::vector<std::int64_t>(state.collisions, state.collisions + kObstacles);
  };
  const MachinePart carrier =
      still(PartRole::kCarrier, 1, Vec3(-1.0, 0.0, 1.0), Vec3(1.0, 0.0, 1.0), 0.5);
  const auto over_carrier = [&](PartRole role) {
    return still(role, 2, Vec3(0.0, -0.3, 1.55), Vec3(0.0, 0.3, 1.55), 0.1);
  };
  for (const PartRole role : {PartRole::kHead, PartRole::kJaw, PartRole::kHeldLog}) {
    EXPECT_EQ(collisions({carrier, over_carrier(role)})[kCarrier], 1);
    // The opposite force acts on the carrier.
    ASSERT_EQ(forces.count, 2);
    EXPECT_EQ(forces.force[0].f_W, Vec3(-forces.force[1].f_W));
    EXPECT_GT(forces.force[0].f_W.z(), 0.0);
    EXPECT_EQ(forces.force[0].part, 1);
    EXPECT_EQ(forces.force[1].part, 0);
  }
  for (const PartRole role : {PartRole::kBoom, PartRole::kStick})
    EXPECT_EQ(collisions({carrier, over_carrier(role)})[kCarrier], 0);
  // A log in the jaws meets the crane itself; the head is kept off by its joints.
  const MachinePart boom =
      still(PartRole::kBoom, 1, Vec3(-1.0, 0.0, 3.0), Vec3(1.0, 0.0, 3.0), 0.15);
  const auto under_boom = [&](PartRole role) {
    return still(role, 2, Vec3(0.0, -2.0, 2.8), Vec3(0.0, 2.0, 2.8), 0.1);
  };
  EXPECT_EQ(collisions({boom, under_boom(PartRole::kHeldLog)})[kCarrier], 1);
  EXPECT_EQ(forces.count, 2);
  EXPECT_EQ(collisions({boom, under_boom(PartRole::kHead)})[kCarrier], 0);
  // The carrier stands on the ground without colliding with it; a held log does not mind the jaws.
  EXPECT_EQ(collisions({still(PartRole::kCarrier, 1, Vec3::Zero(), Vec3::UnitX(), 0.5)}),
            std::vector<std::int64_t>(kObstacles, 0));
  EXPECT_EQ(collisions({still(PartRole::kHeldLog, 1, Vec3(0.0, 0.0, 3.0), Vec3(1.0, 0.0, 3.0), 0.1),
                        still(PartRole::kJaw, 2, Vec3(0.5, 0.0, 3.0), Vec3(0.5, 0.0, 3.1), 0.1),
                        still(PartRole::kHead, 3, Vec3(0.5, 0.0, 3.1), Vec3(0.5, 0.0, 3.2), 0.1)}),
            std::vector<std::int64_t>(kObstacles, 0));
  // A held log on both beams of a bunk is one collision.
  const Vec3 on_beams(6.0, 0.0, 2.0 * kBeamRadius + 0.095);
  EXPECT_EQ(collisions({still(PartRole::kHeldLog, 1, on_beams - 1.5 * Vec3::UnitX(),
                              on_beams + 1.5 * Vec3::UnitX(), 0.1)})[kBunk],
            1);
  EXPECT_EQ(forces.count, 2);
  // Head and jaws are one.
  EXPECT_EQ(
      collisions({still(PartRole::kHead, 1, Vec3(0.0, 6.0, 0.3), Vec3(0.0, 6.0, 0.6), 0.1),
                  still(PartRole::kJaw, 2, Vec3(0.4, 6.0, 0.3), Vec3(0.4, 6.0, 0.6), 0.1)})[kLog],
      1);
  EXPECT_EQ(collisions({still(PartRole::kBoom, 1, Vec3(-5.0, -5.0, 0.05), Vec3(-5.0, -5.0, 2.0),
                              0.1)})[kGround],
            1);
}

// Two tines and a bar between their elbows: there is no way through for a pole, however thin.
TEST(Jaws, ThatAreClosedDoNotLetAPoleThrough) {
  WorldRecipe recipe;
  recipe.stems.push_back({"pole", 0.0, 0.0, 5.0, 0.04});
  const World world(recipe);
  GrappleFrame frame;
  MachinePart parts[kGrappleParts];
  for (const bool along : {false, true}) {
    WorldState state = world.initial_state();
    PartForces forces;
    double most = 0.0;
    for (double way = -1.0; way < 0.0; way += 1e-3) {
      const Vec3 axis = along ? frame.log_axis_W : frame.open_axis_W;
      frame.pin_W = way * axis + Vec3(0.0, 0.0, 2.0);
      frame.v_W = axis;
      grapple_parts(frame, 0.0, 0.0, 0, parts);
      world.step(parts, 1e-3, state, forces);
      double force = 0.0;
      for (int i = 0; i < forces.count; ++i) force -= forces.force[i].f_W.dot(axis);
      most = std::max(most, force);
    }
    EXPECT_GE(state.collisions[kStem], 1) << along;
    EXPECT_GT(most, 5e3) << along;  // of a pole as thick as an arm
  }
}

// A grapple that nothing can stop rages in a heap of logs between stems: nothing explodes or sinks away.
TEST_P(Rates, SurvivesARagingMachine) {
  const double dt = GetParam();
  constexpr int kLogs = 16;
  WorldRecipe recipe;
  recipe.ground.bump_height = 0.1;
  for (int i = 0; i < 4; ++i)
    recipe.stems.push_back({"stem", i < 2 ? 1.6 : -1.6, i % 2 == 0 ? 1.0 : -1.0, 6.0, 0.15});
  for (int i = 0; i < kLogs; ++i)
    recipe.logs.push_back(
        log_at(0.0, 0.0, 0.4 * i, 0.1 + 0.4 * i, 0.06 + 0.01 * (i % 8), 2.0 + 0.2 * (i % 8)));
  const World world(recipe);
  WorldState state = world.initial_state();
  run(world, state, 3.0, dt);
  PartForces forces;
  GrappleFrame frame;
  MachinePart parts[kGrappleParts];
  for (double t = 0.0; t < 10.0; t += dt) {
    const SinCos x = sin_cos(4.0 * t), y = sin_cos(3.1 * t), z = sin_cos(5.3 * t);
    frame.pin_W = Vec3(2.0 * x.sin, 2.0 * y.sin, 1.0 + 0.4 * z.sin);
    frame.v_W = Vec3(8.0 * x.cos, 6.2 * y.cos, 2.1 * z.cos);
    const SinCos jaw = sin_cos(2.0 * t);
    grapple_parts(frame, 0.5 + 0.5 * jaw.sin, jaw.cos, 0, parts);
    world.step(parts, dt, state, forces);
    for (const LogState& log : std::span(state.log).first(kLogs)) {
      const Vec3 p = vec(log.p);
      ASSERT_LT(vec(log.v).norm(), 100.0) << t;
      ASSERT_GT(p.z() - height(world.ground(), p.x(), p.y()), -0.1) << t;
    }
  }
  run(world, state, 20.0, dt);  // one is thrown over 200 m
  for (int i = 0; i < kLogs; ++i)
    EXPECT_EQ(state.log[i].status, LogStatus::kResting)
        << i << " at " << vec(state.log[i].p).transpose() << ", " << vec(state.log[i].v).norm()
        << " m/s, " << vec(state.log[i].omega).norm() << " rad/s";
  EXPECT_GT(state.collisions[kLog], 10);
  EXPECT_GT(state.collisions[kStem], 5);
}

// From 40 kg to 5 t, on hard ground and on a stem that gives.
TEST_P(Rates, WhatIsHitThrowsBackTwoToFourTenths) {
  const double dt = GetParam();
  const World world(one_stem());
  for (const double m : {40.0, 300.0, 1000.0, 5000.0})
    for (const double z : {0.0, 1.3, 6.0}) {
      WorldState state = world.initial_state();
      PartForces forces;
      const bool stem = z > 0.0;
      const Vec3 at = stem ? Vec3(3.7, 0.0, z) : Vec3(0.0, 0.0, 0.12);
      const Vec3 v = stem ? Vec3(1.0, 0.0, 0.0) : Vec3(0.0, 0.0, -1.0);
      Ram ram(PartRole::kHead, at, at, 0.1, m, v);
      for (double t = 0.0; t < 2.0 && ram.part.v_W.dot(v) > -0.1; t += dt)
        ram.tick(world, state, dt, forces);
      for (double t = 0.0; t < 0.5; t += dt) ram.tick(world, state, dt, forces);
      EXPECT_GE(-ram.part.v_W.dot(v), 0.2) << m << " kg at " << z;
      EXPECT_LE(-ram.part.v_W.dot(v), 0.4) << m << " kg at " << z;
    }
}

// In series with the contact; where it would give more than 1e5 N/m, that much.
TEST(Stem, GivesLikeABeamClampedInTheGround) {
  const World world(one_stem());
  for (const double z : {1.3, 3.0, 6.0}) {
    WorldState state = world.initial_state();
    PartForces forces;
    Ram ram(PartRole::kHead, Vec3(3.75, -0.3, z), Vec3(3.75, 0.3, z), 0.1, 300.0, Vec3::Zero());
    ram.push = Vec3(500.0, 0.0, 0.0);
    for (double t = 0.0; t < 3.0; t += 1e-3) ram.tick(world, state, 1e-3, forces);
    const double I = 3.14159265358979 * std::pow(0.15, 4) / 4.0;
    const double stem = std::max(3.0 * 8e9 * I / std::pow(z + 0.3, 3), 1e5);
    const double depth = 500.0 / 8e5 + 500.0 / stem;
    EXPECT_NEAR(ram.part.shape.a.x() - 3.75, depth, 0.01 * depth) << z;
  }
}

// Dragged over the ground, and held by friction where it stands.
TEST_P(Rates, FrictionOfTheMachineIsCoulombs) {
  const double dt = GetParam();
  const World world(WorldRecipe{});
  WorldState state = world.initial_state();
  PartForces forces;
  Ram ram(PartRole::kHead, Vec3(0.0, 0.0, 0.099), Vec3(0.0, 0.4, 0.099), 0.1, 300.0, Vec3::Zero());
  ram.push = Vec3(0.5 * 300.0 * kTestGravity, 0.0, -300.0 * kTestGravity);
  for (double t = 0.0; t < 2.0; t += dt) ram.tick(world, state, dt, forces);
  const double x = ram.part.shape.a.x();
  for (double t = 0.0; t < 20.0; t += dt) ram.tick(world, state, dt, forces);
  EXPECT_NEAR(ram.part.shape.a.x(), x, 1e-5);
  ram.push.x() = 0.8 * 300.0 * kTestGravity;
  for (double t = 0.0; t < 1.0; t += dt) ram.tick(world, state, dt, forces);
  EXPECT_NEAR(ram.part.v_W.x(), (0.8 - 0.6) * kTestGravity, 0.05);
}

}  // namespace
}  // namespace knuckleboom::world
