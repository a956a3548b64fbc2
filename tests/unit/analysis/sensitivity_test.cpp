// Sensitivities of functions whose sensitivities are known, and the runs that they need.

#include "knuckleboom/analysis/sensitivity.hpp"

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/analysis/sweep_design.hpp"

namespace knuckleboom {
namespace {

using std::numbers::pi;

io::SweepPlan plan_with(io::SweepDesign design, const std::vector<io::SweepVariable>& variables) {
  io::SweepPlan plan;
  plan.design = design;
  plan.variables = variables;
  plan.seed = 3;
  return plan;
}

io::SweepVariable uniform_in(double low, double high) {
  io::SweepVariable v;
  v.low = low;
  v.high = high;
  return v;
}

// T. Ishigami and T. Homma's function with a = 7, b = 0.1 on [-pi, pi]^3, whose indices are integrals in closed form.
TEST(Sobol, FindsTheIndicesOfIshigamisFunction) {
  io::SweepPlan plan = plan_with(io::SweepDesign::kSobol, std::vector(3, uniform_in(-pi, pi)));
  plan.base = 4096;
  const analysis::SweepDesigner designer(plan);
  ASSERT_EQ(designer.size(), 4096 * 5);
  constexpr double a = 7.0, b = 0.1;
  std::vector<double> y;
  for (std::int64_t run = 0; run < designer.size(); ++run) {
    const std::vector<double> share = designer.shares(run);
    double x[3];
    for (std::size_t i = 0; i < 3; ++i) x[i] = analysis::quantile(plan.variables[i], share[i]);
    y.push_back(std::sin(x[0]) + a * std::pow(std::sin(x[1]), 2) +
                b * std::pow(x[2], 4) * std::sin(x[0]));
  }
  const analysis::SobolIndices found = analysis::sobol_indices(y, 3, 0, 200);
  const double v1 = 0.5 * std::pow(1.0 + b * std::pow(pi, 4) / 5.0, 2), v2 = a * a / 8.0,
               v13 = b * b * std::pow(pi, 8) * 8.0 / 225.0, v = v1 + v2 + v13;
  EXPECT_NEAR(found.variance, v, 0.03 * v);
  const double first[] = {v1 / v, v2 / v, 0.0};
  const double total[] = {(v1 + v13) / v, v2 / v, v13 / v};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(found.of[i].first, first[i], 0.03) << i;
    EXPECT_NEAR(found.of[i].total, total[i], 0.03) << i;
    EXPECT_LT(found.of[i].first_low, found.of[i].first);
    EXPECT_GT(found.of[i].first_high, found.of[i].first);
    EXPECT_LT(found.of[i].total_high - found.of[i].total_low, 0.1);
  }
}

// The intervals hold the true index about as often as they say, and rows with a failed run are left out.
TEST(Sobol, IntervalsHoldTheTruth) {
  io::SweepPlan plan = plan_with(io::SweepDesign::kSobol, std::vector(2, uniform_in(0.0, 1.0)));
  plan.base = 200;
  int held = 0;
  constexpr int kTries = 60;
  for (int i = 0; i < kTries; ++i) {
    plan.seed = static_cast<std::uint64_t>(100 + i);
    const analysis::SweepDesigner designer(plan);
    std::vector<double> y;
    for (std::int64_t run = 0; run < designer.size(); ++run) {
      const std::vector<double> x = designer.shares(run);
      y.push_back(2.0 * x[0] + x[1]);
    }
    y[7] = NAN;
    const analysis::SobolIndices found = analysis::sobol_indices(y, 2, plan.seed, 300);
    EXPECT_EQ(found.rows, 199u);
    // 2^2 : 1^2, and no interaction.
    held += found.of[0].total_low <= 0.8 && 0.8 <= found.of[0].total_high ? 1 : 0;
  }
  EXPECT_GE(held, kTries * 8 / 10);
}

// A linear function has the same elementary effect everywhere: its slope over the whole range.
TEST(Morris, EffectsOfALinearFunctionAreItsSlopes) {
  io::SweepPlan plan =
      plan_with(io::SweepDesign::kMorris,
                {uniform_in(0.0, 2.0), uniform_in(-1.0, 1.0), uniform_in(5.0, 6.0)});
  plan.trajectories = 10;
  const analysis::SweepDesigner designer(plan);
  ASSERT_EQ(designer.size(), 40);
  std::vector<std::vector<double>> rows;
  std::vector<double> y, curved;
  for (std::int64_t run = 0; run < designer.size(); ++run) {
    rows.push_back(designer.shares(run));
    const double x[] = {2.0 * rows.back()[0], 2.0 * rows.back()[1] - 1.0, 5.0 + rows.back()[2]};
    y.push_back(3.0 * x[0] - 0.5 * x[1] + 7.0);
    curved.push_back(x[1] * x[1]);
  }
  const std::vector<analysis::ElementaryEffects> e = analysis::elementary_effects(rows, y);
  const double slopes[] = {6.0, -1.0, 0.0};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(e[i].mean, slopes[i], 1e-12);
    EXPECT_NEAR(e[i].mean_size, std::fabs(slopes[i]), 1e-12);
    EXPECT_NEAR(e[i].sd, 0.0, 1e-12);
    EXPECT_EQ(e[i].count, 10);
  }
  // A parabola about the middle: effects of both signs, which a mean alone would hide.
  const analysis::ElementaryEffects parabola = analysis::elementary_effects(rows, curved)[1];
  EXPECT_NEAR(parabola.mean_size, 4.0 / 3.0, 1e-12);  // (1/3)^2 and 1 over a step of 2/3
  EXPECT_GT(parabola.sd, 0.1);
}

