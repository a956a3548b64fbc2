#include "knuckleboom/core/control/pid.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "support/random_tree.hpp"

namespace knuckleboom {
namespace {

using control::AntiWindup;
using control::PidGains;
using control::PidState;

constexpr double kDt = 1e-3;

PidGains gains(double Kp, double Ki, double Kd = 0.0) {
  PidGains out;
  out.Kp = Kp;
  out.Ki = Ki;
  out.Kd = Kd;
  return out;
}

TEST(Pid, OutputUsesTheSumOfEarlierErrors) {
  const PidGains g = gains(2.0, 50.0);
  PidState state;
  double sum = 0.0;
  for (const double error : {0.3, -0.1, 0.7, 0.2, -0.4}) {
    EXPECT_DOUBLE_EQ(control::sample(g, kDt, 1.0, 1.0 + error, 1.0, state),
                     2.0 * ((1.0 + error) - 1.0) + 50.0 * sum);
    sum += ((1.0 + error) - 1.0) * kDt;
    EXPECT_DOUBLE_EQ(state.integral, sum);
  }
}

TEST(Pid, DirectionTurnsTheOutput) {
  test::Random random(1);
  PidGains g = gains(3.0, 40.0, 0.2);
  g.feed_forward = 0.5;
  g.overlap_compensation_V = 0.5;
  for (const AntiWindup kind :
       {AntiWindup::kNone, AntiWindup::kConditional, AntiWindup::kBackCalculation}) {
    g.anti_windup = kind;
    PidState forward, backward;
    for (int k = 0; k < 500; ++k) {
      const double reference = random.uniform(-5.0, 5.0), position = random.uniform(-5.0, 5.0);
      const double a = control::sample(g, kDt, 1.0, reference, position, forward);
      const double b = control::sample(g, kDt, -1.0, reference, position, backward);
      ASSERT_EQ(a, -b);
      ASSERT_EQ(forward.integral, backward.integral);
    }
  }
}

TEST(Pid, OutputIsLimited) {
  PidGains g = gains(100.0, 0.0);
  g.output_limit_V = 7.0;
  PidState state;
  EXPECT_EQ(control::sample(g, kDt, 1.0, 1.0, 0.0, state), 7.0);
  EXPECT_EQ(control::sample(g, kDt, 1.0, -1.0, 0.0, state), -7.0);
  EXPECT_EQ(state.output_V, -7.0);
  EXPECT_DOUBLE_EQ(control::sample(g, kDt, 1.0, 0.05, 0.0, state), 5.0);
}

TEST(Pid, WithoutAntiWindupTheSumGoesOn) {
  PidGains g = gains(100.0, 10.0);
  g.anti_windup = AntiWindup::kNone;
  PidState state;
  for (int k = 0; k < 100; ++k) control::sample(g, kDt, 1.0, 2.0, 0.0, state);
  EXPECT_NEAR(state.integral, 0.2, 1e-15);
}

TEST(Pid, ConditionalSumStandsStillWhileLimited) {
  const PidGains g = gains(100.0, 10.0);
  PidState state;
  control::sample(g, kDt, 1.0, 0.05, 0.0, state);
  const double before = state.integral;
  EXPECT_DOUBLE_EQ(before, 0.05 * kDt);
  for (int k = 0; k < 100; ++k) EXPECT_EQ(control::sample(g, kDt, 1.0, 2.0, 0.0, state), 10.0);
  EXPECT_EQ(state.integral, before);
  // Exactly at the limit is not beyond it.
  PidState edge;
  EXPECT_EQ(control::sample(g, kDt, 1.0, 0.1, 0.0, edge), 10.0);
  EXPECT_DOUBLE_EQ(edge.integral, 0.1 * kDt);
}

TEST(Pid, BackCalculationDrawsTheSumBack) {
  PidGains g = gains(100.0, 10.0);
  g.anti_windup = AntiWindup::kBackCalculation;
  g.tracking_time_s = 0.05;
  for (const double direction : {1.0, -1.0}) {
    PidState state;
    // One sample by hand: raw 200, limited 10.
    control::sample(g, kDt, direction, 2.0, 0.0, state);
    EXPECT_DOUBLE_EQ(state.integral, (2.0 + (10.0 - 200.0) / (10.0 * 0.05)) * kDt);
    // At length error and pull balance: raw output = limit + Ki T error.
    for (int k = 0; k < 2000; ++k)
      EXPECT_EQ(control::sample(g, kDt, direction, 2.0, 0.0, state), 10.0 * direction);
    EXPECT_NEAR(100.0 * 2.0 + 10.0 * state.integral, 10.0 + 10.0 * 0.05 * 2.0, 1e-9);
  }
  // Nothing to pull without an integral gain.
  g.Ki = 0.0;
  PidState state;
  control::sample(g, kDt, 1.0, 2.0, 0.0, state);
  EXPECT_DOUBLE_EQ(state.integral, 2.0 * kDt);
}

TEST(Pid, DerivativeIsFilteredAndMeasured) {
  PidGains g = gains(0.0, 0.0, 0.5);
  g.derivative_filter_s = 0.02;
  PidState state;
  // First sample: no rate known. A jump of the reference is no rate either.
  EXPECT_EQ(control::sample(g, kDt, 1.0, 0.0, 0.7, state), 0.0);
  EXPECT_EQ(control::sample(g, kDt, 1.0, 9.0, 0.7, state), 0.0);
  // A steady rate: first-order lag, implicit Euler.
  double expected = 0.0, position = 0.7;
  for (int k = 0; k < 200; ++k) {
    position += 0.3 * kDt;
    expected = (0.02 * expected + kDt * 0.3) / (0.02 + kDt);
    ASSERT_NEAR(control::sample(g, kDt, 1.0, 9.0, position, state), -0.5 * expected, 1e-12);
  }
  EXPECT_NEAR(state.derivative, 0.3, 1e-4);
}

TEST(Pid, FeedForwardFollowsTheReferenceRate) {
  PidGains g = gains(0.0, 0.0);
  g.feed_forward = 2.0;
  PidState state;
  EXPECT_EQ(control::sample(g, kDt, 1.0, 5.0, 0.0, state), 0.0);
  EXPECT_NEAR(control::sample(g, kDt, 1.0, 5.003, 0.0, state), 6.0, 1e-9);
  EXPECT_NEAR(control::sample(g, kDt, 1.0, 5.002, 0.0, state), -2.0, 1e-9);
  EXPECT_EQ(control::sample(g, kDt, 1.0, 5.002, 0.0, state), 0.0);
}

TEST(Pid, OverlapCompensationFadesInAboutZero) {
  PidGains g = gains(1.0, 0.0);
  g.overlap_compensation_V = 0.5;
  g.compensation_width_V = 0.1;
  const auto output = [&](double error) {
    PidState state;
    return control::sample(g, kDt, 1.0, error, 0.0, state);
  };
  EXPECT_EQ(output(0.0), 0.0);
  EXPECT_DOUBLE_EQ(output(0.05), 0.05 + 0.25);
  EXPECT_DOUBLE_EQ(output(0.1), 0.6);
  EXPECT_DOUBLE_EQ(output(-3.0), -3.5);
  EXPECT_EQ(output(9.8), 10.0);  // counted before the limit
}

TEST(Pid, BumplessStartGivesTheOutputThatStood) {
  test::Random random(2);
  double worst = 0.0;
  for (int k = 0; k < 5000; ++k) {
    PidGains g = gains(random.uniform(0.0, 100.0), random.log_uniform(0.1, 100.0),
                       random.chance(0.5) ? random.uniform(0.0, 5.0) : 0.0);
    g.feed_forward = random.chance(0.5) ? random.uniform(0.0, 5.0) : 0.0;
    if (random.chance(0.7)) {
      g.overlap_compensation_V = random.uniform(0.1, 1.0);
      g.compensation_width_V = random.uniform(0.01, 0.2);
    }
    const double direction = random.chance(0.5) ? 1.0 : -1.0;
    const double reference = random.uniform(-2.0, 2.0), position = random.uniform(-2.0, 2.0);
    const double output = random.chance(0.1) ? 0.0 : random.uniform(-10.0, 10.0);
    PidState state;
    state.integral = random.uniform(-9.0, 9.0);  // of a former life
    state.derivative = random.uniform(-9.0, 9.0);
    state.last_position = random.uniform(-9.0, 9.0);
    control::start_bumpless(g, direction, reference, position, output, state);
    EXPECT_EQ(state.output_V, output);
    const double next = control::sample(g, kDt, direction, reference, position, state);
    worst = std::max(worst, std::fabs(next - output));
    ASSERT_NEAR(next, output, 1e-11) << k;
  }
  // Without an integral there is nothing to set: the output is that of the error.
  PidState state;
  control::start_bumpless(gains(4.0, 0.0), 1.0, 0.5, 0.0, 9.0, state);
  EXPECT_EQ(state.integral, 0.0);
  EXPECT_EQ(control::sample(gains(4.0, 0.0), kDt, 1.0, 0.5, 0.0, state), 2.0);
}

TEST(Pid, HoldsWithNoErrorAndNoGain) {
  PidState state;
  EXPECT_EQ(control::sample(gains(40.0, 10.0), kDt, 1.0, 0.3, 0.3, state), 0.0);
  EXPECT_EQ(control::sample(PidGains{}, kDt, 1.0, 5.0, 0.3, state), 0.0);
}

}  // namespace
}  // namespace knuckleboom
