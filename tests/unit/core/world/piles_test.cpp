// Logs at rest: piles that stand, bunks that hold, waking when something changes.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/core/world/closest_points.hpp"
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
      run_awake(world, state, dt == 1e-3 ? 20.0 : 3.0, dt);
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

// Beams, stakes and headboard of a forwarder's load space, as shapes of its carrier.
std::vector<MachinePart> load_space() {
  constexpr double kLength = 4.7, kWidth = 2.75, kFloor = 1.35, kTop = 3.15, kThick = 0.06;
  std::vector<MachinePart> parts;
  const auto add = [&parts](const Vec3& a, const Vec3& b, double radius) {
    MachinePart part{{a, b, radius}, a, Vec3::Zero(), Vec3::Zero(), PartRole::kCarrier, 0};
    part.id = static_cast<std::int32_t>(parts.size()) + 1;
    parts.push_back(part);
  };
  const double side = 0.5 * kWidth + kThick;
  for (int i = 0; i < 4; ++i) {
    const double x = 0.5 + (kLength - 1.0) * i / 3.0;
    add({x, -side, kFloor - 0.08}, {x, side, kFloor - 0.08}, 0.08);
    for (const double y : {-side, side}) add({x, y, kFloor}, {x, y, kTop}, kThick);
  }
  for (int i = 0; i < 5; ++i) {
    const double z = kFloor + 0.2 + 0.4 * i;
    add({-0.1, -side, z}, {-0.1, side, z}, kThick);
  }
  return parts;
}

// Logs above it in layers, not quite in order.
WorldRecipe load_of(int count, unsigned seed) {
  std::mt19937 random(seed);
  const auto any = [&random](double most) {
    return most * (2.0 * static_cast<double>(random()) / 4294967295.0 - 1.0);
  };
  WorldRecipe recipe;
  for (int i = 0; i < count; ++i) {
    Log log = log_at(2.35, 0.36 * (i % 7 - 3), any(0.012), 1.75 + 0.34 * (i / 7), 0.11 + any(0.03),
                     4.2 + any(0.2));
    log.x += any(0.15);
    log.y += any(0.02);
    recipe.logs.push_back(log);
  }
  return recipe;
}

double deepest(const World& world, const WorldState& state, const std::vector<MachinePart>& parts) {
  double most = 0.0;
  const auto look = [&most](const Capsule& a, const Capsule& b) {
    const ClosestPoints c = closest_points(a.a, a.b, b.a, b.b);
    most = std::max(most, a.radius + b.radius - (c.a - c.b).norm());
  };
  for (int i = 0; i < world.log_count(); ++i) {
    const auto shape = [&](int k) {
      return log_shape(world.recipe().logs[static_cast<std::size_t>(k)], state.log[k]);
    };
    for (int k = 0; k < i; ++k) look(shape(i), shape(k));
    for (const MachinePart& part : parts) look(shape(i), part.shape);
  }
  return most;
}

// One load; in ./dev long many (KNUCKLEBOOM_LOADS).
TEST(Load, SixtyLogsDroppedBetweenStakesComeToRest) {
  const std::vector<MachinePart> parts = load_space();
  const char* const asked = std::getenv("KNUCKLEBOOM_LOADS");
  const int loads = asked != nullptr ? std::atoi(asked) : 1;
  double latest = 0.0, depth = 0.0;
  for (int seed = 1; seed <= loads; ++seed) {
    SCOPED_TRACE(seed);
    const int count = seed == 1 ? 60 : 40;
    const int most = seed == 1 ? 7000 : 30000;
    const World world(load_of(count, static_cast<unsigned>(seed)));
    const auto state = std::make_unique<WorldState>(world.initial_state());
    PartForces forces;
    int ticks = 0;
    for (; ticks < most && resting(world, *state) < count; ++ticks)
      world.step(parts, 1e-3, *state, forces);
    latest = std::max(latest, 1e-3 * ticks);
    EXPECT_EQ(resting(world, *state), count);
    EXPECT_EQ(state->contacts_dropped, 0);
    EXPECT_GT(state->contacts.end, 2 * count);
    for (int i = 0; i < count; ++i) {
      EXPECT_LT(std::fabs(state->log[i].p[1]), 0.5 * 2.75) << i;
      EXPECT_GT(state->log[i].p[2], 1.35) << i;
    }
    depth = std::max(depth, deepest(world, *state, parts));
    const auto before = std::make_unique<WorldState>(*state);
    for (int k = 0; k < (seed == 1 ? 60000 : 0); ++k) world.step(parts, 1e-3, *state, forces);
    EXPECT_EQ(largest_move(world, *state, *before), 0.0);
  }
  EXPECT_LT(depth, 0.015);
  std::printf("  %d loads: at rest after %.2f s at most, overlap %.1f mm at most\n", loads, latest,
              1e3 * depth);
}

