// Signals from outside: stale at the exact tick, never out of bounds, handed over without a bump.
#include "knuckleboom/core/exchange/exchange.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/core/math/hash.hpp"

namespace knuckleboom::exchange {
namespace {

constexpr double kTick = 1e-3;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

SignalRule from_network() {
  SignalRule rule;
  rule.name = "boom";
  rule.source = Source::kNetwork;
  rule.blend_s = 0.0;
  return rule;
}

ExchangeInput heard(double value) {
  ExchangeInput input{};
  input.network.value[0] = value;
  input.network.fresh = 1;
  return input;
}

const ExchangeInput kSilence{};
const std::vector<double> kNothing(1, 0.0);

TEST(Exchange, IsStaleAtTheFiftiethSilentTickAndNotBefore) {
  const Exchange exchange({from_network()}, kTick);
  EXPECT_EQ(exchange.stale_ticks(0), 50);
  ExchangeState state = exchange.start();
  for (int round = 0; round < 3; ++round) {
    exchange.step(state, heard(0.7), kNothing);
    EXPECT_EQ(state.signal[0].stale, 0);
    for (int silent = 1; silent < 50; ++silent) {
      exchange.step(state, kSilence, kNothing);
      ASSERT_EQ(state.signal[0].stale, 0) << silent;
      ASSERT_EQ(state.signal[0].output, 0.7) << silent;
    }
    exchange.step(state, kSilence, kNothing);
    EXPECT_EQ(state.signal[0].stale, 1);
    EXPECT_EQ(state.signal[0].output, 0.0);  // neutral, in the same tick
    EXPECT_EQ(state.signal[0].received[1].times_stale, round + 1);
  }
}

TEST(Exchange, CountsStaleTicksForAnyTime) {
  const auto ticks = [](double stale_s, double tick_s) {
    SignalRule rule = from_network();
    rule.stale_s = stale_s;
    return Exchange({rule}, tick_s).stale_ticks(0);
  };
  EXPECT_EQ(ticks(0.05, 1e-3), 50);
  EXPECT_EQ(ticks(0.3, 1e-3), 300);  // 0.3 / 0.001 is a little less, 0.07 / 0.001 a little more
  EXPECT_EQ(ticks(0.07, 1e-3), 70);
  EXPECT_EQ(ticks(0.0501, 1e-3), 51);
  EXPECT_EQ(ticks(1e-9, 1e-3), 1);
}

TEST(Exchange, TakesNothingThatIsNotFiniteForFresh) {
  const Exchange exchange({from_network()}, kTick);
  ExchangeState state = exchange.start();
  exchange.step(state, heard(0.5), kNothing);
  const double bad[] = {std::nan(""), kInfinite, -kInfinite};
  for (int k = 1; k < 50; ++k) {
    exchange.step(state, heard(bad[k % 3]), kNothing);
    ASSERT_EQ(state.signal[0].output, 0.5);
    ASSERT_EQ(state.signal[0].stale, 0);
  }
  exchange.step(state, heard(std::nan("")), kNothing);
  EXPECT_EQ(state.signal[0].stale, 1);
  EXPECT_EQ(state.signal[0].output, 0.0);
  EXPECT_EQ(state.signal[0].received[1].refused, 50);
}

TEST(Exchange, HoldsHugeValuesWithinRangeAndRate) {
  SignalRule rule = from_network();
  rule.least = -0.5;
  rule.most = 2.0;
  rule.most_rate = 10.0;
  const Exchange exchange({rule}, kTick);
  ExchangeState state = exchange.start();
  double before = state.signal[0].output;
  const double huge[] = {1e308, -1e308, 3.0, -0.6, 1e-320, 5e15};
  for (std::uint64_t k = 0; k < 20000; ++k) {
    const double value = huge[mixed_bits(k) % 6];
    exchange.step(state, mixed_bits(k + 7) % 100 < 97 ? heard(value) : kSilence, kNothing);
    const double now = state.signal[0].output;
    ASSERT_GE(now, -0.5);
    ASSERT_LE(now, 2.0);
    ASSERT_LE(std::fabs(now - before), 10.0 * kTick + 1e-15);
    before = now;
  }
  EXPECT_GT(state.signal[0].received[1].limited, 10000);
  EXPECT_GT(state.signal[0].rate_limited, 10000);
  for (int k = 0; k < 400; ++k) exchange.step(state, heard(1e308), kNothing);
  EXPECT_EQ(state.signal[0].output, 2.0);
}

// Simulation and peer say quite different things, both moving; the source changes a hundred times at any
// moment, within crossings too. The bound on the output's speed is what both may do, not what lies between.
TEST(Exchange, ChangesSourceWithoutABump) {
  SignalRule rule;
  rule.least = -2.0;
  rule.most = 2.0;
  rule.most_rate = 20.0;
  rule.blend_s = 0.1;
  const Exchange exchange({rule}, kTick);
  ExchangeState state = exchange.start();
  const auto simulated = [](int k) { return std::sin(2.0 * k * kTick); };          // 2 U/s
  const auto network = [](int k) { return 1.0 + std::cos(3.0 * k * kTick) / 2; };  // 1.5 U/s
  double before = simulated(0);
  Source source = Source::kSimulated;
  int arrived = 0;
  for (int k = 0; k < 50000; ++k) {
    const std::vector<double> own(1, simulated(k));
    if (k > 0 && mixed_bits(static_cast<std::uint64_t>(k)) % 500 == 0) {
      source = source == Source::kSimulated ? Source::kNetwork : Source::kSimulated;
      exchange.select(state, 0, source);
    }
    exchange.step(state, heard(network(k)), own);
    const double now = state.signal[0].output;
    // 1.5 / 0.1 s of at most 2.5 U, and the sources' own speed.
    ASSERT_LE(std::fabs(now - before), (20.0 * 1.5 + 2.0) * kTick) << k;
    before = now;
    if (now == (source == Source::kSimulated ? simulated(k) : network(k))) ++arrived;
  }
  EXPECT_GT(arrived, 30000);  // and it gets there
}

TEST(Exchange, CrossesSlowerWhereTheRateAsksForIt) {
  SignalRule rule;
  rule.least = -10.0;
  rule.most = 10.0;
  rule.most_rate = 5.0;
  rule.blend_s = 0.01;
  const Exchange exchange({rule}, kTick);
  ExchangeState state = exchange.start();
  exchange.step(state, heard(8.0), std::vector<double>(1, -2.0));
  exchange.select(state, 0, Source::kNetwork);
  double before = -2.0;
  int ticks = 0;
  while (state.signal[0].output != 8.0 && ticks < 10000) {
    exchange.step(state, heard(8.0), kNothing);
    ASSERT_LE(state.signal[0].output - before, 5.0 * kTick + 1e-12);
    before = state.signal[0].output;
    ++ticks;
  }
  EXPECT_NEAR(ticks * kTick, 1.5 * 10.0 / 5.0, 0.02);
}

TEST(Exchange, HoldsUntilTheSourceIsNearOrHasPassed) {
  SignalRule rule = from_network();
  rule.handover = Handover::kHoldUntilNear;
  rule.near = 0.05;
  const Exchange exchange({rule}, kTick);
  ExchangeState state = exchange.start();
  const auto after = [&](double value) {
    exchange.step(state, heard(value), kNothing);
    return state.signal[0].output;
  };
  EXPECT_EQ(after(0.9), 0.0);  // a lever that stands at its end when it is plugged in
  EXPECT_EQ(after(0.3), 0.0);
  EXPECT_EQ(after(0.04), 0.04);
  EXPECT_EQ(after(0.9), 0.9);
  for (int k = 0; k < 50; ++k) exchange.step(state, kSilence, kNothing);
  EXPECT_EQ(state.signal[0].output, 0.0);
  EXPECT_EQ(after(0.6), 0.0);
  EXPECT_EQ(after(-0.2), -0.2);  // passed the centre between two packets
}

TEST(Exchange, AHostHoldsWhereItIs) {
  SignalRule rule = from_network();
  rule.safe_state = SafeState::kHold;
  const Exchange exchange({rule}, kTick);
  ExchangeState state = exchange.start();
  exchange.step(state, heard(0.8), kNothing);
  for (int k = 0; k < 200; ++k) exchange.step(state, kSilence, kNothing);
  EXPECT_EQ(state.signal[0].stale, 1);
  EXPECT_EQ(state.signal[0].output, 0.8);
}

TEST(Exchange, GoesToSafeAtItsRate) {
  SignalRule rule = from_network();
  rule.safe_rate = 10.0;
  const Exchange exchange({rule}, kTick);
  ExchangeState state = exchange.start();
  exchange.step(state, heard(0.8), kNothing);
  for (int k = 0; k < 50; ++k) exchange.step(state, kSilence, kNothing);
  EXPECT_NEAR(state.signal[0].output, 0.79, 1e-12);
  for (int k = 0; k < 80; ++k) exchange.step(state, kSilence, kNothing);
  EXPECT_EQ(state.signal[0].output, 0.0);
}

TEST(Exchange, LeavesTheSimulationAlone) {
  SignalRule rule;
  rule.most_rate = 1.0;
  const Exchange exchange({rule}, kTick);
  ExchangeState state = exchange.start();
  for (const double value : {5.0, -7.0, 1e6}) {  // beyond range and rate: it is no outsider
    exchange.step(state, kSilence, std::vector<double>(1, value));
    EXPECT_EQ(state.signal[0].output, value);
  }
  exchange.step(state, kSilence, std::vector<double>(1, std::nan("")));
  EXPECT_EQ(state.signal[0].stale, 1);
  EXPECT_EQ(state.signal[0].output, 0.0);
}

TEST(Exchange, ALogAndAPeerAreHeardSideBySide) {
  SignalRule a = from_network();
  a.source = Source::kLog;
  const Exchange exchange({a, from_network()}, kTick);
  ExchangeState state = exchange.start();
  const std::vector<double> own(2, 0.0);
  ExchangeInput input{};
  input.log = {{0.1, 0.2}, 3, 0, 0};
  input.network = {{0.3, 0.4}, 3, 0, 0};
  exchange.step(state, input, own);
  EXPECT_EQ(state.signal[0].output, 0.1);
  EXPECT_EQ(state.signal[1].output, 0.4);
  input.log.fresh = 0;
  for (int k = 0; k < 50; ++k) exchange.step(state, input, own);
  EXPECT_EQ(state.signal[0].stale, 1);
  EXPECT_EQ(state.signal[1].stale, 0);
}

TEST(Exchange, GivesTheSameBitsFromTheSameInput) {
  SignalRule rule = from_network();
  rule.blend_s = 0.03;
  rule.most_rate = 30.0;
  const Exchange exchange({rule, rule}, kTick);
  const auto run = [&exchange] {
    ExchangeState state = exchange.start();
    const std::vector<double> own = {0.2, -0.4};
    for (std::uint64_t k = 0; k < 5000; ++k) {
      ExchangeInput input{};
      input.network = {{gaussian(k), gaussian(k + 9)}, mixed_bits(k) % 4, k, 0};
      if (k % 700 == 0)
        exchange.select(state, 1, k % 1400 == 0 ? Source::kSimulated : Source::kNetwork);
      exchange.step(state, input, own);
    }
    return state;
  };
  const ExchangeState a = run();
  const ExchangeState b = run();
  EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0);
}

TEST(Exchange, RefusesRulesThatBoundNothing) {
  const auto refused = [](auto change) {
    SignalRule rule;
    change(rule);
    try {
      const Exchange exchange({rule}, kTick);
    } catch (const std::invalid_argument&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused([](SignalRule&) {}));
  EXPECT_TRUE(refused([](SignalRule& r) { r.most = kInfinite; }));
  EXPECT_TRUE(refused([](SignalRule& r) { r.least = 2.0; }));
  EXPECT_TRUE(refused([](SignalRule& r) { r.safe_value = std::nan(""); }));
  EXPECT_TRUE(refused([](SignalRule& r) { r.safe_value = 1.5; }));
  EXPECT_TRUE(refused([](SignalRule& r) { r.most_rate = 0.0; }));
  EXPECT_TRUE(refused([](SignalRule& r) { r.stale_s = 0.0; }));
  EXPECT_TRUE(refused([](SignalRule& r) { r.blend_s = -1.0; }));
  EXPECT_TRUE(refused([](SignalRule& r) { r.near = 0.0; }));
  EXPECT_THROW(Exchange(std::vector<SignalRule>(kMaxSignals + 1), kTick), std::invalid_argument);
  EXPECT_THROW(Exchange({}, 0.0), std::invalid_argument);
}

}  // namespace
}  // namespace knuckleboom::exchange
