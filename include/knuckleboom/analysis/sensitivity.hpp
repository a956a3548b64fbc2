// Which inputs a result depends on, from designed samples. docs/theory/sensitivity.md
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace knuckleboom::analysis {

// Elementary effects of one input: changes of the result over changes of the input's share of its distribution.
// Sources: M. D. Morris, Technometrics 33 (1991) 161-174; the mean of sizes: F. Campolongo, J. Cariboni and
// A. Saltelli, Environ. Model. Softw. 22 (2007) 1509-1518.
struct ElementaryEffects {
  double mean = 0.0;
  double mean_size = 0.0;  // of their absolute values
  double sd = 0.0;         // large against mean_size: curved, or together with others
  int count = 0;
};
// rows: shares of the inputs run by run, trajectory after trajectory, each one run longer than there are
// inputs; a step with a result that is not finite is left out.
std::vector<ElementaryEffects> elementary_effects(const std::vector<std::vector<double>>& rows,
                                                  std::span<const double> results);

struct SobolIndex {
  double first = 0.0, total = 0.0;  // shares of the result's variance
  // Intervals that hold 95 % of resampled values.
  double first_low = 0.0, first_high = 0.0, total_low = 0.0, total_high = 0.0;
};
struct SobolIndices {
  std::vector<SobolIndex> of;  // the inputs
  std::size_t rows = 0;        // that count: all of their results are finite
  double variance = 0.0;
};
// results: for each row those of A, of B, then of A with one column of B after the other. Estimators: first order
// A. Saltelli et al., Comput. Phys. Commun. 181 (2010) 259-270, equation b of table 2; total M. J. W. Jansen,
// Comput. Phys. Commun. 117 (1999) 35-43. Intervals by resampling the rows.
SobolIndices sobol_indices(std::span<const double> results, std::size_t inputs,
                           std::uint64_t seed = 0, int resamples = 500);

// Rank correlation (Spearman) of two lists, over the places where both are finite; nan: one of them is constant.
double rank_correlation(std::span<const double> a, std::span<const double> b);

// Mean result over the runs in the lowest and the highest fifth of an input, by its share.
struct Swing {
  double low = std::numeric_limits<double>::quiet_NaN(), high = low;
};
Swing swing(std::span<const double> shares, std::span<const double> results);

// Mean, spread and quantiles of what is finite.
struct Distribution {
  std::size_t count = 0;
  double mean = 0.0, sd = 0.0, min = 0.0, low = 0.0, median = 0.0, high = 0.0,
         max = 0.0;  // low, high: 5 %, 95 %
};
Distribution distribution(std::span<const double> results);

}  // namespace knuckleboom::analysis
