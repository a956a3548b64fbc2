// Figures of the crane's motion, for synthetic motions with answers in closed form.

#include "knuckleboom/core/training/scorer.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include <gtest/gtest.h>

#include "support/attempt.hpp"

namespace knuckleboom {
namespace {

using std::numbers::pi;
using test::Attempt;
using training::Exercise;
using training::Score;
using training::TaskKind;

Exercise exercise_of(TaskKind kind) {
  Exercise exercise;
  exercise.name = "test";
  exercise.task = kind;
  return exercise;
}

// The score of a motion p(t) of the tip over a time, with ticks of dt.
Score score_of(double seconds, const std::function<Vec3(double)>& p, double dt = 1e-3) {
  Exercise exercise = exercise_of(TaskKind::kFree);
  exercise.time_limit_s = seconds;
  Attempt attempt(exercise);
  attempt.dt = dt;
  attempt.tip(p(0.0));
  attempt.step();
  attempt.lever(0.5);
  const auto ticks = static_cast<int>(std::lround(seconds / dt));
  for (int i = 1; i <= ticks; ++i) {
    attempt.tip(p(i * dt));
    attempt.step();
  }
  return attempt.at.score;
}

// From rest to rest with the least jerk: Flash and Hogan (1985).
double least_jerk(double share) {
  const double s = std::clamp(share, 0.0, 1.0);
  return s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
}

// T^3 / v^2 * integral of the squared jerk = 720 / 1.875^2, whatever the way and its time.
const double kLeastJerkLdlj = -std::log(720.0 / (1.875 * 1.875));

TEST(Smoothness, OfALeastJerkMotionIsItsClosedForm) {
  EXPECT_NEAR(kLeastJerkLdlj, -5.322, 5e-4);
  for (const double way : {0.5, 2.0, 5.0})
    for (const double time : {2.0, 4.0, 6.0})
      for (const double dt : {5e-4, 1e-3, 4e-3, 1.0 / 300.0}) {
        if (1.875 * way / time < 0.3) continue;  // hardly above what counts as moving
        const Vec3 along = Vec3(3.0, -2.0, 1.0).normalized();
        const Score score = score_of(
            time + 2.0, [&](double t) { return Vec3(along * way * least_jerk((t - 0.77) / time)); },
            dt);
        EXPECT_EQ(score.movements_per_leg, 1.0);
        EXPECT_EQ(score.submovements_per_leg, 1.0);
        EXPECT_NEAR(score.smoothness, kLeastJerkLdlj, 0.01 * 5.322)
            << way << " m in " << time << " s, ticks of " << dt;
      }
}

// Their edges below what counts as moving are long; cut short, they would look too smooth.
TEST(Smoothness, OfASlowLeastJerkMotionAsWell) {
  for (const auto& [way, time] : {std::pair(0.5, 4.0), std::pair(2.0, 8.0), std::pair(2.0, 12.0)}) {
    const Score score = score_of(time + 4.0, [way = way, time = time](double t) {
      return Vec3(way * least_jerk((t - 1.5) / time), 0.0, 0.0);
    });
    EXPECT_EQ(score.movements_per_leg, 1.0);
    EXPECT_NEAR(score.smoothness, kLeastJerkLdlj, 0.02 * 5.322) << way << " m in " << time << " s";
  }
}

// Two halves with a stop between them that is too short to count: twice the time and twice the jerk's
// integral give 2^4 times the dimensionless jerk.
TEST(Smoothness, AStopOnTheWayCosts) {
  const Score score = score_of(4.0, [](double t) {
    return Vec3(2.0 * least_jerk((t - 0.5) / 1.2) + 2.0 * least_jerk((t - 1.7) / 1.2), 0.0, 0.0);
  });
  EXPECT_EQ(score.movements_per_leg, 1.0);
  EXPECT_EQ(score.submovements_per_leg, 2.0);
  EXPECT_NEAR(score.smoothness, kLeastJerkLdlj - 4.0 * std::log(2.0), 0.08);
}

// A stop of 6 s between two motions of 3 s is part of the leg: the time of four and the jerk of two.
TEST(Smoothness, CountsTheWholeLegWithItsStops) {
  const Score score = score_of(14.0, [](double t) {
    return Vec3(2.0 * least_jerk((t - 0.5) / 3.0), 2.0 * least_jerk((t - 9.5) / 3.0), 0.0);
  });
  EXPECT_EQ(score.movements_per_leg, 2.0);
  EXPECT_EQ(score.submovements_per_leg, 2.0);
  EXPECT_NEAR(score.smoothness, kLeastJerkLdlj - std::log(128.0), 0.1);
}

// Two legs, one of them three times as long as the other and with a stop in its middle.
TEST(Smoothness, IsTheMeanOverLegsByTheirLength) {
  Exercise exercise = exercise_of(TaskKind::kReach);
  for (const double x : {1.0, 4.0}) {
    exercise.targets.emplace_back().p_W = Vec3(x, 0.0, 0.0);
    exercise.targets.back().radius = 1e-3;
    exercise.targets.back().dwell_s = 1.0;
  }
  Attempt attempt(exercise);
  attempt.start();
  for (int i = 1; attempt.phase() == training::TaskPhase::kRunning && i < 20'000; ++i) {
    const double t = i * 1e-3;
    attempt.tip({least_jerk((t - 0.5) / 2.0) + 1.5 * least_jerk((t - 5.0) / 2.0) +
                     1.5 * least_jerk((t - 7.0) / 2.0),
                 0.0, 0.0});
    attempt.step();
  }
  ASSERT_EQ(attempt.phase(), training::TaskPhase::kPassed);
  const double halves = kLeastJerkLdlj - 4.0 * std::log(2.0);
  EXPECT_EQ(attempt.at.score.legs, 2.0);
  EXPECT_NEAR(attempt.at.score.smoothness, 0.25 * kLeastJerkLdlj + 0.75 * halves, 0.06);
}

// A target that is passed at speed ends the leg to it: two halves of one motion.
TEST(Smoothness, ATargetEndsALeg) {
  Exercise exercise = exercise_of(TaskKind::kReach);
  for (const double x : {1.0, 2.0}) {
    exercise.targets.emplace_back().p_W = Vec3(x, 0.0, 0.0);
    exercise.targets.back().radius = 1e-3;
  }
  exercise.targets.back().dwell_s = 0.3;  // it comes to rest there
  Attempt attempt(exercise);
  attempt.start();
  for (int i = 1; i <= 4500; ++i) {
    attempt.tip({2.0 * least_jerk((i * 1e-3 - 0.1) / 4.0), 0.0, 0.0});
    attempt.step();
  }
  EXPECT_EQ(attempt.phase(), training::TaskPhase::kPassed);
  EXPECT_EQ(attempt.at.score.legs, 2.0);
  // Half the time, half the integral, the same peak.
  EXPECT_NEAR(attempt.at.score.smoothness, kLeastJerkLdlj + 4.0 * std::log(2.0), 0.1);
}

TEST(Smoothness, CountsPeaksOfTheSpeed) {
  // Speed 0.5 + 0.2 sin: five waves on a plateau.
  const Score score = score_of(12.0, [](double t) {
    const double s = std::clamp(t - 1.0, 0.0, 9.5);  // ends in a trough
    const double wave = (1.0 - std::cos(pi * s)) / pi;
    return Vec3(0.5 * s + 0.2 * wave, 0.0, 0.0);
  });
  EXPECT_EQ(score.movements_per_leg, 1.0);
  EXPECT_EQ(score.submovements_per_leg, 5.0);
}

TEST(HeadSwing, PeakAndMeanOverTheLegs) {
  Exercise exercise = exercise_of(TaskKind::kReach);
  training::Target near, far;
  near.p_W = Vec3(1.0, 0.0, 0.0);
  far.p_W = Vec3(4.0, 0.0, 0.0);
  exercise.targets = {near, far};
  Attempt attempt(exercise);
  attempt.start();
  EXPECT_TRUE(std::isnan(attempt.at.score.swing_peak_rad));  // there is no head
  EXPECT_TRUE(std::isnan(attempt.at.score.swing_leg_rad));
  const auto mean_with = [&](int calm_ticks) {
    Attempt swinging(exercise);
    swinging.at.hang_W[2] = -1.0;
    swinging.start();
    EXPECT_EQ(swinging.at.score.swing_peak_rad, 0.0);  // there is one, and it hangs still
    const auto swing = [&](double amplitude) {
      for (int i = 1; i <= 2000; ++i) {  // a period of 2 s
        const double angle = amplitude * std::sin(pi * i * 1e-3);
        swinging.at.hang_W[0] = std::sin(angle) * 0.6;
        swinging.at.hang_W[1] = std::sin(angle) * 0.8;
        swinging.at.hang_W[2] = -std::cos(angle);
        swinging.step();
      }
    };
    swing(0.3);
    swinging.steps(calm_ticks);  // waiting calms nothing
    swinging.move({1.0, 0.0, 0.0});
    swing(0.1);
    swinging.move({4.0, 0.0, 0.0});
    EXPECT_NEAR(swinging.at.score.swing_peak_rad, 0.3, 1e-5);  // of samples in 20 ms
    return swinging.at.score.swing_leg_rad;
  };
  EXPECT_NEAR(mean_with(0), (0.75 * 0.3 + 3.0 * 0.1) / 3.75, 2e-3);
  EXPECT_EQ(mean_with(10'000), mean_with(0));
}

// One log: 4 s there, 2 s over it, 5 s back with it, 3 s over the bunk.
TEST(Cycle, IsTakenApartByGripAndMotion) {
  Exercise exercise = exercise_of(TaskKind::kFree);
  exercise.time_limit_s = 28.0;
  Attempt attempt(exercise);
  attempt.at.pump_work_J = 100.0;
  attempt.start();
  const auto pass = [&](double seconds) {
    attempt.steps(static_cast<int>(std::lround(seconds * 1e3)));
  };
  for (int log = 0; log < 2; ++log) {
    attempt.move({4.0, 0.0, 0.0});   // 4 s
    attempt.move({4.0, 0.0, -0.5});  // down to the log: still over it
    attempt.at.held_log = log;
    attempt.lever(-0.5);  // turned, 0.5 s later turned again
    attempt.move({4.0, 0.0, 0.0});
    attempt.lever(0.5);
    pass(1.0);  // 2 s over the log
    attempt.at.pump_work_J += 3000.0;
    attempt.move({0.0, 0.0, 0.0}, 0.8);  // 5 s
    pass(1.0);
    attempt.at.held_log = -1;
    pass(2.0);  // 3 s over the bunk
  }
  const Score& score = attempt.at.score;
  EXPECT_EQ(attempt.phase(), training::TaskPhase::kPassed);  // the end closes the second cycle
  EXPECT_EQ(score.cycles, 2.0);
  EXPECT_NEAR(score.cycle_s, 14.0, 0.02);
  EXPECT_NEAR(score.reach_s, 4.0, 0.1);  // the low-pass is some 0.05 s late
  EXPECT_NEAR(score.grip_s, 2.0, 0.1);
  EXPECT_NEAR(score.move_s, 5.0, 0.1);
  EXPECT_NEAR(score.release_s, 3.0, 0.1);
  EXPECT_NEAR(score.reach_s + score.grip_s + score.move_s + score.release_s, score.cycle_s, 1e-9);
  // Two grips, two releases, and nothing after the last.
  EXPECT_EQ(score.legs, 4.0);
  EXPECT_EQ(score.energy_per_leg_J, 1500.0);
  EXPECT_EQ(score.reversals_per_leg, 1.0);
  EXPECT_EQ(score.lever_movements_per_leg, 0.25);  // one, and it never went back to neutral
  // Two ways there and two back, each with half a metre down.
  EXPECT_NEAR(score.shortest_m, 4.0 * std::sqrt(16.25), 2e-3);
  EXPECT_NEAR(score.path_ratio, 18.0 / (4.0 * std::sqrt(16.25)), 1e-3);
  EXPECT_NEAR(score.extra_way_m, 18.0 - 4.0 * std::sqrt(16.25), 2e-3);
}

// Logs that are taken a little way and put down again add their time and bring nothing.
TEST(Cycle, CarryingToAndFroDoesNotShortenIt) {
  const auto score_of_two_legs = [](int extra) {
    Exercise exercise = exercise_of(TaskKind::kReach);
    training::ScoreState state{};
    training::Observation at{};
    at.dt = 1e-3;
    at.held = -1;
    training::set_start(at, state);
    const auto go = [&](double to, double speed) {
      const double from = at.tip_W[0];
      const int ticks = 1 + static_cast<int>(std::fabs(to - from) / speed * 1e3);
      for (int i = 1; i <= ticks; ++i) {
        ++at.ticks;
        at.tip_W[0] = from + (to - from) * i / ticks;
        at.step_m = std::fabs(to - from) / ticks;
        training::gather(false, at, state);
      }
    };
    const auto carry = [&](double to) {
      at.held = 0;
      go(to, 1.0);
      at.held = -1;
      go(to + 0.3, 0.2);
    };
    go(4.0, 0.5);
    for (int i = 0; i < extra; ++i) {
      carry(4.5);
      go(4.0, 1.0);
    }
    training::end_leg(state);
    carry(0.0);
    training::end_leg(state);
    training::finish(false, 1e-3 * static_cast<double>(at.ticks), state);
    return state.score;
  };
  const Score honest = score_of_two_legs(0), padded = score_of_two_legs(10);
  EXPECT_EQ(honest.cycles, 1.0);
  EXPECT_EQ(padded.cycles, 11.0);
  EXPECT_GT(honest.cycle_s, 10.0);
  for (double Score::*figure :
       {&Score::cycle_s, &Score::reach_s, &Score::move_s, &Score::grip_s, &Score::release_s})
    EXPECT_GE(padded.*figure, honest.*figure);
}

TEST(Cycle, ALogThatIsLostBeforeItMovesIsNone) {
  Exercise exercise = exercise_of(TaskKind::kFree);
  Attempt attempt(exercise);
  attempt.start();
  attempt.move({3.0, 0.0, 0.0});
  attempt.steps(500);
  attempt.at.held_log = 0;
  attempt.steps(500);
  attempt.at.held_log = -1;
  attempt.steps(500);
  attempt.move({1.0, 0.0, 0.0});
  EXPECT_EQ(attempt.at.score.cycles, 0.0);
  EXPECT_EQ(attempt.at.score.cycle_s, 0.0);
}

TEST(Overshoot, IsTheWayBeyondTheTarget) {
  Exercise exercise = exercise_of(TaskKind::kReach);
  for (const double x : {3.0, 0.0}) {
    training::Target target;
    target.p_W = Vec3(x, 0.0, 0.0);
    target.radius = 0.05;
    target.dwell_s = 0.5;
    exercise.targets.push_back(target);
  }
  Attempt attempt(exercise);
  attempt.start();
  attempt.move({3.4, 0.3, 0.0});  // 0.4 beyond; what is beside the line is not
  attempt.move({3.0, 0.0, 0.0});
  attempt.steps(600);
  EXPECT_EQ(attempt.at.task.step, 1);
  EXPECT_NEAR(attempt.at.score.overshoot_m, 0.4, 1e-9);
  attempt.move({0.02, 0.0, 0.0});  // stops before the second
  attempt.steps(600);
  EXPECT_EQ(attempt.phase(), training::TaskPhase::kPassed);
  EXPECT_NEAR(attempt.at.score.overshoot_m, 0.2, 1e-9);
}

TEST(Levers, EffortMovementsAndStandingStill) {
  const Exercise exercise = exercise_of(TaskKind::kFree);
  Attempt attempt(exercise);
  attempt.step();
  constexpr int kTicks = 10'000;
  for (int i = 0; i < kTicks;
       ++i) {  // ten periods of 1 s on one lever, the other one stands half out
    attempt.at.input.axis[2] = 0.8 * std::sin(2.0 * pi * (i + 1) * 1e-3);
    attempt.at.input.axis[5] = -0.5;
    attempt.at.shaped[2] = 0.3;
    // A quarter of each second at 5 % of full speed, a quarter at 1 %: that is ringing.
    attempt.at.travel_s[2] += i % 1000 < 250 ? 5e-5 : i % 1000 < 500 ? 1e-5 : 0.0;
    attempt.step();
  }
  const Score& score = attempt.at.score;
  EXPECT_NEAR(score.control_effort_s, 10.0 * (0.5 * 0.64 + 0.25), 1e-3);
  EXPECT_EQ(score.lever_movements, 21.0);  // both halves of each period, and the other lever
  EXPECT_EQ(score.lever_reversals, 20.0);
  EXPECT_NEAR(score.still_s, 7.5, 0.21);  // samples of 20 ms
}

TEST(Levers, NoTicksAreNoTime) {
  training::Observation at{};
  at.dt = 1e-3;
  training::ScoreState state{};
  training::set_start(at, state);
  training::gather(true, at, state);
  EXPECT_EQ(state.score.still_s, 0.0);
  EXPECT_EQ(state.score.time_s, 0.0);
}

}  // namespace
}  // namespace knuckleboom
