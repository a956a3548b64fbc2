// Danger zones with an invented machine: when somebody enters, who is in the plane of the chain, what ends an attempt.
#include "knuckleboom/core/training/danger.hpp"

#include <cmath>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/core/training/check_state.hpp"
#include "support/attempt.hpp"
#include "support/trainer.hpp"

namespace knuckleboom::danger_test {
namespace {

using test::Attempt;
using training::DangerKind;
using training::Exercise;
using training::TaskPhase;
using training::Visitor;
using training::VisitorKind;

constexpr training::DangerZone kZone{20.0, 0.7};

// Walks straight from (32, 12) along -x, 12 m beside the machine: enters a zone of 20 m at x = 16.
Visitor walker() {
  Visitor out;
  out.name = "walker";
  out.from_s = 4.0;
  out.speed = 1.6;
  out.points = {{32.0, 12.0, 0.0}, {-32.0, 12.0, 0.0}};
  return out;
}
constexpr double kEnters = 4.0 + 16.0 / 1.6, kLeaves = 4.0 + 48.0 / 1.6;  // s

Exercise with(const Visitor& visitor) {
  Exercise exercise;
  exercise.name = "test";
  exercise.task = training::TaskKind::kReach;
  exercise.targets.push_back({"far", Vec3(50.0, 0.0, 0.0)});
  exercise.visitors = {visitor};
  return exercise;
}

class Watched : public Attempt {
 public:
  explicit Watched(const Exercise& exercise) : Attempt(exercise, kZone) { start(); }
  double t() const { return test::kTick * static_cast<double>(at.sim.tick - state.start_tick); }
  void until(double t_s) {
    while (t() < t_s - 0.5 * test::kTick) step();
  }
};

TEST(Danger, SomebodyFollowsHisWayAndWaitsOnIt) {
  Visitor visitor;
  visitor.from_s = 2.0;
  visitor.speed = 2.0;
  visitor.points = {{0.0, 0.0, 0.0}, {6.0, 0.0, 5.0}, {6.0, -8.0, 0.0}};
  const auto expect = [&](double t, double x, double y, double ahead_x, double ahead_y) {
    const training::VisitorPlace at = training::place_at(visitor, t);
    EXPECT_NEAR(at.x, x, 1e-12) << t;
    EXPECT_NEAR(at.y, y, 1e-12) << t;
    EXPECT_NEAR(at.ahead_x, ahead_x, 1e-12) << t;
    EXPECT_NEAR(at.ahead_y, ahead_y, 1e-12) << t;
  };
  expect(0.0, 0.0, 0.0, 1.0, 0.0);
  expect(3.5, 3.0, 0.0, 1.0, 0.0);
  expect(9.9, 6.0, 0.0, 1.0, 0.0);  // there at 5 s, and 5 s long
  expect(11.0, 6.0, -2.0, 0.0, -1.0);
  expect(99.0, 6.0, -8.0, 0.0, -1.0);
}

// The distance is 20 m where 12 m aside and 16 m along make 20.
TEST(Danger, WorkThatGoesOnEndsTheAttemptThreeSecondsAfterSomebodyEnters) {
  const Exercise exercise = with(walker());
  Watched run(exercise);
  run.until(kEnters - 0.01);
  EXPECT_EQ(run.at.visitor[0].inside, 0);
  run.until(kEnters + 0.01);
  EXPECT_EQ(run.at.visitor[0].inside, 1);
  EXPECT_NEAR(run.at.visitor[0].away_m, 20.0, 0.02);
  while (run.phase() == TaskPhase::kRunning && run.t() < 60.0) run.step();
  EXPECT_EQ(run.phase(), TaskPhase::kFailed);
  EXPECT_NEAR(run.t(), kEnters + training::kNoticeTime, 2.5 * test::kTick);
  EXPECT_EQ(run.at.task.danger, 1);
  EXPECT_EQ(run.at.task.danger_kind, DangerKind::kZone);
  EXPECT_NEAR(run.at.task.danger_m, std::hypot(12.0, 16.0 - 3.0 * 1.6), 0.01);
  // Nothing changes any more.
  run.steps(1000);
  EXPECT_NEAR(run.at.task.danger_m, std::hypot(12.0, 16.0 - 3.0 * 1.6), 0.01);
}

TEST(Danger, WhoStopsInTimeGoesOnAfterwards) {
  const Exercise exercise = with(walker());
  Watched run(exercise);
  run.until(kEnters + 2.9);
  run.lever(0.0);
  run.until(kLeaves + 0.01);
  EXPECT_EQ(run.at.visitor[0].inside, 0);
  run.lever(0.5);
  run.until(kLeaves + 10.0);
  EXPECT_EQ(run.phase(), TaskPhase::kRunning);
  EXPECT_EQ(run.state.inside_ticks, 0);
}

TEST(Danger, WhoGoesOnTooEarlyFailsAtOnce) {
  const Exercise exercise = with(walker());
  Watched run(exercise);
  run.until(kEnters + 1.0);
  run.lever(0.0);
  run.until(kLeaves - 1.0);
  EXPECT_EQ(run.phase(), TaskPhase::kRunning);
  run.lever(0.5);
  run.step();
  EXPECT_EQ(run.phase(), TaskPhase::kFailed);
  EXPECT_NEAR(run.at.task.danger_m, std::hypot(12.0, 16.0 - 1.6), 0.01);
}

// Also with the wheels, the saw or the rollers instead of a lever; and about the place where the machine is.
TEST(Danger, EveryKindOfWorkCountsAndTheZoneGoesWithTheMachine) {
  const Exercise exercise = with(walker());
  const auto fails = [&](auto work) {
    Watched run(exercise);
    run.lever(0.0);
    work(run.at);
    run.until(kEnters + training::kNoticeTime + 0.01);
    return run.phase() == TaskPhase::kFailed;
  };
  EXPECT_FALSE(fails([](training::SessionSnapshot&) {}));
  EXPECT_TRUE(fails([](training::SessionSnapshot& s) { s.sim.speed = -0.3; }));
  EXPECT_TRUE(fails([](training::SessionSnapshot& s) { s.feed_m_s = 2.0; }));
  EXPECT_FALSE(fails([](training::SessionSnapshot& s) {
    s.feed_m_s = 2.0;
    s.foot_W[0] = -10.0;
  }));
}

// A zone of which a machine knows nothing endangers nobody.
TEST(Danger, WithoutAZoneNobodyIsInDanger) {
  const Exercise exercise = with(walker());
  Attempt run(exercise);
  run.start();
  run.steps(30000);
  EXPECT_EQ(run.phase(), TaskPhase::kRunning);
  EXPECT_EQ(run.at.visitor_count, 1);
}

// A head at the machine, its stem level along x: the saw's plane is that of y and z, 0.7 m behind the grip. Somebody stands
// 10 m from the saw, so many degrees from the plane.
TEST(Danger, TheSawEndsTheAttemptAtOnceForWhoStandsInThePlaneOfItsChain) {
  const auto phase_with = [](double degrees, double height) {
    const double angle = degrees * 3.14159265358979323846 / 180.0;
    Visitor visitor;
    visitor.kind = VisitorKind::kVehicle;
    visitor.points = {{-0.7 + 10.0 * std::sin(angle), 10.0 * std::cos(angle), 0.0}};
    const Exercise exercise = with(visitor);
    Watched run(exercise);
    run.lever(0.0);
    run.grip(Vec3(0.0, 0.0, height), Vec3::UnitX());
    run.at.saw = 0.3;
    run.step();
    if (run.phase() == TaskPhase::kFailed) {
      EXPECT_EQ(run.at.task.danger_kind, DangerKind::kChain);
      EXPECT_EQ(run.state.inside_ticks, 2);
    }
    return run.phase();
  };
  constexpr double kMiddle = 1.2;  // height of somebody's middle
  for (const double side : {-1.0, 1.0}) {
    EXPECT_EQ(phase_with(side * 14.9, kMiddle), TaskPhase::kFailed);
    EXPECT_EQ(phase_with(side * 15.1, kMiddle), TaskPhase::kRunning);
  }
  EXPECT_EQ(phase_with(180.0 - 14.9, kMiddle), TaskPhase::kFailed);  // behind, too
  // Higher up the way is longer: sin(15.1 deg) of 10 m is less than sin(15 deg) of the hypotenuse.
  EXPECT_EQ(phase_with(15.1, kMiddle + 3.0), TaskPhase::kFailed);
}

// Upright the saw's plane is level: somebody on the ground stands in it, unless the ground rises steeply.
TEST(Danger, AFellingCutEndangersEverybodyInsideTheZone) {
  Visitor visitor;
  visitor.points = {{12.0, -9.0, 0.0}};
  const Exercise exercise = with(visitor);
  Watched run(exercise);
  run.lever(0.0);
  run.grip(Vec3(5.0, 0.0, 0.9), Vec3::UnitZ());
  run.at.saw = 1.0;
  run.step();
  EXPECT_EQ(run.phase(), TaskPhase::kFailed);
  EXPECT_EQ(run.at.task.danger_kind, DangerKind::kChain);
  EXPECT_NEAR(run.at.task.danger_m, 15.0, 1e-12);
}

TEST(Danger, WhoEndangersSomebodyWithTheLastStepHasFailed) {
  Visitor visitor;
  visitor.points = {{0.0, 5.0, 0.0}};
  Exercise exercise = with(visitor);
  exercise.targets.front().p_W = Vec3::Zero();
  exercise.points = {1.0, 100.0, "test", "test"};
  Attempt run(exercise, kZone);
  run.at.saw = 1.0;
  run.grip(Vec3(0.0, 0.0, 1.9), Vec3::UnitZ());
  run.start();
  EXPECT_EQ(run.at.task.step, 1);
  EXPECT_EQ(run.phase(), TaskPhase::kFailed);
  EXPECT_EQ(run.at.score.points, 0.0);
}

TEST(Danger, AForgedStateIsRefused) {
  const auto session = test::shipped_session("passers_by_loading");
  auto state = std::make_unique<training::SessionState>(session->initial_state());
  auto snapshot = std::make_unique<training::SessionSnapshot>(session->snapshot(*state));
  command::OperatorInput levers{};
  levers.axis[0] = 0.4;
  for (int i = 0; i < 50; ++i) session->step(levers, *state, *snapshot);
  ASSERT_EQ(training::check_state(*session, *state), "");
  ASSERT_EQ(snapshot->visitor_count, 2);
  const auto said = [&](auto forge) {
    auto forged = std::make_unique<training::SessionState>(*state);
    forge(forged->task);
    return training::check_state(*session, *forged);
  };
  using training::TaskState;
  EXPECT_THAT(said([](TaskState& t) { t.inside_ticks = 90000; }),
              testing::HasSubstr("task.inside_ticks is 90000"));
  EXPECT_THAT(said([](TaskState& t) { t.danger = 1; }), testing::HasSubstr("task.danger is 1"));
  EXPECT_THAT(said([](TaskState& t) { t.danger = 5; }), testing::HasSubstr("task.danger is 5"));
  EXPECT_THAT(said([](TaskState& t) { t.danger_m = 3.0; }),
              testing::HasSubstr("task.danger_m is 3"));
  EXPECT_THAT(said([](TaskState& t) {
                t.phase = TaskPhase::kFailed;
                t.danger = 2;
                t.danger_kind = DangerKind::kZone;
                t.danger_m = 25.0;
              }),
              testing::HasSubstr("task.danger_m is 25"));
  EXPECT_EQ(said([](TaskState& t) {
              t.phase = TaskPhase::kFailed;
              t.danger = 2;
              t.danger_kind = DangerKind::kZone;
              t.danger_m = 15.0;
            }),
            "");
}

}  // namespace
}  // namespace knuckleboom::danger_test
