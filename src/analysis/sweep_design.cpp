#include "knuckleboom/analysis/sweep_design.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "knuckleboom/core/math/hash.hpp"
#include "knuckleboom/core/math/logarithm.hpp"

namespace knuckleboom::analysis {
namespace {

using io::SweepDesign;
using io::SweepSpread;
using io::SweepVariable;

// The kind of a draw, so that no two draws share their numbers.
enum class Draw : std::uint64_t { kValue, kPart, kLevel, kOrder };

std::uint64_t counter(std::uint64_t seed, Draw draw, std::uint64_t row, std::uint64_t column) {
  std::uint64_t x = mixed_bits(seed + (static_cast<std::uint64_t>(draw) << 56U));
  x = mixed_bits(x ^ row);
  return mixed_bits(x ^ (column << 32U));
}

template <std::size_t n>
double polynomial(const double (&c)[n], double x) {
  double sum = c[n - 1];
  for (std::size_t i = n - 1; i > 0; --i) sum = sum * x + c[i - 1];
  return sum;
}

double exponential(double x) { return x > 0.0 ? 1.0 / decay(x) : decay(-x); }

// The share below x of a normal distribution, from its inverse: the same bits on every processor.
double normal_share(double x) {
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (normal_quantile(middle) < x ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// A normal distribution that is cut off.
double cut_normal(double share, double low, double high) {
  const double from = std::isfinite(low) ? normal_share(low) : 0.0;
  const double to = std::isfinite(high) ? normal_share(high) : 1.0;
  const double x = normal_quantile(std::clamp(from + share * (to - from), 1e-300, 1.0 - 0x1p-53));
  return std::clamp(x, low, high);
}

double triangular(const SweepVariable& v, double share) {
  const double width = v.high - v.low, rise = v.mode - v.low, fall = v.high - v.mode;
  return share * width < rise ? v.low + std::sqrt(share * width * rise)
                              : v.high - std::sqrt((1.0 - share) * width * fall);
}

std::size_t nth_of(std::size_t count, double share) {
  return std::min(count - 1, static_cast<std::size_t>(share * static_cast<double>(count)));
}

}  // namespace

double normal_quantile(double share) {
  constexpr double a[] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                          1.9715909503065514427e+3, 1.3731693765509461125e+4,
                          4.5921953931549871457e+4, 6.7265770927008700853e+4,
                          3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr double b[] = {1.0,
                          4.2313330701600911252e+1,
                          6.8718700749205790830e+2,
                          5.3941960214247511077e+3,
                          2.1213794301586595867e+4,
                          3.9307895800092710610e+4,
                          2.8729085735721942674e+4,
                          5.2264952788528545610e+3};
  constexpr double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                          5.76949722146069140550e0,  3.64784832476320460504e0,
                          1.27045825245236838258e0,  2.41780725177450611770e-1,
                          2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr double d[] = {1.0,
                          2.05319162663775882187e0,
                          1.67638483018380384940e0,
                          6.89767334985100004550e-1,
                          1.48103976427480074590e-1,
                          1.51986665636164571966e-2,
                          5.47593808499534494600e-4,
                          1.05075007164441684324e-9};
  constexpr double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                          1.78482653991729133580e0,  2.96560571828504891230e-1,
                          2.65321895265761230930e-2, 1.24266094738807843860e-3,
                          2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr double f[] = {1.0,
                          5.99832206555887937690e-1,
                          1.36929880922735805310e-1,
                          1.48753612908506148525e-2,
                          7.86869131145613259100e-4,
                          1.84631831751005468180e-5,
                          1.42151175831644588870e-7,
                          2.04426310338993978564e-15};
  const double q = share - 0.5;
  if (std::fabs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  double r = std::sqrt(-logarithm(q < 0.0 ? share : 1.0 - share));
  r = r <= 5.0 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6)
               : polynomial(e, r - 5.0) / polynomial(f, r - 5.0);
  return q < 0.0 ? -r : r;
}

double quantile(const SweepVariable& v, double share) {
  switch (v.spread) {
    case SweepSpread::kNormal:
      return v.mean + v.sd * cut_normal(share, (v.low - v.mean) / v.sd, (v.high - v.mean) / v.sd);
    case SweepSpread::kLognormal: {
      const auto scaled = [&](double x) {
        return x > 0.0 ? logarithm(x / v.median) / v.sd_log : -SweepVariable::kOpen;
      };
      const double high = std::isfinite(v.high) ? scaled(v.high) : v.high;
      return v.median * exponential(v.sd_log * cut_normal(share, scaled(v.low), high));
    }
    case SweepSpread::kTriangular:
      return triangular(v, share);
    case SweepSpread::kUniform:
      break;
  }
  return v.low + share * (v.high - v.low);
}

SweepDesigner::SweepDesigner(const io::SweepPlan& plan)
    : plan_(plan), variables_(plan.variables.size()) {
  const auto n = static_cast<std::int64_t>(variables_);
  std::size_t columns = 0;
  std::int64_t rows = 0;
  switch (plan.design) {
    case SweepDesign::kGrid:
      size_ = 1;
      for (const SweepVariable& v : plan.variables)
        size_ *= v.values.empty() ? v.steps : static_cast<std::int64_t>(v.values.size());
      break;
    case SweepDesign::kList:
      size_ = static_cast<std::int64_t>(plan.variables.front().values.size());
      break;
    case SweepDesign::kMonteCarlo:
      size_ = plan.runs;
      break;
    case SweepDesign::kMorris:
      size_ = plan.trajectories * (n + 1);
      break;
    case SweepDesign::kLatinHypercube:
      size_ = rows = plan.runs;
      columns = variables_;
      break;
    case SweepDesign::kSobol:
      rows = plan.base;
      size_ = rows * (n + 2);
      columns = 2 * variables_;
      break;
  }
  for (std::size_t column = 0; column < columns; ++column) {
    std::vector<std::uint32_t> parts(static_cast<std::size_t>(rows));
    std::iota(parts.begin(), parts.end(), 0U);
    for (std::size_t i = parts.size(); i > 1; --i)
      std::swap(parts[i - 1], parts[counter(plan.seed, Draw::kPart, i, column) % i]);
    parts_.push_back(std::move(parts));
  }
}

double SweepDesigner::drawn(std::int64_t run, std::size_t column) const {
  return uniform(counter(plan_.seed, Draw::kValue, static_cast<std::uint64_t>(run), column));
}

double SweepDesigner::stratified(std::int64_t row, std::size_t column) const {
  const std::vector<std::uint32_t>& parts = parts_[column];
  return (parts[static_cast<std::size_t>(row)] + drawn(row, column)) /
         static_cast<double>(parts.size());
}

// The last variable changes from run to run.
std::size_t SweepDesigner::index_in_grid(std::int64_t run, std::size_t variable) const {
  const auto count = [this](std::size_t i) {
    const SweepVariable& v = plan_.variables[i];
    return v.values.empty() ? v.steps : static_cast<std::int64_t>(v.values.size());
  };
  for (std::size_t i = variables_ - 1; i > variable; --i) run /= count(i);
  return static_cast<std::size_t>(run % count(variable));
}

// M. D. Morris, Technometrics 33 (1991) 161-174: from a level of each variable one after the other moves by a step,
// in an order that is drawn.
std::vector<double> SweepDesigner::on_trajectory(std::int64_t run) const {
  const auto n = static_cast<std::int64_t>(variables_);
  const auto trajectory = static_cast<std::uint64_t>(run / (n + 1));
  const std::int64_t moved = run % (n + 1);
  std::vector<std::size_t> order(variables_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[counter(plan_.seed, Draw::kOrder, trajectory, i) % i]);
  std::vector<double> shares(variables_);
  for (std::size_t i = 0; i < variables_; ++i) {
    const std::uint64_t level = counter(plan_.seed, Draw::kLevel, trajectory, i) % kMorrisLevels;
    shares[i] = static_cast<double>(level) / (kMorrisLevels - 1);
  }
  for (std::int64_t k = 0; k < moved; ++k) {
    double& share = shares[order[static_cast<std::size_t>(k)]];
    share += share < 0.5 ? kMorrisStep : -kMorrisStep;
  }
  for (double& share : shares) share = std::clamp(share, 0.0, 1.0);
  return shares;
}

std::vector<double> SweepDesigner::shares(std::int64_t run) const {
  std::vector<double> out(variables_);
  switch (plan_.design) {
    case SweepDesign::kGrid:
    case SweepDesign::kList:
      for (std::size_t i = 0; i < variables_; ++i) {
        const bool list = plan_.design == SweepDesign::kList;
        const SweepVariable& v = plan_.variables[i];
        const double last =
            static_cast<double>(v.values.empty() ? v.steps : static_cast<int>(v.values.size())) -
            1.0;
        const double at =
            static_cast<double>(list ? static_cast<std::size_t>(run) : index_in_grid(run, i));
        out[i] = last > 0.0 ? at / last : 0.5;
      }
      break;
    case SweepDesign::kMonteCarlo:
      for (std::size_t i = 0; i < variables_; ++i) out[i] = drawn(run, i);
      break;
    case SweepDesign::kLatinHypercube:
      for (std::size_t i = 0; i < variables_; ++i) out[i] = stratified(run, i);
      break;
    case SweepDesign::kMorris:
      return on_trajectory(run);
    case SweepDesign::kSobol: {
      // Rows of A, of B, then of A with one column of B after the other.
      const auto blocks = static_cast<std::int64_t>(variables_) + 2;
      const std::int64_t row = run / blocks, block = run % blocks;
      for (std::size_t i = 0; i < variables_; ++i) {
        const bool from_b = block == 1 || block == static_cast<std::int64_t>(i) + 2;
        out[i] = stratified(row, from_b ? variables_ + i : i);
      }
      break;
    }
  }
  return out;
}

std::vector<std::string> SweepDesigner::values(std::int64_t run) const {
  const std::vector<double> at = shares(run);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < variables_; ++i) {
    const SweepVariable& v = plan_.variables[i];
    if (v.values.empty()) {
      const bool grid = plan_.design == SweepDesign::kGrid;
      out.push_back(
          fmt::format("{}", grid ? v.low + at[i] * (v.high - v.low) : quantile(v, at[i])));
    } else if (plan_.design == SweepDesign::kGrid) {
      out.push_back(v.values[index_in_grid(run, i)]);
    } else if (plan_.design == SweepDesign::kList) {
      out.push_back(v.values[static_cast<std::size_t>(run)]);
    } else {
      out.push_back(v.values[nth_of(v.values.size(), at[i])]);
    }
  }
  return out;
}

}  // namespace knuckleboom::analysis
