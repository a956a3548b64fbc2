#include "knuckleboom/analysis/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "knuckleboom/core/math/hash.hpp"

namespace knuckleboom::analysis {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// By linear interpolation between the sorted values.
double at_share(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return kNoNumber;
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// The rows whose results are all finite, centred: that makes the estimate of the first order less noisy.
struct SobolRows {
  std::size_t inputs = 0;
  std::vector<double> results;

  std::size_t size() const { return results.size() / (inputs + 2); }
  const double* row(std::size_t i) const { return results.data() + i * (inputs + 2); }
};

double variance_of(const SobolRows& rows, const std::vector<std::size_t>& chosen) {
  double sum = 0.0, squares = 0.0;
  for (const std::size_t i : chosen)
    for (const double y : {rows.row(i)[0], rows.row(i)[1]}) {
      sum += y;
      squares += y * y;
    }
  const double n = 2.0 * static_cast<double>(chosen.size());
  return std::max(0.0, squares / n - sum / n * (sum / n));
}

struct FirstAndTotal {
  double first = 0.0, total = 0.0;
};
FirstAndTotal indices_of(const SobolRows& rows, const std::vector<std::size_t>& chosen,
                         std::size_t input, double variance) {
  double first = 0.0, total = 0.0;
  for (const std::size_t i : chosen) {
    const double a = rows.row(i)[0], b = rows.row(i)[1], mixed = rows.row(i)[2 + input];
    first += b * (mixed - a);
    total += 0.5 * (a - mixed) * (a - mixed);
  }
  const double scale = static_cast<double>(chosen.size()) * variance;
  return {first / scale, total / scale};
}

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t k) { return values[i] < values[k]; });
  std::vector<double> out(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t k = i; k < end; ++k)
      out[order[k]] = 0.5 * static_cast<double>(i + end - 1);  // equal values share their ranks
    i = end;
  }
  return out;
}

}  // namespace

std::vector<ElementaryEffects> elementary_effects(const std::vector<std::vector<double>>& rows,
                                                  std::span<const double> results) {
  const std::size_t inputs = rows.empty() ? 0 : rows.front().size();
  std::vector<std::vector<double>> effects(inputs);
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    if ((i + 1) % (inputs + 1) == 0) continue;  // the next trajectory begins
    if (!std::isfinite(results[i]) || !std::isfinite(results[i + 1])) continue;
    for (std::size_t k = 0; k < inputs; ++k)
      if (const double step = rows[i + 1][k] - rows[i][k]; step != 0.0)
        effects[k].push_back((results[i + 1] - results[i]) / step);
  }
  std::vector<ElementaryEffects> out(inputs);
  for (std::size_t k = 0; k < inputs; ++k) {
    ElementaryEffects& e = out[k];
    const auto n = static_cast<double>(effects[k].size());
    e.count = static_cast<int>(effects[k].size());
    if (effects[k].empty()) continue;
    for (const double effect : effects[k]) {
      e.mean += effect / n;
      e.mean_size += std::fabs(effect) / n;
    }
    for (const double effect : effects[k]) e.sd += (effect - e.mean) * (effect - e.mean);
    e.sd = effects[k].size() > 1 ? std::sqrt(e.sd / (n - 1.0)) : 0.0;
  }
  return out;
}

