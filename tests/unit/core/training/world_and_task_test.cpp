// The world lays a log into a bunk and the task sees it there.
#include <cmath>

#include <gtest/gtest.h>

#include "knuckleboom/core/world/world.hpp"
#include "support/attempt.hpp"

namespace knuckleboom {
namespace {

using test::Attempt;
using test::kTick;

training::Exercise one_log() {
  training::Exercise e;
  e.name = "one log";
  e.task = training::TaskKind::kLogs;
  e.world.ground.bump_height = 0.08;
  e.world.bunks.resize(1);
  e.world.bunks[0].y = 6.0;
  e.world.bunks[0].heading = 0.3;
  e.world.logs.resize(1);
  e.world.logs[0].x = 6.0;
  e.world.logs[0].length = 3.0;
  e.log_tasks = {{0, 0}};
  return e;
}

void show(const world::WorldState& state, training::SessionSnapshot& at) {
  for (int c = 0; c < 3; ++c) at.log[0].p[c] = state.log[0].p[c];
  for (int c = 0; c < 4; ++c) at.log[0].q[c] = state.log[0].q[c];
  at.log_status[0] = state.log[0].status;
  at.held_log = state.log[0].status == world::LogStatus::kHeld ? 0 : -1;
}

// Lets the log go above the bunk's centre, shifted sideways, and waits.
bool counts_after_drop(double across) {
  const training::Exercise e = one_log();
  const world::World world(e.world);
  world::WorldState state = world.initial_state();
  Attempt attempt(e);
  show(state, attempt.at);
  attempt.start();
  world.hold(0, state);
  world::LogState& log = state.log[0];
  log.p[0] = -across * std::sin(0.3);
  log.p[1] = 6.0 + across * std::cos(0.3);
  log.p[2] = 0.9;
  log.q[0] = std::cos(0.15);
  log.q[1] = log.q[2] = 0.0;
  log.q[3] = std::sin(0.15);
  show(state, attempt.at);
  attempt.step();
  world.release(0, Vec3::Zero(), Vec3::Zero(), state);
  world::PartForces forces;
  for (int i = 0; i < 4000; ++i) {
    world.step({}, kTick, state, forces);
    show(state, attempt.at);
    attempt.step();
  }
  return attempt.phase() == training::TaskPhase::kPassed;
}

TEST(WorldAndTask, ADroppedLogComesToRestInItsBunk) {
  EXPECT_TRUE(counts_after_drop(0.0));
  EXPECT_TRUE(counts_after_drop(0.3));
  EXPECT_FALSE(counts_after_drop(1.5));  // beside it
}

}  // namespace
}  // namespace knuckleboom
