#include "coach/advice.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "knuckleboom/core/math/arrays.hpp"
#include "language/text.hpp"

namespace knuckleboom::coach {
namespace {

constexpr double kQuantile = 0.8416212335729143;  // of the normal distribution, 80 %
constexpr int kResamples = 400;
constexpr double kConfidence = 0.8;
constexpr double kGood = 0.5;  // of the way from the best value to the threshold: praise

double median(std::vector<double>& values) {
  const std::size_t half = values.size() / 2;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

// The same sequence everywhere, unlike the library's distributions.
class Draw {
 public:
  std::size_t below(std::size_t count) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::size_t>((state_ >> 11) % count);
  }

 private:
  std::uint64_t state_ = 0x9e3779b97f4a7c15ULL;
};

// A figure well within the threshold, as far as it can be told.
bool is_good(const Rule& rule, double outer) {
  if (rule.below) return outer > rule.threshold + kGood * rule.threshold;
  return outer < kGood * rule.threshold;
}

std::vector<double> worst(std::vector<Occasion> occasions, bool below) {
  std::erase_if(occasions, [](const Occasion& one) { return !one.counts; });
  std::stable_sort(occasions.begin(), occasions.end(), [below](const auto& a, const auto& b) {
    if (a.lost_s != b.lost_s) return a.lost_s > b.lost_s;
    return below ? a.value < b.value : a.value > b.value;
  });
  if (occasions.size() > kMostMarks) occasions.resize(kMostMarks);
  std::vector<double> marks_s;
  for (const Occasion& one : occasions) marks_s.push_back(one.begin_s);
  std::sort(marks_s.begin(), marks_s.end());
  return marks_s;
}

Finding look_at(Habit habit, const std::vector<Occasion>& occasions, const Told& told) {
  const Rule& rule = rule_of(habit);
  Finding out;
  out.habit = habit;
  if (!rule.off.empty()) return out;
  out.missing = signal_names(rule.needs & ~told.signals);
  out.verdict = Verdict::kNotFed;
  if (!out.missing.empty()) return out;
  out.occasions = static_cast<int>(occasions.size());
  std::vector<double> values;
  for (const Occasion& one : occasions) {
    out.counted += one.counts ? 1 : 0;
    out.lost_s += one.lost_s;
    values.push_back(one.value);
  }
  out.verdict = Verdict::kTooFew;
  if (out.occasions < kLeastOccasions) return out;
  const bool share = rule.measure == Measure::kShare;
  const auto bound = [&](int side) {
    return share ? share_bound(out.counted, out.occasions, side) : median_bound(values, side);
  };
  const int inner = rule.below ? 1 : -1;
  out.bound = bound(inner);
  out.figure = share ? static_cast<double>(out.counted) / out.occasions : median(values);
  const bool beyond = rule.below ? out.bound < rule.threshold : out.bound > rule.threshold;
  out.verdict = beyond                         ? Verdict::kAdvised
                : is_good(rule, bound(-inner)) ? Verdict::kPraised
                                               : Verdict::kQuiet;
  if (beyond) out.marks_s = worst(occasions, rule.below);
  return out;
}

// Seconds that the habit would have cost at its threshold.
double at_stake(const Finding& finding) {
  const Rule& rule = rule_of(finding.habit);
  return rule.cost_s * finding.occasions * (rule.measure == Measure::kShare ? rule.threshold : 1.0);
}

}  // namespace

double share_bound(int counted, int occasions, int side) {
  const double n = occasions, p = counted / n, z = kQuantile;
  const double middle = p + z * z / (2.0 * n);
  const double half = z * std::sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n));
  return (middle + side * half) / (1.0 + z * z / n);
}

double median_bound(std::vector<double> values, int side) {
  Draw draw;
  std::vector<double> medians, sample(values.size());
  for (int i = 0; i < kResamples; ++i) {
    for (double& one : sample) one = values[draw.below(values.size())];
    medians.push_back(median(sample));
  }
  const double at = side < 0 ? 1.0 - kConfidence : kConfidence;
  const auto place = medians.begin() + std::lround(at * (kResamples - 1));
  std::nth_element(medians.begin(), place, medians.end());
  return *place;
}

Advice advise(const Occasions& occasions, const Told& told) {
  Advice out;
  for (int i = 0; i < kHabits; ++i)
    out.findings.push_back(look_at(static_cast<Habit>(i), nth(occasions, i), told));
  return out;
}

std::vector<const Finding*> Advice::said() const {
  std::vector<const Finding*> out;
  for (const Finding& one : findings)
    if (one.verdict == Verdict::kAdvised) out.push_back(&one);
  std::stable_sort(out.begin(), out.end(),
                   [](const Finding* a, const Finding* b) { return a->lost_s > b->lost_s; });
  if (out.size() > kMostAdvice) out.resize(kMostAdvice);
  return out;
}

const Finding* Advice::praise() const {
  const Finding* best = nullptr;
  for (const Finding& one : findings)
    if (one.verdict == Verdict::kPraised && (best == nullptr || at_stake(one) > at_stake(*best)))
      best = &one;
  return best;
}

std::string advice_text(const Finding& finding) {
  const Rule& rule = rule_of(finding.habit);
  if (finding.verdict == Verdict::kPraised) return tr(rule.praise);
  const auto seconds = std::lround(finding.lost_s);
  const std::string english(rule.advice),
      lost = seconds < 60 ? fmt::format("{} s", seconds)
                          : fmt::format("{}:{:02} min", seconds / 60, seconds % 60);
  const auto percent = std::lround(100.0 * finding.figure);
  return language::formatted(
      english.c_str(), tr(english.c_str()),
      fmt::make_format_args(finding.counted, finding.occasions, percent, lost));
}

}  // namespace knuckleboom::coach
