// Logs on uneven ground: borne along their whole length.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "world_test_support.hpp"

namespace knuckleboom::world {
namespace {

// How deep any place of the log's axis is in the ground, each 5 mm of it and in the plane across it [m].
double deepest_in_ground(const World& world, const WorldState& state, int i) {
  const Capsule log = log_shape(world.recipe().logs[static_cast<std::size_t>(i)], state.log[i]);
  const Vec3 way = log.b - log.a;
  const Vec3 across = way.cross(Vec3::UnitZ()).normalized();
  const int places = static_cast<int>(way.norm() / 5e-3);
  double most = -1.0;
  for (int n = 0; n <= places; ++n)
    for (int k = -10; k <= 10; ++k) {
      const double beside = 0.07 * k * log.radius;
      const Vec3 p = log.a + static_cast<double>(n) / places * way + beside * across;
      const double under = p.z() - std::sqrt(log.radius * log.radius - beside * beside);
      most = std::max(most, height(world.ground(), p.x(), p.y()) - under);
    }
  return most;
}

WorldRecipe on_bumps(double length, double rms, double spacing, unsigned seed, double log_length) {
  WorldRecipe recipe;
  recipe.ground.seed = seed;
  recipe.ground.size = 60.0;
  recipe.ground.spacing = spacing;
  recipe.ground.bump_length = length;
  recipe.ground.bump_height = rms;
  recipe.ground.level_radius = 0.0;
  for (int i = 0; i < 4; ++i)
    recipe.logs.push_back(
        log_at(i % 2 == 0 ? -14.0 : 14.0, i < 2 ? -14.0 : 14.0, 0.8 * i, 0.02, 0.12, log_length));
  return recipe;
}

TEST(UnevenGround, LogsDoNotSinkInBetweenPlaces) {
  struct Case {
    double length, rms, spacing, log, most;
  };
  for (const Case& c : {Case{2.0, 0.10, 0.5, 4.0, 0.010}, Case{0.5, 0.03, 0.25, 4.0, 0.010},
                        Case{0.5, 0.03, 0.25, 8.0, 0.010}, Case{1.0, 0.05, 0.25, 16.0, 0.015}}) {
    double most = -1.0;
    int resting = 0;
    for (const unsigned seed : {1u, 2u}) {
      const World world(on_bumps(c.length, c.rms, c.spacing, seed, c.log));
      WorldState state = world.initial_state();
      run(world, state, 20.0);
      for (int i = 0; i < world.log_count(); ++i) {
        most = std::max(most, deepest_in_ground(world, state, i));
        resting += state.log[i].status == LogStatus::kResting ? 1 : 0;
      }
      EXPECT_EQ(state.contacts_dropped, 0);
    }
    std::printf("  bumps of %.1f m, %.0f mm rms, logs of %.0f m: %.1f mm deep, %d of 8 at rest\n",
                c.length, 1e3 * c.rms, c.log, 1e3 * most, resting);
    EXPECT_LT(most, c.most);
    EXPECT_EQ(resting, 8);
  }
}

// As a beam on soil does: the depth by its weight, the tilt by a load beside its middle, at lengths around those where
// another place is added.
TEST(UnevenGround, StiffnessIsContinuousInLength) {
  for (const double length : {1.0, 1.53, 1.55, 2.83, 2.85, 4.13, 4.15, 9.33, 9.35, 12.0}) {
    SCOPED_TRACE(length);
    WorldRecipe recipe = with_logs({log_at(0.0, 0.0, 0.0, 1e-3, 0.12, length)});
    recipe.ground.slope_y = 1e-6;
    recipe.contact.friction = 0.0;  // which would bear a part of the moment
    recipe.ground.level_radius = 0.0;
    const World world(recipe);
    const Log& log = world.recipe().logs[0];
    WorldState state = world.initial_state();
    run_awake(world, state, 2.0);
    const double line = world.recipe().contact.soil_stiffness;
    const double depth = mass(log) * kTestGravity / (line * length);
    EXPECT_NEAR(log.radius - state.log[0].p[2], depth, 0.01 * depth);

    const double arm = 0.1 * length, axis = length - 2.0 * log.radius;
    Ram ram(PartRole::kHead, Vec3(arm, -0.1, 0.4), Vec3(arm, 0.1, 0.4), 0.1, 40.0, Vec3::Zero());
    ram.push = Vec3(0.0, 0.0, -100.0);
    ram.part.shape.a.z() = ram.part.shape.b.z() = state.log[0].p[2] + 0.2199;
    PartForces forces;
    for (int k = 0; k < 3000; ++k) {
      state.log[0].calm_ticks = 0;
      ram.tick(world, state, 1e-3, forces);
    }
    const Capsule shape = log_shape(log, state.log[0]);
    const double tilt = (shape.a.z() - shape.b.z()) / axis;
    const double expected = 100.0 * arm / (line * length * axis * axis / 12.0);
    EXPECT_NEAR(tilt, expected, 0.02 * expected);
  }
}

}  // namespace
}  // namespace knuckleboom::world