TEST(Morris, MovesOneVariableAtATimeBetweenLevels) {
  io::SweepPlan plan = plan_with(io::SweepDesign::kMorris, std::vector(4, uniform_in(0.0, 1.0)));
  plan.trajectories = 25;
  const analysis::SweepDesigner designer(plan);
  for (std::int64_t run = 0; run < designer.size(); ++run) {
    const std::vector<double> here = designer.shares(run);
    for (const double share : here) EXPECT_NEAR(share * 3.0, std::round(share * 3.0), 1e-12);
    if (run % 5 == 4) continue;
    const std::vector<double> next = designer.shares(run + 1);
    int moved = 0;
    for (std::size_t i = 0; i < 4; ++i)
      if (here[i] != next[i]) {
        EXPECT_NEAR(std::fabs(here[i] - next[i]), analysis::kMorrisStep, 1e-12);
        ++moved;
      }
    EXPECT_EQ(moved, 1);
  }
}

// --- Draws --------------------------------------------------------------------

// Against the error function of the C library, which knows nothing of these polynomials.
TEST(Quantiles, OfTheNormalDistributionInvertTheErrorFunction) {
  for (const double p : {1e-12, 1e-6, 0.001, 0.02, 0.075, 0.2, 0.5, 0.6, 0.93, 0.99, 1 - 1e-9}) {
    const double x = analysis::normal_quantile(p);
    EXPECT_NEAR(0.5 * std::erfc(-x / std::numbers::sqrt2) / p, 1.0, 1e-12) << p;
  }
  EXPECT_NEAR(analysis::normal_quantile(0.975), 1.959963984540054, 1e-14);
}