SobolIndices sobol_indices(std::span<const double> results, std::size_t inputs, std::uint64_t seed,
                           int resamples) {
  const std::size_t width = inputs + 2;
  SobolRows rows{inputs, {}};
  double mean = 0.0;
  for (std::size_t begin = 0; begin + width <= results.size(); begin += width) {
    const auto row = results.subspan(begin, width);
    if (!std::all_of(row.begin(), row.end(), [](double y) { return std::isfinite(y); })) continue;
    rows.results.insert(rows.results.end(), row.begin(), row.end());
    mean += 0.5 * (row[0] + row[1]);
  }
  SobolIndices out;
  out.rows = rows.size();
  out.of.resize(inputs);
  if (out.rows < 2) return out;
  mean /= static_cast<double>(out.rows);
  for (double& y : rows.results) y -= mean;
  std::vector<std::size_t> all(out.rows);
  std::iota(all.begin(), all.end(), std::size_t{0});
  out.variance = variance_of(rows, all);
  if (!(out.variance > 0.0)) return out;
  for (std::size_t k = 0; k < inputs; ++k) {
    const FirstAndTotal found = indices_of(rows, all, k, out.variance);
    out.of[k].first = found.first;
    out.of[k].total = found.total;
  }
  // B. Efron's bootstrap, with the percentiles of the resampled indices.
  std::vector<std::vector<double>> first(inputs), total(inputs);
  std::vector<std::size_t> chosen(out.rows);
  for (int r = 0; r < resamples; ++r) {
    for (std::size_t i = 0; i < chosen.size(); ++i)
      chosen[i] = mixed_bits(mixed_bits(seed + static_cast<std::uint64_t>(r)) ^ i) % out.rows;
    const double variance = variance_of(rows, chosen);
    if (!(variance > 0.0)) continue;
    for (std::size_t k = 0; k < inputs; ++k) {
      const FirstAndTotal found = indices_of(rows, chosen, k, variance);
      first[k].push_back(found.first);
      total[k].push_back(found.total);
    }
  }
  for (std::size_t k = 0; k < inputs; ++k) {
    std::sort(first[k].begin(), first[k].end());
    std::sort(total[k].begin(), total[k].end());
    constexpr double kLow = 0.025, kHigh = 0.975;
    out.of[k].first_low = at_share(first[k], kLow);
    out.of[k].first_high = at_share(first[k], kHigh);
    out.of[k].total_low = at_share(total[k], kLow);
    out.of[k].total_high = at_share(total[k], kHigh);
  }
  return out;
}

double rank_correlation(std::span<const double> a, std::span<const double> b) {
  std::vector<double> x, y;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (std::isfinite(a[i]) && std::isfinite(b[i])) {
      x.push_back(a[i]);
      y.push_back(b[i]);
    }
  if (x.size() < 3) return kNoNumber;
  const std::vector<double> p = ranks(x), q = ranks(y);
  const double middle = 0.5 * static_cast<double>(x.size() - 1);
  double pp = 0.0, qq = 0.0, pq = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    pp += (p[i] - middle) * (p[i] - middle);
    qq += (q[i] - middle) * (q[i] - middle);
    pq += (p[i] - middle) * (q[i] - middle);
  }
  return pp > 0.0 && qq > 0.0 ? pq / std::sqrt(pp * qq) : kNoNumber;
}

Swing swing(std::span<const double> shares, std::span<const double> results) {
  std::vector<double> sorted;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (std::isfinite(results[i])) sorted.push_back(shares[i]);
  if (sorted.size() < 2) return {};
  std::sort(sorted.begin(), sorted.end());
  const std::size_t fifth = (sorted.size() - 1) / 5;
  const double low = sorted[fifth], high = sorted[sorted.size() - 1 - fifth];
  double low_sum = 0.0, high_sum = 0.0, low_count = 0.0, high_count = 0.0;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!std::isfinite(results[i])) continue;
    if (shares[i] <= low) {
      low_sum += results[i];
      ++low_count;
    }
    if (shares[i] >= high) {
      high_sum += results[i];
      ++high_count;
    }
  }
  return {low_sum / low_count, high_sum / high_count};
}

Distribution distribution(std::span<const double> results) {
  std::vector<double> sorted;
  for (const double y : results)
    if (std::isfinite(y)) sorted.push_back(y);
  Distribution out;
  out.count = sorted.size();
  if (sorted.empty()) {
    out.mean = out.sd = out.min = out.low = out.median = out.high = out.max = kNoNumber;
    return out;
  }
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  for (const double y : sorted) out.mean += y / n;
  for (const double y : sorted) out.sd += (y - out.mean) * (y - out.mean);
  out.sd = sorted.size() > 1 ? std::sqrt(out.sd / (n - 1.0)) : 0.0;
  out.min = sorted.front();
  out.max = sorted.back();
  out.low = at_share(sorted, 0.05);
  out.median = at_share(sorted, 0.5);
  out.high = at_share(sorted, 0.95);
  return out;
}

}  // namespace knuckleboom::analysis
