// Parameters of a model from measured data: bounded nonlinear least squares by Ceres, and the
// uncertainty of the result. docs/theory/identification.md
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace knuckleboom::identification {

struct Parameter {
  std::string name;
  double start = 0.0, low = 0.0, high = 0.0;  // low < high
  double prior_sd = 0.0;                      // spread of a prior about the start; 0: none
  // Its slopes hardly change on the way: they are taken at every fourth step, and at the end.
  bool steady = false;
};

// Residuals, each over its standard deviation, in `blocks` of consecutive samples of one channel.
// Called from several threads at once. False: there is no such model; the values are ignored.
using Residuals =
    std::function<bool(std::span<const double> values, std::vector<double>& residuals)>;

struct Options {
  std::vector<std::size_t> blocks;  // lengths, in order; their sum is the number of residuals
  std::vector<double> begin;        // where the search begins; empty: at the parameters' starts
  int max_iterations = 40;
  // Difference for slopes, as a share of a parameter's range: large against the effect of a
  // simulation's discrete events, small against its curvature.
  double step = 1e-3;
  int threads = 2;
  std::function<bool(int iteration, double cost)> progress;  // false: stop here
};

struct Estimate {
  double value = 0.0;
  double sd = 0.0;  // standard deviation
  bool at_bound = false;
};

// A direction in which the data leave the parameters open: their changes, each over its range.
struct Open {
  std::vector<double> direction;  // of length 1
  double sd = 0.0;                // in ranges
};

struct Fit {
  bool usable = false;  // the model could be computed at the start
  bool converged = false;
  std::string message;
  std::vector<Estimate> estimates;
  Eigen::MatrixXd correlation;
  std::vector<Open> open;                      // wider than a quarter of the range
  double cost_before = 0.0, cost_after = 0.0;  // half the sum of squares, priors left out
  int evaluations = 0;
};

// The spread of the estimates is that of this least-squares solution, whatever weights the residuals were given: each
// block with its own variance, and worth as many independent samples as its autocorrelation gives, for residuals of
// a free-running simulation are correlated in time. (H. White, Econometrica 48 (1980) 817-838: the form H^-1 M H^-1.)
Fit fit(const std::vector<Parameter>& parameters, const Residuals& residuals,
        const Options& options);

// The n-th point of a sequence that fills the space between the parameters' bounds evenly; the starts for n = 0, and
// always for those with a prior. Source: J. H. Halton, Numer. Math. 2 (1960) 84-90, with prime bases.
std::vector<double> spread_start(const std::vector<Parameter>& parameters, std::size_t n);

// Number of independent samples equivalent to a series: n (1 - r)/(1 + r), r its correlation from
// one sample to the next. Source: Bayley and Hammersley, J. R. Stat. Soc. Suppl. 8 (1946) 184-197.
double independent_samples(std::span<const double> series);

}  // namespace knuckleboom::identification
