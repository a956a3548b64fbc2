// When targets, paths and logs count as done, and when an attempt ends.

#include "knuckleboom/core/training/task.hpp"

#include <cmath>
#include <iterator>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include <gtest/gtest.h>

#include "knuckleboom/core/training/load_part.hpp"
#include "support/attempt.hpp"
#include "support/same_bytes.hpp"

namespace knuckleboom {
namespace {

using test::Attempt;
using test::kTick;
using training::Exercise;
using training::Target;
using training::TaskKind;
using training::TaskPhase;

Target target(const Vec3& p, double radius = 0.25, double dwell_s = 0.0) {
  Target t;
  t.p_W = p;
  t.radius = radius;
  t.dwell_s = dwell_s;
  return t;
}

Exercise of_kind(TaskKind kind) {
  Exercise exercise;
  exercise.name = "test";
  exercise.task = kind;
  return exercise;
}

// --- Reach --------------------------------------------------------------------

Exercise reach() {
  Exercise exercise = of_kind(TaskKind::kReach);
  exercise.targets = {target({5.0, 0.0, 3.0}), target({5.0, 4.0, 3.0}), target({5.0, 4.0, 6.0})};
  return exercise;
}

TEST(Reach, TargetsCountInOrder) {
  const Exercise exercise = reach();
  Attempt attempt(exercise);
  attempt.tip({2.0, 0.0, 3.0});
  attempt.step();
  EXPECT_EQ(attempt.at.task.phase, TaskPhase::kReady);
  EXPECT_EQ(attempt.at.task.steps, 3);
  EXPECT_EQ(attempt.at.task.target, 0);
  EXPECT_EQ(attempt.at.task.target_W[0], 5.0);
  EXPECT_DOUBLE_EQ(attempt.at.task.distance, 3.0);
  attempt.start();
  attempt.move({5.0, 4.0, 6.0});  // the last one first: not counted
  EXPECT_EQ(attempt.at.task.step, 0);
  attempt.move({5.0, 0.0, 3.0});
  EXPECT_EQ(attempt.at.task.step, 1);
  EXPECT_EQ(attempt.at.task.target_W[1], 4.0);
  attempt.move({5.0, 4.0, 3.0});
  EXPECT_EQ(attempt.at.task.step, 2);
  EXPECT_EQ(attempt.phase(), TaskPhase::kRunning);
  attempt.move({5.0, 4.0, 6.0});
  EXPECT_EQ(attempt.phase(), TaskPhase::kPassed);
  EXPECT_EQ(attempt.at.task.target, -1);
  EXPECT_EQ(attempt.at.score.placed, 3.0);
}

TEST(Reach, AStraightWayHasTheRatioOne) {
  const Exercise exercise = reach();
  Attempt attempt(exercise);
  attempt.tip({2.0, 0.0, 3.0});
  attempt.start();
  attempt.move({5.0, 0.0, 3.0});
  // Reached at the edge of its tolerance, 0.25 m before its centre, where the straight line ends too.
  EXPECT_NEAR(attempt.at.score.shortest_m, 2.75, 2e-3);
  EXPECT_NEAR(attempt.at.score.path_ratio, 1.0, 1e-9);
  EXPECT_NEAR(attempt.at.score.error_m, 0.25, 2e-3);
}

TEST(Reach, ADetourShowsInTheRatio) {
  Exercise exercise = of_kind(TaskKind::kReach);
  exercise.targets = {target({3.0, 0.0, 0.0}, 1e-6)};
  Attempt attempt(exercise);
  attempt.start();
  attempt.move({3.0, 4.0, 0.0});
  EXPECT_EQ(attempt.at.score.path_ratio, 0.0);
  attempt.move({3.0, 0.0, 0.0});
  EXPECT_NEAR(attempt.at.score.path_m, 9.0, 1e-9);
  EXPECT_NEAR(attempt.at.score.shortest_m, 3.0, 1e-9);
  EXPECT_NEAR(attempt.at.score.path_ratio, 3.0, 1e-9);
}

TEST(Reach, DwellStartsAnewAfterLeaving) {
  Exercise exercise = of_kind(TaskKind::kReach);
  exercise.targets = {target({1.0, 0.0, 0.0}, 0.1, 1.0)};
  Attempt attempt(exercise);
  attempt.start();
  attempt.tip({1.0, 0.0, 0.0});
  attempt.steps(999);
  EXPECT_EQ(attempt.phase(), TaskPhase::kRunning);
  EXPECT_NEAR(attempt.at.task.dwell, 0.999, 1e-9);
  attempt.tip({1.2, 0.0, 0.0});
  attempt.step();
  EXPECT_EQ(attempt.at.task.dwell, 0.0);
  attempt.tip({1.05, 0.0, 0.0});
  attempt.steps(999);
  EXPECT_EQ(attempt.phase(), TaskPhase::kRunning);
  attempt.step();
  EXPECT_EQ(attempt.phase(), TaskPhase::kPassed);
  EXPECT_NEAR(attempt.at.score.error_m, 0.05, 1e-12);
}

// A head that swings beyond the target's angle from plumb, to whichever side, starts the dwell anew.
TEST(Reach, AHeadInPlumbIsWaitedFor) {
  Exercise exercise = of_kind(TaskKind::kReach);
  exercise.targets = {target({1.0, 0.0, 0.0}, 0.1, 1.0)};
  exercise.targets[0].plumb = 0.1;
  Attempt attempt(exercise);
  attempt.start();
  attempt.tip({1.0, 0.0, 0.0});
  const auto hang = [&](double x, double y) {
    attempt.at.hang_W[0] = x;
    attempt.at.hang_W[1] = y;
    attempt.at.hang_W[2] = -std::sqrt(1.0 - x * x - y * y);
  };
  attempt.steps(1500);  // nothing hangs
  EXPECT_EQ(attempt.at.task.dwell, 0.0);
  hang(0.0, std::sin(0.099));
  attempt.steps(999);
  EXPECT_NEAR(attempt.at.task.dwell, 0.999, 1e-9);
  EXPECT_NEAR(attempt.at.task.angle, 0.099, 1e-9);
  hang(-std::sin(0.08), std::sin(0.08));  // 0.113 rad in all
  attempt.step();
  EXPECT_EQ(attempt.at.task.dwell, 0.0);
  EXPECT_NEAR(attempt.at.task.angle, std::asin(std::sqrt(2.0) * std::sin(0.08)), 1e-9);
  hang(0.0, 0.0);
  attempt.steps(1000);
  EXPECT_EQ(attempt.phase(), TaskPhase::kPassed);
}

TEST(Task, NothingChangesAfterTheEnd) {
  Exercise exercise = reach();
  exercise.time_limit_s = 0.5;
  Attempt attempt(exercise);
  attempt.step();
  EXPECT_EQ(attempt.at.task.time_left_s, 0.5);
  attempt.lever(1.0);
  attempt.steps(499);
  EXPECT_EQ(attempt.phase(), TaskPhase::kRunning);
  EXPECT_NEAR(attempt.at.task.time_left_s, 0.001, 1e-12);
  attempt.step();
  EXPECT_EQ(attempt.phase(), TaskPhase::kFailed);
  EXPECT_EQ(attempt.at.task.time_left_s, 0.0);
  const training::TaskState state = attempt.state;
  const training::ScoreState score = attempt.score;
  const training::TaskSnapshot shown = attempt.at.task;
  attempt.lever(-1.0);
  attempt.move({5.0, 0.0, 3.0});
  attempt.move({5.0, 4.0, 3.0});
  attempt.move({5.0, 4.0, 6.0});
  EXPECT_TRUE(test::same_bytes(state, attempt.state));
  EXPECT_TRUE(test::same_bytes(score, attempt.score));
  EXPECT_EQ(attempt.at.task.distance, shown.distance);
  EXPECT_EQ(attempt.at.score.path_m, score.score.path_m);
}

TEST(Task, DoneBeyondALimitHasFailed) {
  for (const double most : {0.5, 50.0}) {
    Exercise exercise = of_kind(TaskKind::kReach);
    exercise.targets = {target({1.0, 0.0, 0.0})};
    exercise.limits = {{"path_m", true, false, most, 0.0, {}}};
    Attempt attempt(exercise);
    attempt.start();
    attempt.move({1.0, 0.0, 0.0});
    EXPECT_EQ(attempt.phase(), most < 1.0 ? TaskPhase::kFailed : TaskPhase::kPassed);
  }
}

TEST(Task, FreePlayEndsOnlyWithItsTime) {
  Exercise exercise = of_kind(TaskKind::kFree);
  Attempt endless(exercise);
  endless.start();
  endless.steps(2000);
  EXPECT_EQ(endless.phase(), TaskPhase::kRunning);
  EXPECT_EQ(endless.at.task.target, -1);
  EXPECT_EQ(endless.at.task.time_left_s, -1.0);
  exercise.time_limit_s = 1.0;
  Attempt timed(exercise);
  timed.start();
  timed.steps(2000);
  EXPECT_EQ(timed.phase(), TaskPhase::kPassed);
  EXPECT_DOUBLE_EQ(timed.at.score.time_s, 1.0);
}

// Ten seconds to look round; who thinks for longer is on the clock.
TEST(Task, TheClockRunsTenSecondsAfterTheStart) {
  for (const int waited : {5000, 9999, 12'500}) {
    Exercise exercise = of_kind(TaskKind::kReach);
    exercise.targets = {target({9.0, 0.0, 0.0})};
    exercise.time_limit_s = 5.0;
    Attempt attempt(exercise);
    attempt.steps(waited);
    const double late = std::max(0.0, 1e-3 * waited - 10.0);
    EXPECT_NEAR(attempt.at.task.time_left_s, 5.0 - late, 1e-9) << waited;
    EXPECT_EQ(attempt.phase(), TaskPhase::kReady);
    attempt.lever(0.5);
    attempt.steps(1000);
    EXPECT_NEAR(attempt.at.score.time_s, 1.0 + late, 1e-9) << waited;
    EXPECT_NEAR(attempt.at.task.time_left_s, 4.0 - late, 1e-9) << waited;
    attempt.steps(4000);
    EXPECT_EQ(attempt.phase(), TaskPhase::kFailed);
    EXPECT_NEAR(attempt.at.score.time_s, 5.0, 1e-9) << waited;
    for (const auto& track : attempt.at.element_s)
      EXPECT_NEAR(std::accumulate(std::begin(track), std::end(track), 0.0), 5.0, 1e-9) << waited;
  }
}

// --- Path ---------------------------------------------------------------------

// An L: 3 m along x, then 4 m along y.
Exercise path() {
  Exercise exercise = of_kind(TaskKind::kPath);
  exercise.targets = {target({0.0, 0.0, 0.0}, 0.2), target({3.0, 0.0, 0.0}, 0.2),
                      target({3.0, 4.0, 0.0}, 0.2)};
  return exercise;
}

TEST(Path, FollowedInAConstantDistance) {
  const Exercise exercise = path();
  Attempt attempt(exercise);
  attempt.tip({0.0, 0.0, 1.0});
  attempt.start();
  attempt.move({0.0, 0.0, 0.1});
  EXPECT_EQ(attempt.at.task.step, 1);
  attempt.move({2.0, 0.0, 0.1});
  EXPECT_NEAR(attempt.state.progress, 2.0, 1e-12);
  EXPECT_EQ(attempt.at.task.target, 1);
  EXPECT_NEAR(attempt.at.task.distance, 0.1, 1e-12);
  EXPECT_NEAR(attempt.at.task.target_W[0], 2.2, 1e-12);  // a little ahead
  attempt.move({3.0, 0.0, 0.1});
  EXPECT_EQ(attempt.at.task.step, 2);
  attempt.move({3.0, 3.7, 0.1});
  EXPECT_EQ(attempt.phase(), TaskPhase::kRunning);
  attempt.move({3.0, 3.9, 0.1});  // the end counts from its tolerance on
  EXPECT_EQ(attempt.phase(), TaskPhase::kPassed);
  EXPECT_EQ(attempt.at.score.placed, 3.0);
  // The mean over all but the first centimetres is the height above the path.
  EXPECT_NEAR(attempt.at.score.error_m, 0.1, 2e-3);
  // 0.9 m down to it, then to 0.2 m before its end; the leg to it ended 0.2 m above its start.
  EXPECT_NEAR(attempt.at.score.path_ratio, 7.7 / 7.6, 1e-3);
}

TEST(Path, ProgressWaitsWhereThePathWasLeft) {
  const Exercise exercise = path();
  Attempt attempt(exercise);
  attempt.start();
  attempt.move({1.0, 0.0, 0.0});
  attempt.move({1.0, 0.0, 0.5});
  attempt.move({2.5, 0.0, 0.5});
  attempt.move({2.5, 0.0, 0.0});
  EXPECT_NEAR(attempt.state.progress, 1.0, 1e-9);
  EXPECT_GT(attempt.at.task.distance, 1.0);
  attempt.move({1.1, 0.0, 0.0});
  attempt.move({2.0, 0.0, 0.0});
  EXPECT_NEAR(attempt.state.progress, 2.0, 1e-9);
  attempt.move({1.0, 0.0, 0.0});  // going back loses nothing
  EXPECT_NEAR(attempt.state.progress, 2.0, 1e-9);
}

// The mean over time could be lowered by standing still on the line; that over its length cannot.
TEST(Path, WaitingOnTheLineGainsNothing) {
  const Exercise exercise = path();
  const auto error = [&](int waits) {
    Attempt attempt(exercise);
    attempt.start();
    attempt.move({1.0, 0.15, 0.0});
    attempt.move({2.0, 0.0, 0.0});
    attempt.steps(waits);
    attempt.move({2.5, 0.1, 0.0});
    attempt.move({3.0, 0.0, 0.0});
    attempt.move({3.0, 4.0, 0.0});
    EXPECT_EQ(attempt.phase(), TaskPhase::kPassed);
    return attempt.at.score.error_m;
  };
  const double honest = error(0);
  // Triangles of 2 m and 0.15 m, 1 m and 0.1 m, of 7 m; a piece of 5 cm has its largest error.
  EXPECT_NEAR(honest, (0.5 * 2.0 * 0.15 + 0.5 * 1.0 * 0.1) / 7.0, 0.006);
  EXPECT_EQ(error(20'000), honest);
}

TEST(Path, NothingCountsBeforeItsStart) {
  const Exercise exercise = path();
  Attempt attempt(exercise);
  attempt.tip({2.0, 0.0, 0.0});
  attempt.start();
  attempt.move({3.0, 0.0, 0.0});
  attempt.move({3.0, 4.0, 0.0});
  EXPECT_EQ(attempt.at.task.step, 0);
  EXPECT_EQ(attempt.at.score.error_m, 0.0);
  EXPECT_EQ(attempt.at.task.target_W[0], 0.0);
}

// --- Logs ---------------------------------------------------------------------

// Two logs along x at y = 2 and y = 3, to be carried to bunks at y = -2 and y = -5, in this order.
Exercise logs() {
  Exercise exercise = of_kind(TaskKind::kLogs);
  exercise.world.logs.resize(2);
  exercise.world.bunks.resize(2);
  exercise.world.bunks[0].x = exercise.world.bunks[1].x = 5.0;
  exercise.world.bunks[0].y = -2.0;
  exercise.world.bunks[1].y = -5.0;
  exercise.log_tasks = {{0, 0}, {1, 1}};
  return exercise;
}

class LogAttempt : public Attempt {
 public:
  explicit LogAttempt(const Exercise& exercise) : Attempt(exercise) {
    log(0, {5.0, 2.0, 0.12});
    log(1, {5.0, 3.0, 0.12});
    tip({5.0, 0.0, 3.0});
    start();
  }
  void take(int index) {
    at.held_log = index;
    at.log_status[index] = world::LogStatus::kHeld;
    step();
  }
  void let_go(int index, const Vec3& p) {
    log(index, p);
    at.held_log = -1;
    at.log_status[index] = world::LogStatus::kFree;
    step();
  }
  void rest(int index) {
    at.log_status[index] = world::LogStatus::kResting;
    step();
  }
};

constexpr double kInBunk = 0.4;  // height of a log there

TEST(Logs, PlacedInOrderWithFetchAndCarryLegs) {
  const Exercise exercise = logs();
  LogAttempt attempt(exercise);
  EXPECT_EQ(attempt.at.task.target_W[1], 2.0);  // the log to fetch
  attempt.move({5.0, 2.0, 1.5});
  attempt.take(0);
  EXPECT_EQ(attempt.at.task.target_W[1], -2.0);  // its bunk
  EXPECT_NEAR(attempt.at.score.shortest_m, std::hypot(2.0, 1.5), 1e-9);
  attempt.move({5.0, -2.0, 1.5});
  attempt.let_go(0, {5.1, -2.2, kInBunk});
  attempt.move({5.0, -2.0, 2.5}, 4.0);  // away already, before the log has come to rest
  EXPECT_EQ(attempt.at.task.step, 0);
  attempt.rest(0);
  EXPECT_EQ(attempt.at.task.step, 1);
  EXPECT_EQ(attempt.at.task.target, 1);
  EXPECT_NEAR(attempt.at.score.error_m, 0.1, 1e-12);  // along the bunk
  // The carry ended where the log was let go.
  EXPECT_NEAR(attempt.at.score.shortest_m, std::hypot(2.0, 1.5) + 4.0, 1e-9);
  EXPECT_NEAR(attempt.at.score.path_ratio, 1.0, 1e-9);
  attempt.move({5.0, 3.0, 1.5});
  attempt.take(1);
  attempt.move({5.0, -5.0, 1.5});
  attempt.let_go(1, {4.7, -5.0, kInBunk});
  attempt.rest(1);
  EXPECT_EQ(attempt.phase(), TaskPhase::kPassed);
  EXPECT_EQ(attempt.at.score.placed, 2.0);
  EXPECT_NEAR(attempt.at.score.error_m, 0.2, 1e-12);
  EXPECT_GT(attempt.at.score.path_ratio, 1.0);
}

TEST(Logs, AnotherLogOrBunkIsNotCounted) {
  const Exercise exercise = logs();
  LogAttempt attempt(exercise);
  attempt.take(1);
  attempt.let_go(1, {5.0, -5.0, kInBunk});
  attempt.rest(1);
  EXPECT_EQ(attempt.at.task.step, 0);
  attempt.take(0);
  attempt.let_go(0, {5.0, -5.0, kInBunk});
  attempt.rest(0);
  EXPECT_EQ(attempt.at.task.step, 0);
  attempt.take(0);
  attempt.let_go(0, {5.0, -2.0, kInBunk});
  attempt.rest(0);
  EXPECT_EQ(attempt.at.task.step, 1);
  // The second lies in its bunk already, but was brought too early: it is taken up again.
  attempt.steps(100);
  EXPECT_EQ(attempt.at.task.step, 1);
  attempt.take(1);
  attempt.let_go(1, {5.0, -5.0, kInBunk});
  attempt.rest(1);
  EXPECT_EQ(attempt.phase(), TaskPhase::kPassed);
}

// Several of a pile at once, in any order, as soon as they have been let go.
TEST(Logs, OfAPileCountAsTheyComeToLie) {
  Exercise exercise = logs();
  for (training::LogTask& task : exercise.log_tasks) {
    task.bunk = 0;
    task.gathered = true;
  }
  LogAttempt attempt(exercise);
  attempt.take(1);
  attempt.at.carried.add(0);
  attempt.at.carried.add(1);
  attempt.log(0, {5.0, -2.0, kInBunk});
  attempt.log(1, {5.0, -2.2, kInBunk});
  attempt.rest(0);
  EXPECT_EQ(attempt.at.task.step, 0);  // both still in the jaws
  attempt.at.carried = {};
  attempt.let_go(1, {5.0, -2.2, kInBunk});
  attempt.rest(0);
  EXPECT_EQ(attempt.at.task.step, 1);
  attempt.rest(1);
  EXPECT_EQ(attempt.phase(), TaskPhase::kPassed);
  EXPECT_EQ(attempt.at.score.faultless, 1.0);
}

// Both ends of a log of 2.6 m on beams that are 2 m apart: its middle is 0.3 m off at most.
TEST(Logs, OfAPileLieWithBothEndsOnTheBeams) {
  const auto placed = [](double off) {
    Exercise exercise = logs();
    exercise.world.logs[0].length = 2.6;
    exercise.log_tasks = {{.log = 0, .bunk = 0, .gathered = true}};
    LogAttempt attempt(exercise);
    attempt.let_go(0, {5.0 + off, -2.0, kInBunk});
    attempt.rest(0);
    return attempt.phase() == TaskPhase::kPassed;
  };
  EXPECT_TRUE(placed(0.29));
  EXPECT_FALSE(placed(0.31));
  EXPECT_FALSE(placed(-0.31));
}

// A heap is as high as it becomes; how far its logs lie from its middle counts along them.
TEST(Logs, OfAPileMakeAHeap) {
  Exercise exercise = logs();
  exercise.world.bunks.clear();
  exercise.places.resize(1);
  exercise.places[0].x = 9.0;
  exercise.places[0].radius = 1.0;
  exercise.log_tasks = {{.log = 0, .bunk = -1, .place = 0, .gathered = true},
                        {.log = 1, .bunk = -1, .place = 0, .gathered = true}};
  LogAttempt attempt(exercise);
  attempt.let_go(0, {9.2, 0.7, 0.12});
  attempt.rest(0);
  attempt.let_go(1, {8.6, 0.6, 1.4});
  attempt.rest(1);
  EXPECT_EQ(attempt.phase(), TaskPhase::kPassed);
  EXPECT_NEAR(attempt.at.score.error_m, 0.3, 1e-12);
  LogAttempt beyond(exercise);
  beyond.let_go(0, {9.8, 0.7, 0.12});
  beyond.rest(0);
  EXPECT_EQ(beyond.at.task.step, 0);
}

// One thing wrong at a time.
TEST(Logs, MustLieInTheBunk) {
  const Exercise exercise = logs();
  const world::Bunk& bunk = exercise.world.bunks[0];
  const auto placed = [&](const Vec3& p, double turn) {
    LogAttempt attempt(exercise);
    attempt.take(0);
    attempt.at.log[0].q[0] = std::cos(0.5 * turn);
    attempt.at.log[0].q[3] = std::sin(0.5 * turn);
    attempt.let_go(0, p);
    attempt.rest(0);
    return attempt.at.task.step == 1;
  };
  const double half_length = 0.5 * bunk.length, half_width = 0.5 * bunk.width;
  EXPECT_TRUE(placed({5.0, -2.0, kInBunk}, 0.0));
  EXPECT_TRUE(placed({5.0, -2.0, kInBunk}, 0.3));
  EXPECT_TRUE(placed({5.0, -2.0, kInBunk}, std::numbers::pi));  // either end first
  EXPECT_FALSE(placed({5.0, -2.0, kInBunk}, 0.4));
  EXPECT_TRUE(placed({5.0 + half_length - 0.01, -2.0, kInBunk}, 0.0));
  EXPECT_FALSE(placed({5.0 + half_length + 0.01, -2.0, kInBunk}, 0.0));
  EXPECT_TRUE(placed({5.0, -2.0 - half_width + 0.01, kInBunk}, 0.0));
  EXPECT_FALSE(placed({5.0, -2.0 - half_width - 0.01, kInBunk}, 0.0));
  EXPECT_FALSE(placed({5.0, -2.0, bunk.height + 0.5}, 0.0));
}

TEST(Logs, ABunkTurnsItsFootprint) {
  Exercise exercise = logs();
  exercise.world.bunks[0].heading = 0.5 * std::numbers::pi;
  LogAttempt attempt(exercise);
  attempt.take(0);
  attempt.at.log[0].q[0] = attempt.at.log[0].q[3] = std::sqrt(0.5);
  attempt.let_go(0, {5.0, -2.9, kInBunk});  // 0.9 m along the bunk: inside its length of 2 m
  attempt.rest(0);
  EXPECT_EQ(attempt.at.task.step, 1);
  EXPECT_NEAR(attempt.at.score.error_m, 0.9, 1e-9);
}

TEST(Logs, ALogThatHardlyMovesIsPlacedAfterAWhile) {
  const Exercise exercise = logs();
  LogAttempt attempt(exercise);
  attempt.take(0);
  attempt.let_go(0, {5.0, -2.0, kInBunk});
  double x = 5.0;
  for (int i = 0; i < 600; ++i) {  // rolls with 0.3 m/s
    attempt.log(0, {x += 3e-4, -2.0, kInBunk});
    attempt.step();
  }
  EXPECT_EQ(attempt.at.task.step, 0);
  for (int i = 0; i < 499; ++i) {
    attempt.log(0, {x += 2e-5, -2.0, kInBunk});
    attempt.step();
  }
  EXPECT_EQ(attempt.at.task.step, 0);
  attempt.steps(2);
  EXPECT_EQ(attempt.at.task.step, 1);
}

// Over the middle by 0.3 m at most, along the load space anywhere; a log that has never been taken is no fault of its step.
TEST(Logs, BelongOnTheirSideOfTheLoadSpace) {
  struct Case {
    int part;
    double y;  // from the middle, to the left as seen from the crane
    int step;
  };
  for (const Case& c : {Case{training::kLoadLeft, -0.29, 1}, Case{training::kLoadLeft, -0.31, 0},
                        Case{training::kLoadRight, 0.29, 1}, Case{training::kLoadRight, 0.31, 0},
                        Case{training::kLoadRight, -1.0, 1}, Case{training::kLoadSpace, 1.0, 1}}) {
    Exercise exercise = logs();
    exercise.log_tasks = {{0, c.part}, {1, training::kLoadSpace}};
    LogAttempt attempt(exercise);
    attempt.at.load.centre_W[0] = 3.0;
    attempt.at.load.along_W[0] = 1.0;
    attempt.at.load.up_W[2] = 1.0;
    attempt.steps(2000);
    attempt.take(0);
    attempt.at.load.logs.add(0);
    attempt.let_go(0, {3.4, c.y, 1.5});
    attempt.rest(0);
    EXPECT_EQ(attempt.at.task.step, c.step) << c.part << ", " << c.y;
    if (c.step == 1) {
      EXPECT_EQ(attempt.at.score.faultless, 1.0);
    }
  }
}

// --- Places -------------------------------------------------------------------

// One log of 12 cm to a place at y = -2 on level ground, and back.
Exercise places() {
  Exercise exercise = of_kind(TaskKind::kLogs);
  exercise.world.logs.resize(1);
  exercise.places.resize(2);
  exercise.places[0].x = exercise.places[1].x = 5.0;
  exercise.places[0].y = -2.0;
  exercise.places[1].y = 2.0;
  exercise.log_tasks = {{0, -1, 0, false}, {0, -1, 1, true}};
  return exercise;
}

class PlaceAttempt : public LogAttempt {
 public:
  explicit PlaceAttempt(const Exercise& exercise) : LogAttempt(exercise) {}
  void put_down(const Vec3& p) {
    log(0, p + Vec3(0.0, 0.0, 0.4));
    step();
    let_go(0, p);
    rest(0);
    steps(600);
  }
  void turn(double heading) {
    at.log[0].q[0] = std::cos(0.5 * heading);
    at.log[0].q[3] = std::sin(0.5 * heading);
  }
};

TEST(Places, AreMetWithinRadiusAngleAndTilt) {
  struct Case {
    Vec3 off;
    double heading_deg, tilt_deg;
    int step;
  };
  for (const Case& c : {Case{{0.29, 0.0, 0.0}, 0.0, 0.0, 1}, Case{{0.2, 0.25, 0.0}, 0.0, 0.0, 0},
                        Case{{0.0, 0.0, 0.31}, 0.0, 0.0, 0}, Case{{0.0, 0.0, 0.0}, 199.0, 0.0, 1},
                        Case{{0.0, 0.0, 0.0}, 21.0, 0.0, 0}, Case{{0.0, 0.0, 0.0}, 0.0, 19.0, 1},
                        Case{{0.0, 0.0, 0.0}, 0.0, 21.0, 0}}) {
    const Exercise exercise = places();
    PlaceAttempt attempt(exercise);
    attempt.take(0);
    const double turn = 0.5 * c.heading_deg * std::numbers::pi / 180.0;
    const double tilt = 0.5 * c.tilt_deg * std::numbers::pi / 180.0;
    attempt.at.log[0].q[0] = std::cos(turn) * std::cos(tilt);
    attempt.at.log[0].q[2] = std::sin(tilt);
    attempt.at.log[0].q[3] = std::sin(turn);
    attempt.put_down(Vec3(5.0, -2.0, 0.12) + c.off);
    EXPECT_EQ(attempt.at.task.step, c.step) << c.off.transpose() << ", " << c.heading_deg;
  }
}

// Let go elsewhere: the step is done later, and not without a fault.
TEST(Places, ALogLaidBesideIsAFault) {
  const Exercise exercise = places();
  PlaceAttempt attempt(exercise);
  attempt.take(0);
  attempt.put_down({5.0, -1.0, 0.12});
  EXPECT_EQ(attempt.at.task.step, 0);
  attempt.take(0);
  attempt.put_down({5.0, -2.0, 0.12});
  EXPECT_EQ(attempt.at.task.step, 1);
  EXPECT_EQ(attempt.at.score.faultless, 0.0);
  EXPECT_NEAR(attempt.at.score.error_m, 0.0, 1e-12);
  attempt.take(0);
  attempt.put_down({5.1, 2.0, 0.12});
  EXPECT_EQ(attempt.phase(), TaskPhase::kPassed);
  EXPECT_EQ(attempt.at.score.faultless, 0.5);
  EXPECT_NEAR(attempt.at.score.error_m, 0.05, 1e-12);
}

// The way to the first log does not count, up to a metre from it.
TEST(Places, TheWayThatIsNotTimedIsLeftOut) {
  const Exercise exercise = places();
  PlaceAttempt attempt(exercise);
  attempt.grip({5.0, 0.0, 1.0}, {1.0, 0.0, 0.0});
  attempt.steps(2000);
  EXPECT_LT(attempt.at.score.counted_s, 0.01);
  attempt.grip({5.0, 1.1, 1.0}, {1.0, 0.0, 0.0});
  attempt.steps(1000);
  attempt.take(0);
  attempt.put_down({5.0, -2.0, 0.12});
  const double before = attempt.at.score.counted_s;
  EXPECT_NEAR(before, attempt.at.score.time_s - 2.002, 2e-3);
  attempt.grip({5.0, 4.0, 1.0}, {1.0, 0.0, 0.0});  // far from it, in a step that is timed
  attempt.steps(500);
  EXPECT_NEAR(attempt.at.score.counted_s, before + 0.5, 1e-9);
}

// Lowered at 0.25 m/s: the speed counts just above the ground, not on the way.
TEST(Places, SetDownSpeedAndAcceleration) {
  const Exercise exercise = places();
  PlaceAttempt attempt(exercise);
  attempt.take(0);
  double z = 1.0;
  for (; z > 0.5; z -= 0.5 * kTick) {
    attempt.log(0, {5.0, -2.0, z});
    attempt.step();
  }
  EXPECT_EQ(attempt.at.score.set_down_m_s, 0.0);
  const double jerked = attempt.at.score.load_acceleration_m_s2;
  for (; z > 0.12; z -= 0.25 * kTick) {
    attempt.log(0, {5.0, -2.0, z});
    attempt.step();
  }
  EXPECT_NEAR(attempt.at.score.set_down_m_s, 0.25, 1e-6);
  EXPECT_LE(attempt.at.score.load_acceleration_m_s2, std::max(jerked, 0.25 / 0.02 + 1e-6));
  const Exercise other = places();
  PlaceAttempt steady(other);
  steady.take(0);
  for (int i = 0; i <= 400; ++i) {  // 0.5 a t^2 with 2 m/s^2
    const double t = i * kTick;
    steady.log(0, {5.0, 2.0 - t * t, 1.0});
    if (i == 0) steady.state.samples = 0;
    steady.step();
  }
  EXPECT_NEAR(steady.at.score.load_acceleration_m_s2, 2.0, 1e-6);
}

// The last log lies; the tower stands only while nothing touches it, and a log that falls is asked for again.
TEST(Places, ATowerMustStandUntouched) {
  Exercise exercise = places();
  exercise.stand_s = 2.0;
  exercise.log_tasks.resize(1);
  PlaceAttempt attempt(exercise);
  attempt.take(0);
  attempt.at.contact_force = 100.0;
  attempt.put_down({5.0, -2.0, 0.12});
  EXPECT_EQ(attempt.at.task.step, 1);
  attempt.steps(3000);
  EXPECT_EQ(attempt.phase(), TaskPhase::kRunning);
  attempt.at.contact_force = 0.0;
  attempt.steps(1900);
  EXPECT_EQ(attempt.phase(), TaskPhase::kRunning);
  attempt.log(0, {5.0, -1.0, 0.12});  // it rolls away
  attempt.step();
  EXPECT_EQ(attempt.at.task.step, 0);
  EXPECT_EQ(attempt.at.task.target, 0);
  attempt.take(0);
  attempt.put_down({5.0, -2.0, 0.12});
  attempt.steps(1398);
  EXPECT_EQ(attempt.phase(), TaskPhase::kRunning);
  attempt.steps(4);
  EXPECT_EQ(attempt.phase(), TaskPhase::kPassed);
  EXPECT_EQ(attempt.at.score.faultless, 0.0);
}

// --- Points -------------------------------------------------------------------

TEST(Points, OfTimeFaultsAndTechnique) {
  const training::Points times{60.0, 160.0, "", ""};
  EXPECT_EQ(training::time_share(times, 10.0), 1.0);
  EXPECT_DOUBLE_EQ(training::time_share(times, 130.0), 0.3);
  EXPECT_EQ(training::time_share(times, 1000.0), 0.0);
  training::Score score{};
  EXPECT_EQ(training::technique(score), 0.0);  // nothing to average
  score.together = 0.25;                       // half
  score.smoothness = -5.0;                     // full
  score.movements_per_leg = 7.0;               // none
  score.path_ratio = 1.5;                      // full
  EXPECT_DOUBLE_EQ(training::technique(score), 0.625);
}

TEST(Points, AreThereAtTheEnd) {
  Exercise exercise = places();
  exercise.points = {1.0, 11.0, "estimate", "estimate"};
  PlaceAttempt attempt(exercise);
  attempt.take(0);
  attempt.put_down({5.0, -1.0, 0.12});
  attempt.take(0);
  attempt.put_down({5.0, -2.0, 0.12});
  attempt.take(0);
  EXPECT_EQ(attempt.at.score.points, 0.0);
  attempt.put_down({5.0, 2.0, 0.12});
  const training::Score& score = attempt.at.score;
  EXPECT_NEAR(score.points, 40.0 * (11.0 - score.counted_s) / 10.0 + 20.0 + 20.0 * score.technique,
              1e-9);
}

// Time was left, but nothing was done: neither the time nor the units count.
TEST(Points, AreNoneWithoutAllThatWasAsked) {
  Exercise exercise = places();
  exercise.points = {100.0, 200.0, "estimate", "estimate"};
  exercise.time_limit_s = 3.0;
  PlaceAttempt late(exercise);
  late.steps(3100);
  EXPECT_EQ(late.phase(), TaskPhase::kFailed);
  EXPECT_EQ(late.at.score.points, 0.0);
  EXPECT_EQ(late.at.score.faultless, 0.0);
  PlaceAttempt half(exercise);
  half.take(0);
  half.put_down({5.0, -2.0, 0.12});
  EXPECT_EQ(half.at.score.faultless, 1.0);  // of the one that is done
  half.steps(3000);
  EXPECT_EQ(half.phase(), TaskPhase::kFailed);
  EXPECT_EQ(half.at.score.points, 0.0);
  EXPECT_EQ(half.at.score.faultless, 0.5);  // of both
}

TEST(Points, AreNoneBeyondAGate) {
  for (const double most : {0.0, 1.0}) {
    Exercise exercise = places();
    exercise.points = {100.0, 200.0, "estimate", "estimate"};
    exercise.limits = {{"collisions", true, false, most, 0.0, ""},
                       {"counted_s", true, false, 0.1, 0.0, ""}};  // broken, and no gate
    PlaceAttempt attempt(exercise);
    attempt.at.collisions[static_cast<int>(world::Obstacle::kStem)] = 1;
    attempt.take(0);
    attempt.put_down({5.0, -2.0, 0.12});
    attempt.take(0);
    attempt.put_down({5.0, 2.0, 0.12});
    EXPECT_EQ(attempt.phase(), TaskPhase::kFailed);
    EXPECT_EQ(attempt.at.score.points,
              most == 0.0 ? 0.0 : 80.0 + 20.0 * attempt.at.score.technique);
  }
  EXPECT_EQ(training::grade(89.9), "good");
  EXPECT_EQ(training::grade(90.0), "excellent");
  EXPECT_EQ(training::grade(74.9), "");
}

TEST(Points, WhatIsNotMeasuredIsUndefined) {
  const training::Score of_reach = training::blank_score(reach());
  for (const double one : {of_reach.points, of_reach.technique, of_reach.faultless,
                           of_reach.set_down_m_s, of_reach.counted_s, of_reach.on_way})
    EXPECT_TRUE(std::isnan(one));
  EXPECT_EQ(of_reach.error_m, 0.0);
  const training::Score of_places = training::blank_score(places());
  for (const double one : {of_places.faultless, of_places.set_down_m_s, of_places.counted_s,
                           of_places.load_acceleration_m_s2})
    EXPECT_EQ(one, 0.0);
  EXPECT_TRUE(std::isnan(of_places.points));
}

// --- Head ---------------------------------------------------------------------

TEST(Head, PlaceAndDirectionOfTheGrip) {
  Exercise exercise = of_kind(TaskKind::kHead);
  exercise.targets = {target({6.0, 0.0, 1.0}, 0.2, 0.5)};
  exercise.targets[0].axis_W = Vec3::UnitX();
  exercise.targets[0].angle = 0.2;
  Attempt attempt(exercise);
  attempt.tip({6.0, 0.0, 1.0});  // the tip does not matter
  attempt.grip({6.0, 0.0, 0.0}, Vec3::UnitX());
  attempt.start();
  EXPECT_DOUBLE_EQ(attempt.at.task.distance, 1.0);
  const auto hold = [&](double x, double turn) {
    attempt.grip({x, 0.0, 1.0}, Vec3(std::cos(turn), 0.0, std::sin(turn)));
    attempt.steps(600);
    return attempt.phase() == TaskPhase::kPassed;
  };
  EXPECT_FALSE(hold(6.25, 0.0));
  EXPECT_FALSE(hold(6.0, 0.21));
  EXPECT_NEAR(attempt.at.task.angle, 0.21, 1e-12);
  EXPECT_FALSE(hold(6.0, 1.5));
  EXPECT_NEAR(attempt.at.task.angle, 1.5, 1e-12);
  EXPECT_TRUE(hold(6.0, std::numbers::pi - 0.19));  // a log has no front
  EXPECT_NEAR(attempt.at.score.error_m, 0.0, 1e-12);
}

// --- What cannot be done ------------------------------------------------------

TEST(Task, RefusesWhatCannotBeDone) {
  const auto refused = [](const Exercise& exercise) {
    try {
      const training::Task task(exercise);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refused(of_kind(TaskKind::kReach)));
  EXPECT_TRUE(refused(of_kind(TaskKind::kHead)));
  EXPECT_TRUE(refused(of_kind(TaskKind::kLogs)));
  Exercise exercise = path();
  exercise.targets[1].p_W = exercise.targets[0].p_W;
  EXPECT_TRUE(refused(exercise));
  exercise = path();
  exercise.targets.resize(1);
  EXPECT_TRUE(refused(exercise));
  exercise = logs();
  exercise.log_tasks[1].bunk = 2;
  EXPECT_TRUE(refused(exercise));
  exercise = logs();
  exercise.log_tasks[0].log = -1;
  EXPECT_TRUE(refused(exercise));
  exercise = reach();
  exercise.limits = {{"beauty", false, true, 0.0, 1.0, {}}};
  EXPECT_TRUE(refused(exercise));
  EXPECT_FALSE(refused(of_kind(TaskKind::kFree)));
}

}  // namespace
}  // namespace knuckleboom
