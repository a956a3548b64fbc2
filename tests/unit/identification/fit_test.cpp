#include "identification/fit.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace knuckleboom::identification {
namespace {

// y = a exp(-b t) + noise of known spread.
struct Decay {
  std::vector<double> t, y;
  explicit Decay(double noise) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal(0.0, noise);
    for (int i = 0; i < 400; ++i) {
      t.push_back(0.01 * i);
      y.push_back(2.0 * std::exp(-0.8 * t.back()) + normal(random));
    }
  }
  Residuals residuals(double noise) const {
    return [this, noise](std::span<const double> p, std::vector<double>& r) {
      r.clear();
      for (std::size_t i = 0; i < t.size(); ++i)
        r.push_back((p[0] * std::exp(-p[1] * t[i]) - y[i]) / noise);
      return true;
    };
  }
};

Options one_block(std::size_t n) {
  Options options;
  options.blocks = {n};
  return options;
}

TEST(Fit, FindsADecayWithinItsOwnConfidence) {
  const Decay data(0.02);
  const std::vector<Parameter> p = {{"a", 1.0, 0.0, 5.0, 0.0}, {"b", 0.2, 0.0, 3.0, 0.0}};
  const Fit found = fit(p, data.residuals(0.02), one_block(400));
  ASSERT_TRUE(found.usable);
  EXPECT_TRUE(found.converged) << found.message;
  // Linear theory: J'J of a exp(-b t) at the truth.
  double aa = 0, ab = 0, bb = 0;
  for (const double t : data.t) {
    const double e = std::exp(-0.8 * t);
    aa += e * e;
    ab += e * -2.0 * t * e;
    bb += 4.0 * t * t * e * e;
  }
  const double det = aa * bb - ab * ab;
  EXPECT_NEAR(found.estimates[0].sd / (0.02 * std::sqrt(bb / det)), 1.0, 0.15);
  EXPECT_NEAR(found.estimates[1].sd / (0.02 * std::sqrt(aa / det)), 1.0, 0.15);
  EXPECT_NEAR(found.correlation(0, 1), -ab / std::sqrt(aa * bb), 0.02);
  EXPECT_NEAR(found.estimates[0].value, 2.0, 4.0 * found.estimates[0].sd);
  EXPECT_NEAR(found.estimates[1].value, 0.8, 4.0 * found.estimates[1].sd);
  EXPECT_TRUE(found.open.empty());
}

TEST(Fit, SaysWhatTheDataCannotDetermine) {
  // Only the product of the two counts.
  const Residuals product = [](std::span<const double> p, std::vector<double>& r) {
    r.clear();
    for (int i = 0; i < 50; ++i)
      r.push_back(100.0 * (p[0] * p[1] - 6.0) + (i % 2 == 0 ? 0.1 : -0.1));
    return true;
  };
  const std::vector<Parameter> p = {{"a", 2.5, 1.0, 4.0, 0.0}, {"b", 2.5, 1.0, 4.0, 0.0}};
  const Fit found = fit(p, product, one_block(50));
  EXPECT_NEAR(found.estimates[0].value * found.estimates[1].value, 6.0, 1e-3);
  ASSERT_EQ(found.open.size(), 1u);
  // Along the curve of equal product one goes up where the other goes down.
  EXPECT_LT(found.open[0].direction[0] * found.open[0].direction[1], -0.4);
  EXPECT_LT(found.correlation(0, 1), -0.99);
  // With what is known of one of them the other follows.
  const std::vector<Parameter> known = {{"a", 2.0, 1.0, 4.0, 0.001}, {"b", 2.5, 1.0, 4.0, 0.0}};
  const Fit with_prior = fit(known, product, one_block(50));
  EXPECT_NEAR(with_prior.estimates[0].value, 2.0, 1e-3);
  EXPECT_NEAR(with_prior.estimates[1].value, 3.0, 3e-3);
  EXPECT_TRUE(with_prior.open.empty());
}

// A well with two hollows, at 1 and (deeper) at 4.
TEST(Fit, ASearchEndsInTheHollowItBeganIn) {
  const Residuals wells = [](std::span<const double> p, std::vector<double>& r) {
    r = {(p[0] - 1.0) * (p[0] - 4.0), 0.1 * (p[0] - 4.0)};
    return true;
  };
  const std::vector<Parameter> p = {{"a", 0.5, 0.0, 5.0, 0.0}};
  Options options = one_block(2);
  std::vector<double> ends;
  for (std::size_t n = 0; n < 4; ++n) {
    options.begin = spread_start(p, n);
    ends.push_back(fit(p, wells, options).estimates[0].value);
  }
  // From 0.5, 2.5, 1.25 and 3.75.
  EXPECT_NEAR(ends[0], 1.0, 0.02);
  EXPECT_NEAR(ends[2], 1.0, 0.02);
  EXPECT_NEAR(ends[3], 4.0, 1e-4);
}

