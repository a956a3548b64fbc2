#include "knuckleboom/analysis/spectral_arc.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>

#include <unsupported/Eigen/FFT>

#include "knuckleboom/core/training/legs.hpp"
#include "knuckleboom/core/training/scorer.hpp"

namespace knuckleboom::analysis {
namespace {

constexpr double kHighestHz = 10.0;      // what is faster is noise
constexpr double kThreshold = 0.05;      // of the largest amplitude; the spectrum ends below it
constexpr std::size_t kPadding = 16;     // times as many samples, by zeros
constexpr double kMotionBegins = 0.01;   // m/s
constexpr double kLongestLeg_s = 600.0;  // what is longer is no movement that a spectrum describes

// From the first motion to the last, with a sample before and after.
std::vector<double> moving_part(const std::vector<double>& speed) {
  const auto moves = [](double v) { return v > kMotionBegins; };
  const auto first = std::find_if(speed.begin(), speed.end(), moves);
  const auto last = std::find_if(speed.rbegin(), speed.rend(), moves).base();
  if (first == speed.end()) return {};
  return {first == speed.begin() ? first : first - 1, last == speed.end() ? last : last + 1};
}

}  // namespace

double spectral_arc(const std::vector<double>& speed, double rate_Hz) {
  std::vector<double> padded = moving_part(speed);
  if (padded.empty() || static_cast<double>(padded.size()) > kLongestLeg_s * rate_Hz)
    return std::numeric_limits<double>::quiet_NaN();
  std::size_t size = 1;
  while (size < padded.size()) size *= 2;
  padded.resize(kPadding * size, 0.0);
  std::vector<std::complex<double>> spectrum;
  Eigen::FFT<double> transform;
  transform.fwd(spectrum, padded);
  const double step_Hz = rate_Hz / static_cast<double>(padded.size());
  std::vector<double> amplitude;
  for (std::size_t i = 0; i < spectrum.size() / 2 && static_cast<double>(i) * step_Hz <= kHighestHz;
       ++i)
    amplitude.push_back(std::abs(spectrum[i]));
  const double largest = *std::max_element(amplitude.begin(), amplitude.end());
  std::size_t end = amplitude.size();
  while (end > 1 && amplitude[end - 1] < kThreshold * largest) --end;
  std::size_t begin = 0;
  while (amplitude[begin] < kThreshold * largest) ++begin;
  if (end - begin < 2) return 0.0;
  const double part = 1.0 / static_cast<double>(end - 1 - begin);
  double length = 0.0;
  for (std::size_t i = begin + 1; i < end; ++i)
    length += std::hypot(part, (amplitude[i] - amplitude[i - 1]) / largest);
  return -length;
}

double spectral_arc(const LogObservations& log) {
  training::ScoreState state{};
  std::vector<double> speeds;
  std::size_t released = 0;  // samples at the last release
  double sum = 0.0, weight = 0.0, left_out = 0.0;
  const auto end_leg = [&](double straight_m, bool at_release) {
    const auto end =
        speeds.begin() + static_cast<std::ptrdiff_t>(at_release ? released : speeds.size());
    const std::vector<double> leg(speeds.begin(), end);
    speeds.erase(speeds.begin(), end);
    released = 0;
    const double value = spectral_arc(leg, 1.0 / training::kLegSample);
    const bool whole = state.legs.left_out == left_out;
    left_out = state.legs.left_out;
    if (!std::isfinite(value) || !whole || !(straight_m > 0.0)) return;
    sum += straight_m * value;
    weight += straight_m;
  };
  std::int64_t samples = 0;
  training::Observation last{};
  visit_rows(log, [&](std::size_t i, const training::Observation& row) {
    last = row;
    if (i == 0) {
      training::set_start(row, state);
      samples = state.motion.samples;
      return;
    }
    const double legs = state.score.legs, shortest = state.score.shortest_m;
    const bool was_held = state.cycle.held >= 0;
    training::gather(log.free, row, state);
    // Slower rows have several samples of one speed; such a log is not judged for smoothness.
    for (; samples < state.motion.samples; ++samples) speeds.push_back(state.motion.speed[0]);
    if (was_held && row.held < 0) released = speeds.size();
    if (state.score.legs > legs) end_leg(state.score.shortest_m - shortest, false);
    while (state.score.legs < row.legs) {
      const bool at_release = training::ends_at_release(row.held >= 0, state.legs);
      const double before = state.score.shortest_m;
      training::end_leg(state);
      end_leg(state.score.shortest_m - before, at_release);
    }
  });
  const double legs = state.score.legs;
  const double straight = std::max(training::straight_leg(last.tip_W, state), training::kLegSample);
  training::finish(log.free, log.end_s, state);
  if (state.score.legs > legs) end_leg(straight, false);
  return weight > 0.0 ? sum / weight : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace knuckleboom::analysis
