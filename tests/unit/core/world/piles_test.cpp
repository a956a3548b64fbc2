// Logs at rest: piles that stand, bunks that hold, waking when something changes.
#include <algorithm>
#include <cmath>
#include <memory>

#include <gtest/gtest.h>

#include "support/same_bytes.hpp"
#include "world_test_support.hpp"

namespace knuckleboom::world {
namespace {

constexpr double kRadius = 0.12;
constexpr double kGap = 0.002;

// Rows of count, count - 1, ... logs on each other.
std::vector<Log> pyramid(int count) {
  std::vector<Log> logs;
  const double side = 2.0 * kRadius + kGap;
  for (int row = 0; row < count; ++row)
    for (int i = 0; i < count - row; ++i)
      logs.push_back(log_at(0.0, side * (i + 0.5 * row), 0.0, 1e-3 + row * (side * 0.8661 + kGap)));
  return logs;
}

int resting(const World& world, const WorldState& state) {
  int n = 0;
  for (int i = 0; i < world.log_count(); ++i)
    n += state.log[i].status == LogStatus::kResting ? 1 : 0;
  return n;
}

double largest_move(const World& world, const WorldState& a, const WorldState& b) {
  double most = 0.0;
  for (int i = 0; i < world.log_count(); ++i)
    most = std::max(most, (vec(a.log[i].p) - vec(b.log[i].p)).norm());
  return most;
}

TEST(Pile, PyramidsStand) {
  for (const int base : {2, 3})
    for (const double dt : {0.5e-3, 1e-3, 4e-3}) {
      SCOPED_TRACE(base);
      const World world(with_logs(pyramid(base)));
      WorldState state = world.initial_state();
      run_awake(world, state, 2.0, dt);
      WorldState settled = state;
      // The upper logs still lie above the lower ones.
      for (int i = base; i < world.log_count(); ++i)
        EXPECT_GT(state.log[i].p[2], 1.6 * kRadius) << i;
      run_awake(world, state, dt == 1e-3 ? 60.0 : 5.0, dt);
      EXPECT_LT(largest_move(world, state, settled), 1e-3) << dt;
      run(world, state, 1.0, dt);
      EXPECT_EQ(resting(world, state), world.log_count());
    }
}

TEST(Pile, RestsExactlyStill) {
  const World world(with_logs(pyramid(3)));
  WorldState state = world.initial_state();
  run(world, state, 5.0);
  ASSERT_EQ(resting(world, state), 6);
  WorldState before = state;
  run(world, state, 60.0);
  before.ticks = state.ticks;
  EXPECT_TRUE(test::same_bytes(before, state));
}

TEST(Pile, WakesWhenItsSupportIsTaken) {
  const World world(with_logs(pyramid(3)));
  WorldState state = world.initial_state();
  run(world, state, 5.0);
  ASSERT_EQ(resting(world, state), 6);
  world.hold(0, state);  // at an end of the lowest row
  EXPECT_EQ(state.log[0].status, LogStatus::kHeld);
  EXPECT_EQ(resting(world, state), 0);
  state.log[0].p[2] = 30.0;
  run(world, state, 5.0);
  EXPECT_LT(state.log[3].p[2], kRadius + 1e-3);  // rolled down to the ground
  EXPECT_EQ(state.log[0].p[2], 30.0);
}

TEST(Pile, WakesWhenALogFallsOnIt) {
  std::vector<Log> logs = pyramid(2);
  logs.push_back(log_at(0.5, 0.12, 0.4, 20.0));
  const World world(with_logs(logs));
  WorldState state = world.initial_state();
  run(world, state, 1.9);
  EXPECT_EQ(resting(world, state), 3);
  WorldState before = state;
  run(world, state, 0.2);
  EXPECT_EQ(resting(world, state), 0);
  EXPECT_GT(largest_move(world, state, before), 0.01);
}

TEST(Pile, WakesWhenTheMachineTouchesIt) {
  const World world(with_logs(pyramid(2)));
  WorldState state = world.initial_state();
  run(world, state, 3.0);
  ASSERT_EQ(resting(world, state), 3);
  Ram ram(PartRole::kHead, Vec3(0.0, 0.121, 1.0), Vec3(0.3, 0.121, 1.0), 0.1, 300.0,
          Vec3(0.0, 0.0, -0.5));
  PartForces forces;
  double t = 0.0;
  for (; t < 3.0 && resting(world, state) == 3; t += 1e-3) ram.tick(world, state, 1e-3, forces);
  EXPECT_EQ(resting(world, state), 0);
  EXPECT_NEAR(ram.part.shape.a.z(), state.log[2].p[2] + 0.22, 2e-3);
}

TEST(Pile, LogsThatOnlyLieBesideSleepOn) {
  std::vector<Log> logs = pyramid(2);
  logs.push_back(log_at(0.0, 3.0, 0.0, 0.0));
  const World world(with_logs(logs));
  WorldState state = world.initial_state();
  run(world, state, 3.0);
  world.hold(0, state);
  EXPECT_EQ(state.log[1].status, LogStatus::kFree);
  EXPECT_EQ(state.log[3].status, LogStatus::kResting);
}

class Bunkful : public testing::TestWithParam<double> {};

TEST_P(Bunkful, KeepsEightDroppedLogs) {
  const double dt = GetParam();
  WorldRecipe recipe;
  Bunk bunk;
  bunk.x = 5.0;
  bunk.y = 2.0;
  bunk.heading = 0.6;
  recipe.bunks.push_back(bunk);
  recipe.ground.bump_height = 0.05;
  for (int i = 0; i < 8; ++i)
    recipe.logs.push_back(log_at(5.0 + 0.1 * (i % 3), 2.0 + 0.08 * (i % 2), 0.6 + 0.02 * (i % 4),
                                 0.8 + 0.4 * i, 0.10 + 0.01 * (i % 4)));
  const World world(recipe);
  WorldState state = world.initial_state();
  run(world, state, 12.0, dt);
  EXPECT_EQ(resting(world, state), 8);
  EXPECT_EQ(state.contacts_dropped, 0);
  const Vec3 across(-std::sin(0.6), std::cos(0.6), 0.0);
  for (int i = 0; i < 8; ++i) {
    const Vec3 p = vec(state.log[i].p) - Vec3(5.0, 2.0, 0.0);
    EXPECT_LT(std::fabs(p.dot(across)), 0.5 * bunk.width) << i;
    EXPECT_GT(p.z(), 2.0 * kBeamRadius) << i;
    EXPECT_LT(p.z(), 1.4) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Rates, Bunkful, testing::Values(0.5e-3, 1e-3, 4e-3));

TEST(World, GivesTheSameBitsTwiceAndFromACopy) {
  const World world(with_logs(pyramid(3)));
  const World other(with_logs(pyramid(3)));
  WorldState a = world.initial_state();
  const auto b = std::make_unique<WorldState>(other.initial_state());
  const auto copy = std::make_unique<WorldState>();
  PartForces fa{}, fb{};
  Ram ra(PartRole::kHead, Vec3(0.0, 0.0, 1.0), Vec3(0.3, 0.3, 1.0), 0.1, 300.0,
         Vec3(0.0, 0.3, -0.5));
  Ram rb = ra, rc = ra;
  for (int k = 0; k < 4000; ++k) {
    if (k == 1500) {
      *copy = a;
      rc = ra;
    }
    ra.tick(world, a, 1e-3, fa);
    rb.tick(other, *b, 1e-3, fb);
    ASSERT_TRUE(test::same_bytes(a, *b)) << k;
    ASSERT_EQ(fa.count, fb.count);
  }
  for (int k = 1500; k < 4000; ++k) rc.tick(world, *copy, 1e-3, fb);
  EXPECT_TRUE(test::same_bytes(a, *copy));
  EXPECT_EQ(ra.part.p_W, rc.part.p_W);
}

}  // namespace
}  // namespace knuckleboom::world
