// Building a forest: where things stand, and what no forest can be.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "knuckleboom/core/world/closest_points.hpp"
#include "world_test_support.hpp"

namespace knuckleboom::world {
namespace {

TEST(WorldRecipe, IsRefusedWithASentence) {
  EXPECT_EQ(complaint(WorldRecipe{}), "");
  WorldRecipe recipe = with_logs({log_at(0.0, 0.0, 0.0, 0.0), log_at(0.5, 0.1, 0.2, 0.0)});
  recipe.logs[1].name = "red 2";
  EXPECT_EQ(complaint(recipe), "Log \"red 2\" starts inside log \"log\": move or lift it.");
  recipe.logs[1].lift = 0.3;
  EXPECT_EQ(complaint(recipe), "");
  recipe.stems.push_back({"spruce 4", 1.0, 0.0, 10.0, 0.1});
  EXPECT_EQ(complaint(recipe), "Log \"log\" starts inside a stem: move or lift it.");
  recipe.stems[0].y = 3.0;
  EXPECT_EQ(complaint(recipe), "");
  recipe.stems[0].radius = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(complaint(recipe), "Stem \"spruce 4\" must have a radius between 0.01 and 2 m.");
  recipe.stems.clear();
  recipe.logs.assign(201, log_at(0.0, 0.0, 0.0, 0.0));
  EXPECT_EQ(complaint(recipe), "There may be 200 logs at most.");
  recipe.logs = {log_at(0.0, 0.0, 0.0, 0.0, 0.02, 0.2)};
  recipe.logs[0].density = 400.0;
  EXPECT_EQ(
      complaint(recipe),
      "Log \"log\" is too light for the contact stiffness: make it heavier or the contact softer.");
  recipe.logs.clear();
  recipe.ground.bump_length = 0.1;
  EXPECT_NE(complaint(recipe), "");
}

TEST(WorldRecipe, LogsStartLyingOnTheGround) {
  WorldRecipe recipe;
  recipe.ground.bump_height = 0.04;
  recipe.ground.slope_y = 0.04;
  for (int i = 0; i < 12; ++i)
    recipe.logs.push_back(
        log_at(-25.0 + 4.5 * i, 8.0 + 6.0 * (i % 3), 0.5 * i, i == 3 ? 0.7 : 0.0));
  const World world(recipe);
  const WorldState state = world.initial_state();
  for (int i = 0; i < 12; ++i) {
    const Capsule shape = log_shape(recipe.logs[static_cast<std::size_t>(i)], state.log[i]);
    EXPECT_NEAR((shape.b - shape.a).norm(), 4.0 - 0.24, 1e-12);
    EXPECT_NEAR(std::remainder(std::atan2(shape.b.y() - shape.a.y(), shape.b.x() - shape.a.x()) -
                                   recipe.logs[static_cast<std::size_t>(i)].heading,
                               6.283185307179586),
                0.0, 1e-9);
    double least = 1e9;
    for (double s = 0.0; s <= 1.0; s += 0.01) {
      const Vec3 p = shape.a + s * (shape.b - shape.a);
      least = std::min(least, (p.z() - height(world.ground(), p.x(), p.y())) *
                                  normal(world.ground(), p.x(), p.y()).z());
    }
    EXPECT_NEAR(least, 0.12 + (i == 3 ? 0.7 : 0.0), 0.015) << i;
    EXPECT_EQ(state.log[i].status, i == 3 ? LogStatus::kFree : LogStatus::kResting);
  }
}

// Down a slope of 45 degrees it slides, across it it rolls; where the ground holds it, it rests at once.
TEST(WorldRecipe, LogsOnASteepSlopeDoNotSleep) {
  for (const double slope : {0.05, 1.0})
    for (const double heading : {0.0, 1.5707963267948966}) {
      WorldRecipe recipe = with_logs({log_at(0.0, 0.0, heading, 0.0)});
      recipe.ground.slope_x = slope;
      recipe.ground.level_radius = 0.0;
      const World world(recipe);
      WorldState state = world.initial_state();
      run(world, state, 2.0);
      const double moved = state.log[0].p[0];
      if (slope < 0.5) {
        EXPECT_EQ(moved, 0.0);
      } else {
        EXPECT_LT(moved, heading == 0.0 ? -2.0 : -5.0);
      }
    }
}

TEST(World, SaysWhatTheMachineStartsIn) {
  WorldRecipe recipe = with_logs({log_at(0.0, 0.0, 0.0, 0.0)});
  recipe.stems.push_back({"spruce", 5.0, 0.0, 10.0, 0.1});
  Bunk bunk;
  bunk.y = 6.0;
  recipe.bunks.push_back(bunk);
  const World world(recipe);
  const WorldState state = world.initial_state();
  const auto objection = [&](PartRole role, const Vec3& at) {
    const MachinePart parts[] = {{{at, at, 0.1}, at, Vec3::Zero(), Vec3::Zero(), role, 1},
                                 {{Vec3(-9.0, 0.0, 1.0), Vec3(-8.0, 0.0, 1.0), 0.4},
                                  Vec3::Zero(),
                                  Vec3::Zero(),
                                  Vec3::Zero(),
                                  PartRole::kCarrier,
                                  2}};
    return world.start_objection(parts, state);
  };
  const std::string way_out = ": start the machine in another pose or move what it touches.";
  EXPECT_EQ(objection(PartRole::kHead, Vec3(0.0, 0.0, 2.0)), "");
  EXPECT_EQ(objection(PartRole::kHead, Vec3(2.5, 0.0, 0.06)), "");  // 4 cm settle
  EXPECT_EQ(objection(PartRole::kJaw, Vec3(2.5, 0.0, -0.6)),
            "The grapple's jaw starts 700 mm deep inside the ground" + way_out);
  EXPECT_EQ(objection(PartRole::kBoom, Vec3(0.0, 0.0, 0.2)),
            "The boom starts 140 mm deep inside log \"log\"" + way_out);
  EXPECT_EQ(objection(PartRole::kCarrier, Vec3(0.0, 0.0, 0.2)),
            "The carrier starts 140 mm deep inside log \"log\"" + way_out);
  EXPECT_EQ(objection(PartRole::kStick, Vec3(4.9, 0.0, 2.0)),
            "The stick starts 100 mm deep inside a stem" + way_out);
  EXPECT_EQ(objection(PartRole::kHead, Vec3(-8.0, 0.0, 1.4)),
            "The head starts 100 mm deep inside the machine's own carrier" + way_out);
  EXPECT_EQ(objection(PartRole::kBoom, Vec3(-8.0, 0.0, 1.4)), "");
}

TEST(WorldRecipe, ALogWeighsWhatACylinderDoes) {
  const Log log = log_at(0.0, 0.0, 0.0, 0.0, 0.1, 4.0);
  const double m = 3.14159265358979 * 0.01 * 4.0 * 850.0;
  EXPECT_NEAR(mass(log), m, 1e-9);
  EXPECT_NEAR(inertia(log).axial, 0.5 * m * 0.01, 1e-9);
  EXPECT_NEAR(inertia(log).transverse, m * (0.01 / 4.0 + 16.0 / 12.0), 1e-9);
}

TEST(WorldRecipe, ABunkHasTheClearancesOfItsFile) {
  Bunk bunk;
  bunk.x = 1.0;
  bunk.y = 2.0;
  bunk.heading = 1.5707963267948966;  // logs along y
  const auto parts = bunk_parts(bunk, Ground{});
  EXPECT_NEAR((parts[0].a - Vec3(1.0 + 0.75, 1.0, kBeamRadius)).norm(), 0.0, 1e-9);
  EXPECT_NEAR((parts[1].b - Vec3(1.0 - 0.75, 3.0, kBeamRadius)).norm(), 0.0, 1e-9);
  // Stakes: 1.4 m between their surfaces, 1.2 m above the beams' upper side.
  EXPECT_NEAR(std::fabs(parts[2].a.x() - parts[3].a.x()) - 2.0 * kStakeRadius, 1.4, 1e-9);
  EXPECT_NEAR(parts[5].b.z() - 2.0 * kBeamRadius, 1.2, 1e-9);
}

TEST(World, AHeldLogIsTheCallersAndComesBackWithItsMotion) {
  const World world(with_logs({log_at(0.0, 0.0, 0.0, 0.0), log_at(0.0, 5.0, 0.0, 2.0)}));
  WorldState state = world.initial_state();
  world.hold(1, state);
  run(world, state, 1.0);
  EXPECT_EQ(state.log[1].p[2], 2.12);
  world.release(1, Vec3(1.0, 0.0, 0.5), Vec3(0.0, 0.0, 0.2), state);
  run(world, state, 0.1);
  EXPECT_NEAR(state.log[1].p[0], 0.1, 1e-9);
  EXPECT_NEAR(state.log[1].p[2], 2.12 + 0.05 - 0.5 * kTestGravity * 0.01, 1e-9);
  EXPECT_NEAR(state.log[1].omega[2], 0.2, 1e-9);
  // Numbers of no log change nothing.
  world.hold(-1, state);
  world.release(9, Vec3::Zero(), Vec3::Zero(), state);
}

TEST(ClosestPoints, AgreeWithASearch) {
  std::uint32_t seed = 1;
  const auto random = [&seed] {
    seed = seed * 1664525U + 1013904223U;
    return static_cast<double>(seed >> 8) / 8388608.0 - 1.0;
  };
  const auto point = [&] { return Vec3(random(), random(), random()); };
  for (int k = 0; k < 300; ++k) {
    const Vec3 a0 = point(), a1 = k % 7 == 0 ? a0 : point(), b0 = point();
    const Vec3 b1 = k % 5 == 0 ? b0 : (k % 3 == 0 ? Vec3(b0 + 0.7 * (a1 - a0)) : point());
    const ClosestPoints c = closest_points(a0, a1, b0, b1);
    double least = 1e9;
    for (int i = 0; i <= 1000; ++i) {
      const Vec3 p = a0 + 1e-3 * i * (a1 - a0);
      least = std::min(least, (p - closest_on_segment(b0, b1, p)).norm());
    }
    EXPECT_LE((c.a - c.b).norm(), least + 1e-12) << k;
    EXPECT_GE((c.a - c.b).norm(), least - 2e-3) << k;
    EXPECT_LT((a0 + c.s * (a1 - a0) - c.a).norm() + (b0 + c.t * (b1 - b0) - c.b).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace knuckleboom::world
