#include "learners/progress.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

namespace knuckleboom::learners {
namespace {

constexpr std::size_t kFewest = 3;
constexpr double kConfidence = 1.96;  // of a normal distribution, 95 %

std::vector<double> measured(std::span<const double> values) {
  std::vector<double> out;
  std::copy_if(values.begin(), values.end(), std::back_inserter(out),
               [](double value) { return !std::isnan(value); });
  return out;
}

}  // namespace

double detectable_change(std::span<const double> values) {
  const std::vector<double> known = measured(values);
  if (known.size() < kFewest) return 0.0;
  const auto differences = static_cast<double>(known.size() - 1);
  const double mean = (known.back() - known.front()) / differences;
  double sum = 0.0;
  for (std::size_t i = 1; i < known.size(); ++i) {
    const double from_mean = known[i] - known[i - 1] - mean;
    sum += from_mean * from_mean;
  }
  return kConfidence * std::sqrt(sum / (differences - 1.0));
}

Change change_of(std::span<const double> values) {
  const std::vector<double> known = measured(values);
  if (known.size() < kFewest) return Change::kTooFew;
  const double change = known.back() - known.front();
  if (std::fabs(change) <= detectable_change(known)) return Change::kSame;
  return change < 0.0 ? Change::kLess : Change::kMore;
}

}  // namespace knuckleboom::learners
