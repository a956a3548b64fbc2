// Figures of invented motions whose answers are known.

#include <array>
#include <bit>
#include <cmath>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

#include "support/attempt.hpp"
#include "support/same_bytes.hpp"

namespace knuckleboom {
namespace {

using test::Attempt;
using test::kTick;
using training::Exercise;
using training::TaskKind;
using training::TaskPhase;
using world::Obstacle;

Exercise free_play() {
  Exercise exercise;
  exercise.name = "free";
  return exercise;
}

TEST(Score, TimeCountsFromTheFirstLeverMovement) {
  const Exercise exercise = free_play();
  Attempt attempt(exercise);
  attempt.steps(500);
  EXPECT_EQ(attempt.at.score.time_s, 0.0);
  EXPECT_EQ(attempt.phase(), TaskPhase::kReady);
  // Noise within the dead zone, and a lever that moves nothing, are no start.
  attempt.at.input.axis[3] = 0.02;
  attempt.at.shaped[3] = 0.001;
  attempt.step();
  attempt.at.input.axis[3] = 0.5;
  attempt.at.shaped[3] = 0.0;
  attempt.step();
  EXPECT_EQ(attempt.phase(), TaskPhase::kReady);
  attempt.at.shaped[3] = 0.001;
  attempt.steps(250);
  EXPECT_EQ(attempt.phase(), TaskPhase::kRunning);
  EXPECT_DOUBLE_EQ(attempt.at.score.time_s, 0.25);
}

TEST(Score, PathOfACircle) {
  const Exercise exercise = free_play();
  Attempt attempt(exercise);
  const double r = 1.5;
  attempt.tip({r, 0.0, 3.0});
  attempt.start();
  constexpr int kSteps = 20'000;
  for (int i = 1; i <= kSteps; ++i) {
    const double a = 2.0 * std::numbers::pi * i / kSteps;
    attempt.tip({r * std::cos(a), r * std::sin(a), 3.0});
    attempt.step();
  }
  // The polygon's length is exact; that of the circle up to its sagitta.
  EXPECT_NEAR(attempt.at.score.path_m, 2.0 * r * kSteps * std::sin(std::numbers::pi / kSteps),
              1e-9);
  EXPECT_NEAR(attempt.at.score.path_m, 2.0 * std::numbers::pi * r, 1e-6);
  EXPECT_EQ(attempt.at.score.path_ratio, 0.0);  // nothing to be reached
}

TEST(Score, WhatHappenedBeforeDoesNotCount) {
  const Exercise exercise = free_play();
  Attempt attempt(exercise);
  attempt.at.collisions[static_cast<int>(Obstacle::kStem)] = 7;
  attempt.at.impulse[static_cast<int>(Obstacle::kStem)] = 70.0;
  attempt.at.at_stop = 0b100;
  attempt.at.sim.health.relief_ticks = 100;
  attempt.at.pump_work_J = 5e3;
  attempt.move({2.0, 0.0, 0.0});
  attempt.start();
  EXPECT_EQ(attempt.at.score.path_m, 0.0);
  EXPECT_EQ(attempt.at.score.collisions, 0.0);
  attempt.at.collisions[static_cast<int>(Obstacle::kStem)] += 2;
  attempt.at.impulse[static_cast<int>(Obstacle::kStem)] += 12.5;
  attempt.at.at_stop |= 0b10;  // the other one stays where it is
  attempt.at.sim.health.relief_ticks += 40;
  attempt.at.pump_work_J += 250.0;
  attempt.step();
  EXPECT_EQ(attempt.at.score.collisions, 2.0);
  EXPECT_EQ(attempt.at.score.collision_impulse_Ns, 12.5);
  EXPECT_EQ(attempt.at.score.end_stop_hits, 1.0);
  EXPECT_DOUBLE_EQ(attempt.at.score.relief_s, 0.04);
  EXPECT_EQ(attempt.at.score.energy_J, 250.0);
  for (const std::int64_t at_stop : {0b100, 0b111, 0b111}) {
    attempt.at.at_stop = at_stop;
    attempt.step();
  }
  EXPECT_EQ(attempt.at.score.end_stop_hits, 3.0);
}

// One contact of each kind; which of them count depends on what is to be done.
TEST(Score, CollisionsWithWhatIsNotToBeTouched) {
  const auto counted = [](TaskKind kind) {
    Exercise exercise = free_play();
    exercise.task = kind;
    exercise.targets.resize(2);
    exercise.targets[0].p_W = Vec3(50.0, 0.0, 0.0);
    exercise.world.logs.resize(1);
    exercise.world.bunks.resize(1);
    exercise.log_tasks.resize(1);
    Attempt attempt(exercise);
    attempt.start();
    int weight = 1;
    for (std::int64_t& n : attempt.at.collisions) n += weight *= 10;
    attempt.step();
    return attempt.at.score.collisions;
  };
  // Ground 10, stem 100, log 1000, bunk 10 000, carrier 100 000.
  EXPECT_EQ(counted(TaskKind::kFree), 100'100.0);
  EXPECT_EQ(counted(TaskKind::kLogs), 100'100.0);
  EXPECT_EQ(counted(TaskKind::kReach), 110'110.0);
  EXPECT_EQ(counted(TaskKind::kPath), 110'110.0);
  EXPECT_EQ(counted(TaskKind::kHead), 110'110.0);
}

// A zero is left out where nothing is counted; one that was earned stays.
TEST(Score, ZerosThatTellNothing) {
  const auto told = [](TaskKind task, const char* name, double value) {
    return !training::tells_nothing(task, *training::find_figure(name), value);
  };
  EXPECT_FALSE(told(TaskKind::kFell, "error_m", 0.0));
  EXPECT_FALSE(told(TaskKind::kFell, "overshoot_m", 0.0));
  EXPECT_FALSE(told(TaskKind::kFell, "cycles", 0.0));
  EXPECT_FALSE(told(TaskKind::kLogs, "driven_m", 0.0));
  EXPECT_FALSE(told(TaskKind::kPath, "overshoot_m", 0.0));
  EXPECT_TRUE(told(TaskKind::kLogs, "driven_m", 3.0));
  EXPECT_TRUE(told(TaskKind::kLogs, "cycles", 0.0));
  EXPECT_TRUE(told(TaskKind::kReach, "overshoot_m", 0.0));
  EXPECT_TRUE(told(TaskKind::kDrive, "driven_m", 0.0));
  EXPECT_TRUE(told(TaskKind::kFell, "collisions", 0.0));
}

TEST(Score, LeverReversals) {
  const Exercise exercise = free_play();
  Attempt attempt(exercise);
  attempt.start();  // from 0 to 0.5
  const auto lever = [&](double axis) {
    attempt.lever(axis);
    attempt.step();
    return attempt.at.score.lever_reversals;
  };
  EXPECT_EQ(lever(0.9), 0.0);
  EXPECT_EQ(lever(0.85), 0.0);  // trembling
  EXPECT_EQ(lever(1.0), 0.0);
  EXPECT_EQ(lever(0.95), 0.0);
  EXPECT_EQ(lever(0.85), 1.0);  // 0.15 back from the furthest point, however slowly
  EXPECT_EQ(lever(-0.6), 1.0);  // on through the centre
  EXPECT_EQ(lever(-0.55), 1.0);
  EXPECT_EQ(lever(0.0), 2.0);
  // A second lever has turning points of its own.
  attempt.at.input.axis[4] = -0.5;
  attempt.step();
  attempt.at.input.axis[4] = 0.0;
  attempt.step();
  EXPECT_EQ(attempt.at.score.lever_reversals, 3.0);
}

TEST(Score, FiguresReadWhatTheyName) {
  std::array<double, sizeof(training::Score) / sizeof(double)> values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 + static_cast<double>(i);
  const auto score = std::bit_cast<training::Score>(values);
  std::set<std::string_view> names;
  double value = 1.0;
  for (const training::Figure& figure : training::figures()) {
    EXPECT_EQ(figure.read(score), value++) << figure.name;
    EXPECT_TRUE(names.insert(figure.name).second) << figure.name;
    EXPECT_FALSE(figure.label.empty());
    EXPECT_FALSE(figure.description.empty());
    // The name ends with the unit.
    if (figure.unit.size() == 1) {
      EXPECT_TRUE(figure.name.ends_with("_" + std::string(figure.unit))) << figure.name;
    }
  }
  EXPECT_EQ(training::figures().size(), values.size());
}

TEST(Score, LimitsAreInclusive) {
  Exercise exercise = free_play();
  exercise.limits = {{"time_s", true, false, 10.0, 0.0, {}}, {"placed", false, true, 0.0, 3.0, {}}};
  training::Score score{};
  score.time_s = 10.0;
  score.placed = 3.0;
  EXPECT_EQ(training::broken_limit(exercise, score), -1);
  score.placed = 2.0;
  EXPECT_EQ(training::broken_limit(exercise, score), 1);
  score.time_s = 10.001;
  EXPECT_EQ(training::broken_limit(exercise, score), 0);
}

TEST(Score, AMeanOfNothingIsWithinNoLimit) {
  Exercise exercise = free_play();
  exercise.limits = {{"cycle_s", true, false, 90.0, 0.0, {}}};
  training::Score score{};
  EXPECT_EQ(training::broken_limit(exercise, score), 0);  // no cycle is not a fast one
  score.cycle_s = 80.0;
  EXPECT_EQ(training::broken_limit(exercise, score), -1);
  exercise.limits = {{"swing_peak_rad", true, false, 0.4, 0.0, {}}};
  EXPECT_EQ(training::broken_limit(exercise, score), -1);  // a head that hangs still
  score.swing_peak_rad = std::nan("");
  EXPECT_EQ(training::broken_limit(exercise, score), 0);
}

TEST(Score, SameSnapshotsSameBits) {
  const Exercise exercise = free_play();
  const auto run = [&] {
    Attempt attempt(exercise);
    attempt.start();
    attempt.move({1.0, 2.0, 3.0});
    attempt.lever(-0.7);
    attempt.move({0.3, -2.0, 1.0});
    return attempt;
  };
  const Attempt a = run(), b = run();
  EXPECT_TRUE(test::same_bytes(a.state, b.state));
  EXPECT_TRUE(test::same_bytes(a.score, b.score));
}

}  // namespace
}  // namespace knuckleboom