// Woken and kept awake a load stays where it is.
TEST(Load, DoesNotCreepWhenItIsKeptAwake) {
  const std::vector<MachinePart> parts = load_space();
  const World world(load_of(14, 3));
  const auto state = std::make_unique<WorldState>(world.initial_state());
  run_awake(world, *state, 8.0, 1e-3, parts);
  const auto before = std::make_unique<WorldState>(*state);
  run_awake(world, *state, 3.0, 1e-3, parts);
  EXPECT_LT(largest_move(world, *state, *before), 0.1e-3 * 3.0 / 60.0);
}

// Two hundred logs, most asleep: what one does in the middle leaves the others alone, and costs no slots.
TEST(Pile, OfTwoHundredLogsOnlyThoseThatAreTouchedWake) {
  std::vector<Log> logs;
  for (int i = 0; i < kMaxLogs - 1; ++i) {
    const int pair = i / 2;
    logs.push_back(log_at(6.0 * (pair % 10), 3.0 * (pair / 10) + 0.25 * (i % 2), 0.0, 0.0));
  }
  logs.push_back(log_at(6.0, 0.12, 0.0, 1.5));  // onto the second pair
  const World world(with_logs(logs));
  ASSERT_EQ(world.log_count(), kMaxLogs);
  const auto state = std::make_unique<WorldState>(world.initial_state());
  run(world, *state, 1.0);
  EXPECT_EQ(resting(world, *state), kMaxLogs - 3);
  for (const int woken : {2, 3, 199})
    EXPECT_EQ(state->log[woken].status, LogStatus::kFree) << woken;
  std::set<int> touching;
  for (std::int64_t n = 0; n < state->contacts.end; ++n) {
    touching.insert(log_of_contact(state->contact[n]));
    EXPECT_EQ(part_of_contact(state->contact[n]), -1);
  }
  touching.erase(-1);
  EXPECT_EQ(touching, (std::set<int>{2, 3}));  // 199 is the other of each pair
  run(world, *state, 5.0);
  EXPECT_EQ(resting(world, *state), kMaxLogs);
  EXPECT_EQ(state->contacts_dropped, 0);
}

// A contact for which there is no slot bears like any other.
TEST(Pile, WithoutRoomForContactsLogsDoNotSink) {
  const World world(with_logs({log_at(0.0, 0.0, 0.0, 0.1), log_at(0.0, 5.0, 0.0, 0.0)}));
  const auto state = std::make_unique<WorldState>(world.initial_state());
  for (int n = 0; n < world.contact_room(); ++n) {
    state->contact[n].key_a = 3;  // the second log, which rests
    state->contact[n].key_b = 16 * 2000 + n;
  }
  find_extent(*state);
  run(world, *state, 1.0);
  EXPECT_GT(state->contacts_dropped, 1000);
  EXPECT_NEAR(state->log[0].p[2], kRadius, 2e-3);
}

TEST(World, CopiesOfStatesHaveAllThatIsUsed) {
  const World world(with_logs(pyramid(3)));
  const auto state = std::make_unique<WorldState>(world.initial_state());
  const auto copy = std::make_unique<WorldState>();
  run(world, *state, 0.5);
  copy_used(*state, *copy);
  EXPECT_TRUE(test::same_bytes(*state, *copy));
  const std::int64_t end = state->contacts.end;
  EXPECT_GT(end, 10);
  copy->contacts.end = 0;
  find_extent(*copy);
  EXPECT_EQ(copy->contacts.end, end);
  const auto start = std::make_unique<WorldState>(world.initial_state());
  copy_used(*start, *copy);
  EXPECT_TRUE(test::same_bytes(*start, *copy));
}

TEST(World, RefusesMoreThanCanMoveAtOnce) {
  std::vector<Log> falling, side_by_side;
  for (int i = 0; i < 61; ++i) {
    falling.push_back(log_at(0.0, 1.0 * i, 0.0, 0.5));
    side_by_side.push_back(log_at(0.0, 0.24 * i, 0.0, 0.0));
  }
  EXPECT_EQ(complaint(with_logs(falling)),
            "61 logs would move at the start: at most 60 may; lay the others on level ground.");
  EXPECT_EQ(complaint(with_logs(side_by_side)),
            "More than 60 logs touch each other, log \"log\" among them: at most 60 may move at "
            "once; make several piles of them.");
  falling.pop_back();
  EXPECT_EQ(complaint(with_logs(falling)), "");
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