TEST(Fit, StartsFillTheSpaceEvenly) {
  const std::vector<Parameter> p = {
      {"a", 1.0, 0.0, 8.0, 0.0}, {"b", 0.0, -9.0, 9.0, 0.0}, {"c", 3.0, 0.0, 9.0, 0.5}};
  EXPECT_EQ(spread_start(p, 0), (std::vector<double>{1.0, 0.0, 3.0}));
  // 5 is 101 with two digits and 12 with three: 1/2 + 1/8, 2/3 + 1/9. What is known stays.
  const std::vector<double> fifth = spread_start(p, 5);
  EXPECT_DOUBLE_EQ(fifth[0], 5.0);
  EXPECT_DOUBLE_EQ(fifth[1], 18.0 * 7.0 / 9.0 - 9.0);
  EXPECT_EQ(fifth[2], 3.0);
}

TEST(Fit, StopsAtABoundAndSaysSo) {
  const Residuals line = [](std::span<const double> p, std::vector<double>& r) {
    r = {p[0] - 3.0, 2.0 * (p[0] - 3.0)};
    return true;
  };
  const Fit found = fit({{"a", 1.0, 0.0, 2.0, 0.0}}, line, one_block(2));
  EXPECT_NEAR(found.estimates[0].value, 2.0, 1e-9);
  EXPECT_TRUE(found.estimates[0].at_bound);
}

TEST(Fit, SurvivesModelsThatCannotBe) {
  // Beyond 1.5 there is no machine.
  const Residuals fragile = [](std::span<const double> p, std::vector<double>& r) {
    if (p[0] > 1.5) return false;
    r = {p[0] - 1.4};
    return true;
  };
  EXPECT_NEAR(fit({{"a", 0.2, 0.0, 10.0, 0.0}}, fragile, one_block(1)).estimates[0].value, 1.4,
              1e-6);
  EXPECT_FALSE(fit({{"a", 2.0, 0.0, 10.0, 0.0}}, fragile, one_block(1)).usable);
}

// Two channels of one line, given the same spread although one is five times as noisy: the noisy one decides
// about the solution, so it must decide about the interval.
TEST(Fit, IntervalsHoldWhateverTheWeights) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  int inside = 0, total = 0;
  for (int run = 0; run < 200; ++run) {
    std::vector<double> y[2];
    for (int i = 0; i < 100; ++i) {
      y[0].push_back(1.0 + 0.02 * i + 0.2 * normal(random));
      y[1].push_back(1.0 + 0.02 * i + 1.0 * normal(random));
    }
    const Residuals line = [&](std::span<const double> p, std::vector<double>& r) {
      r.clear();
      for (const std::vector<double>& channel : y)
        for (std::size_t i = 0; i < channel.size(); ++i)
          r.push_back((p[0] + p[1] * static_cast<double>(i) - channel[i]) / 0.1);
      return true;
    };
    Options options;
    options.blocks = {100, 100};
    const Fit found = fit({{"a", 0.5, -5.0, 5.0, 0.0}, {"b", 0.0, -0.2, 0.2, 0.0}}, line, options);
    const double truth[] = {1.0, 0.02};
    for (std::size_t i = 0; i < 2; ++i, ++total)
      if (std::fabs(found.estimates[i].value - truth[i]) < 1.96 * found.estimates[i].sd) ++inside;
  }
  EXPECT_GT(inside, 0.92 * total);
  EXPECT_LT(inside, 0.98 * total);
}

TEST(Fit, NeighboursThatHangTogetherCountLess) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> white, red{0.0};
  for (int i = 0; i < 20000; ++i) {
    white.push_back(normal(random));
    red.push_back(0.9 * red.back() + normal(random));
  }
  EXPECT_NEAR(independent_samples(white) / 20000.0, 1.0, 0.03);
  EXPECT_NEAR(independent_samples(red) / 20000.0, 0.1 / 1.9, 0.005);
}

}  // namespace
}  // namespace knuckleboom::identification