// Means and spreads of ten thousand draws against the distributions' own.
TEST(Quantiles, DrawsHaveMeanAndSpreadOfTheirDistribution) {
  io::SweepVariable normal, cut, lognormal, triangular;
  normal.spread = cut.spread = io::SweepSpread::kNormal;
  normal.mean = 5.0;
  normal.sd = 2.0;
  cut.mean = 0.0;
  cut.sd = 1.0;
  cut.low = 0.0;  // half a normal distribution
  lognormal.spread = io::SweepSpread::kLognormal;
  lognormal.median = 3.0;
  lognormal.sd_log = 0.25;
  triangular.spread = io::SweepSpread::kTriangular;
  triangular.low = 0.0;
  triangular.mode = 1.0;
  triangular.high = 5.0;
  io::SweepPlan plan = plan_with(io::SweepDesign::kMonteCarlo,
                                 {uniform_in(-1.0, 3.0), normal, cut, lognormal, triangular});
  plan.runs = 10'000;
  const analysis::SweepDesigner designer(plan);
  double sum[5] = {}, squares[5] = {};
  for (std::int64_t run = 0; run < plan.runs; ++run) {
    const std::vector<std::string> values = designer.values(run);
    for (std::size_t i = 0; i < 5; ++i) {
      const double x = std::stod(values[i]);
      sum[i] += x;
      squares[i] += x * x;
    }
  }
  const double growth = std::exp(0.25 * 0.25);
  const double mean[] = {1.0, 5.0, std::sqrt(2.0 / pi), 3.0 * std::sqrt(growth), 2.0};
  const double variance[] = {16.0 / 12.0, 4.0, 1.0 - 2.0 / pi, 9.0 * growth * (growth - 1.0),
                             (25.0 + 1.0 - 5.0) / 18.0};
  for (std::size_t i = 0; i < 5; ++i) {
    const double m = sum[i] / plan.runs, v = squares[i] / plan.runs - m * m;
    EXPECT_NEAR(m, mean[i], 4.0 * std::sqrt(variance[i] / plan.runs)) << i;
    EXPECT_NEAR(v, variance[i], 0.06 * variance[i]) << i;
  }
}

TEST(LatinHypercube, HasEachPartOfEachVariableOnce) {
  io::SweepPlan plan =
      plan_with(io::SweepDesign::kLatinHypercube, std::vector(3, uniform_in(0.0, 1.0)));
  plan.runs = 50;
  const analysis::SweepDesigner designer(plan);
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<int> hits(50, 0);
    for (std::int64_t run = 0; run < 50; ++run)
      ++hits[static_cast<std::size_t>(designer.shares(run)[i] * 50.0)];
    EXPECT_EQ(hits, std::vector<int>(50, 1)) << i;
  }
  // Another seed, another draw.
  const std::vector<double> before = designer.shares(0);
  plan.seed = 4;
  EXPECT_NE(analysis::SweepDesigner(plan).shares(0), before);
}

TEST(Grid, HasEveryValueWithEveryOther) {
  io::SweepVariable listed, stepped = uniform_in(1.0, 2.0);
  listed.values = {"a", "b"};
  stepped.steps = 3;
  const io::SweepPlan plan = plan_with(io::SweepDesign::kGrid, {listed, stepped});
  const analysis::SweepDesigner designer(plan);
  std::string all;
  for (std::int64_t run = 0; run < designer.size(); ++run)
    all += designer.values(run)[0] + designer.values(run)[1] + " ";
  EXPECT_EQ(all, "a1 a1.5 a2 b1 b1.5 b2 ");
}

TEST(RankCorrelation, SeesOrderAndNotShape) {
  const std::vector<double> x = {1, 2, 3, 4, 5}, cubes = {1, 8, 27, 64, 125},
                            down = {9, 7, 5, 3, 1};
  EXPECT_DOUBLE_EQ(analysis::rank_correlation(x, cubes), 1.0);
  EXPECT_DOUBLE_EQ(analysis::rank_correlation(x, down), -1.0);
  const std::vector<double> swapped = {2, 1, 3, 4, 5};  // 1 - 6 * 2 / (5 * 24)
  EXPECT_DOUBLE_EQ(analysis::rank_correlation(x, swapped), 0.9);
  EXPECT_TRUE(std::isnan(analysis::rank_correlation(x, std::vector<double>(5, 1.0))));
}

}  // namespace
}  // namespace knuckleboom
