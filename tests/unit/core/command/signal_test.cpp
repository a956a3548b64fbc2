#include "knuckleboom/core/command/signal.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "support/machines.hpp"

namespace knuckleboom {
namespace {

using command::Signal;
using command::Term;
using command::TermKind;

double at(const Term& term, double t) { return command::value(Signal{{term}}, t); }

TEST(Signal, ConstantIsTheSameAtAllTimes) {
  for (const double t : {-3.0, 0.0, 1e6}) EXPECT_EQ(at(test::constant(-1.3), t), -1.3);
}

TEST(Signal, SineStartsAndFadesIn) {
  Term term = test::sine(2.0, 0.25, 4.0);
  term.start_s = 10.0;
  EXPECT_EQ(at(term, 9.999), 0.0);
  EXPECT_EQ(at(term, 10.0), 0.0);
  EXPECT_NEAR(at(term, 11.0), 2.0 * 0.25, 1e-15);   // a quarter turn, a quarter faded in
  EXPECT_NEAR(at(term, 13.0), -2.0 * 0.75, 1e-15);  // three quarters
  EXPECT_NEAR(at(term, 15.0), 2.0, 1e-15);
  EXPECT_NEAR(at(term, 15.5), std::numbers::sqrt2, 1e-15);
}

TEST(Signal, TableIsStraightBetweenItsPointsOrHeld) {
  Term term;
  term.kind = TermKind::kTable;
  term.value = 2.0;
  term.table = {{1.0, 2.0, 4.0}, {10.0, 20.0, -20.0}};
  for (const double t : {0.0, 1.0}) EXPECT_EQ(at(term, t), 20.0);
  EXPECT_EQ(at(term, 3.0), 0.0);
  EXPECT_EQ(at(term, 9.0), -40.0);
  term.held = true;
  EXPECT_EQ(at(term, 0.0), 20.0);
  EXPECT_EQ(at(term, 1.999), 20.0);
  EXPECT_EQ(at(term, 2.0), 40.0);
  EXPECT_EQ(at(term, 3.999), 40.0);
  EXPECT_EQ(at(term, 4.0), -40.0);
  EXPECT_EQ(at(term, 9.0), -40.0);
  term.table = {};
  EXPECT_EQ(at(term, 1.0), 0.0);
}

TEST(Signal, SinePhaseAndNoFade) {
  Term term = test::sine(3.0, 1.0, 0.0);
  term.phase_rad = std::numbers::pi / 6.0;
  EXPECT_NEAR(at(term, 0.0), 1.5, 1e-15);  // there at once
  EXPECT_NEAR(at(term, 0.5), -1.5, 1e-15);
  EXPECT_EQ(at(term, -1e-9), 0.0);
}

TEST(Signal, SineStaysExactInALongRun) {
  // After a hundred hours of a wave of 8 Hz the quarter turns are still where they belong.
  const Term term = test::sine(1.0, 8.0, 0.0);
  const double t = 360000.0;
  EXPECT_NEAR(at(term, t), 0.0, 1e-15);
  EXPECT_NEAR(at(term, t + 1.0 / 32.0), 1.0, 1e-15);
  EXPECT_NEAR(at(term, t + 3.0 / 32.0), -1.0, 1e-15);
}

TEST(Signal, RampIsStraightBetweenItsEnds) {
  Term term = test::pulse(4.0, 1.0, 3.0);
  term.kind = TermKind::kRamp;
  EXPECT_EQ(at(term, 0.0), 0.0);
  EXPECT_EQ(at(term, 1.0), 0.0);
  EXPECT_DOUBLE_EQ(at(term, 1.5), 1.0);
  EXPECT_EQ(at(term, 3.0), 4.0);
  EXPECT_EQ(at(term, 99.0), 4.0);
  term.end_s = 1.0;  // a ramp without length is a step
  EXPECT_EQ(at(term, 1.0), 0.0);
  EXPECT_EQ(at(term, 1.0001), 4.0);
}

TEST(Signal, SmoothIsFlatAtItsEnds) {
  const Term term = test::smooth(2.0, 1.0, 5.0);
  EXPECT_EQ(at(term, 1.0), 0.0);
  EXPECT_DOUBLE_EQ(at(term, 2.0), 2.0 * 5.0 / 32.0);
  EXPECT_DOUBLE_EQ(at(term, 3.0), 1.0);
  EXPECT_EQ(at(term, 5.0), 2.0);
  EXPECT_EQ(at(term, 7.0), 2.0);
  EXPECT_LT(at(term, 1.001), 1e-6);
  EXPECT_GT(at(term, 4.999), 2.0 - 1e-6);
  EXPECT_EQ(command::smoothstep(-3.0), 0.0);
  EXPECT_EQ(command::smoothstep(2.0), 1.0);
}

TEST(Signal, PulseHoldsItsStartButNotItsEnd) {
  const Term term = test::pulse(-2.0, 1.0, 2.5);
  EXPECT_EQ(at(term, 0.999999), 0.0);
  EXPECT_EQ(at(term, 1.0), -2.0);
  EXPECT_EQ(at(term, 2.499999), -2.0);
  EXPECT_EQ(at(term, 2.5), 0.0);
}

TEST(Signal, TableIsScaled) {
  Term term;
  term.kind = TermKind::kTable;
  term.value = 10.0;
  term.table = {{1.0, 2.0, 4.0}, {0.0, 1.0, -1.0}};
  EXPECT_EQ(at(term, 0.0), 0.0);
  EXPECT_DOUBLE_EQ(at(term, 1.25), 2.5);
  EXPECT_DOUBLE_EQ(at(term, 3.0), 0.0);
  EXPECT_EQ(at(term, 50.0), -10.0);
}

TEST(Signal, TermsAdd) {
  const Signal signal{
      {test::constant(1.0), test::pulse(2.0, 0.0, 1.0), test::pulse(4.0, 0.5, 2.0)}};
  EXPECT_EQ(command::value(signal, 0.25), 3.0);
  EXPECT_EQ(command::value(signal, 0.75), 7.0);
  EXPECT_EQ(command::value(signal, 1.5), 5.0);
  EXPECT_EQ(command::value(signal, 3.0), 1.0);
  EXPECT_EQ(command::value(Signal{}, 3.0), 0.0);
}

TEST(Signal, StickSineIsThePapersReference) {
  const Signal signal = test::stick_sine().programs[0].signal;
  for (int k = 0; k <= 40000; ++k) {
    const double t = 1e-3 * k;
    const double expected =
        -1.3 + 0.35 * std::fmin(1.0, t / 2.0) * std::sin(2.0 * std::numbers::pi * 0.1 * t);
    ASSERT_NEAR(command::value(signal, t), expected, 3e-15) << t;
  }
}

}  // namespace
}  // namespace knuckleboom
