#include "knuckleboom/analysis/tip_motion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace knuckleboom::analysis {
namespace {

constexpr std::size_t kStretch = 16384;  // rows that are smoothed at a time
// Periods of the cut-off after which a low-pass has forgotten to the last digit: exp(-2 pi 8 / sqrt 2).
constexpr double kLowPassMemory = 8.0;

bool too_slow(double cutoff_Hz, double dt) { return 4.0 * cutoff_Hz * dt >= 1.0; }

// Delay about sqrt(2)/(2 pi cutoff).
std::vector<Vec3> low_passed(std::vector<Vec3> p, double cutoff_Hz, double dt) {
  if (p.empty() || too_slow(cutoff_Hz, dt)) return p;
  const double k = std::tan(std::numbers::pi * cutoff_Hz * dt);
  const double n = 1.0 / (1.0 + std::numbers::sqrt2 * k + k * k);
  const double b0 = n * k * k, b1 = 2.0 * b0;
  const double a1 = 2.0 * n * (k * k - 1.0), a2 = n * (1.0 - std::numbers::sqrt2 * k + k * k);
  Vec3 s1 = (1.0 - b0) * p.front(), s2 = (b0 - a2) * p.front();
  for (Vec3& x : p) {
    const Vec3 y = b0 * x + s1;
    s1 = b1 * x - a1 * y + s2;
    s2 = b0 * x - a2 * y;
    x = y;
  }
  return p;
}

// Forwards and backwards.
std::vector<Vec3> smoothed(const std::vector<Vec3>& p, double cutoff_Hz, double dt) {
  if (p.size() < 2 || too_slow(cutoff_Hz, dt)) return p;
  // Continued beyond the ends by its mirror image in the end point: no jump of position or speed.
  const auto pad =
      std::min(p.size() - 1, static_cast<std::size_t>(std::ceil(1.0 / (cutoff_Hz * dt))));
  std::vector<Vec3> padded;
  padded.reserve(p.size() + 2 * pad);
  for (std::size_t i = pad; i > 0; --i) padded.emplace_back(2.0 * p.front() - p[i]);
  padded.insert(padded.end(), p.begin(), p.end());
  for (std::size_t i = 1; i <= pad; ++i) padded.emplace_back(2.0 * p.back() - p[p.size() - 1 - i]);
  for (int pass = 0; pass < 2; ++pass) {
    padded = low_passed(std::move(padded), cutoff_Hz, dt);
    std::reverse(padded.begin(), padded.end());
  }
  const auto first = padded.begin() + static_cast<std::ptrdiff_t>(pad);
  return {first, first + static_cast<std::ptrdiff_t>(p.size())};
}

double central_speed(const std::vector<Vec3>& p, std::size_t i, double dt) {
  const std::size_t from = i > 0 ? i - 1 : 0, to = std::min(i + 1, p.size() - 1);
  return from == to ? 0.0 : (p[to] - p[from]).norm() / (dt * static_cast<double>(to - from));
}

}  // namespace

TipMotion::SlowestSecond::SlowestSecond(std::size_t rows, double dt)
    : dt_(dt), least_(std::numeric_limits<double>::infinity()) {
  if (rows < 2) return;
  last_.resize(
      std::min(rows - 1, std::max<std::size_t>(10, static_cast<std::size_t>(1.0 / dt + 0.5))));
}

void TipMotion::SlowestSecond::add(double step_m) {
  double& place = last_[count_ % last_.size()];
  way_ += step_m - place;
  place = step_m;
  if (++count_ >= last_.size()) least_ = std::min(least_, way_);
}

double TipMotion::SlowestSecond::speed() const {
  if (last_.empty() || count_ < last_.size()) return 0.0;
  return std::max(0.0, least_) / (static_cast<double>(last_.size()) * dt_);
}

TipMotion::TipMotion(std::size_t rows, double dt, const Settings& settings)
    : rows_(rows),
      dt_(dt),
      settings_(settings),
      memory_(static_cast<std::size_t>(
          std::ceil(kLowPassMemory / (std::min(settings.way_Hz, settings.speed_Hz) * dt)))),
      way_(rows, dt),
      rest_(rows, dt) {
  stretch_.reserve(std::min(rows, kStretch + 2 * memory_));
  steps_.reserve(rows);
  moves_.reserve(rows);
}

void TipMotion::add(const Vec3& tip) {
  stretch_.push_back(tip);
  const std::size_t count = first_ + stretch_.size();
  if (count == rows_)
    smooth_stretch(true);
  else if (count == done_ + kStretch + memory_)
    smooth_stretch(false);
}

// The noise of the speed is the part removed by the path's smoothing, in the second with the least of it: it
// does not depend on the speed of the crane.
void TipMotion::smooth_stretch(bool is_last) {
  const std::vector<Vec3> way = smoothed(stretch_, settings_.way_Hz, dt_);
  std::vector<Vec3> rest = stretch_;
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= way[i];
  rest = low_passed(std::move(rest), settings_.speed_Hz, dt_);
  const std::vector<Vec3> tip = smoothed(stretch_, settings_.speed_Hz, dt_);
  const std::size_t end = is_last ? rows_ : done_ + kStretch;
  for (; done_ < end; ++done_) {
    const std::size_t i = done_ - first_;
    moves_.push_back(central_speed(tip, i, dt_) >= settings_.moving_m_s);
    steps_.push_back(i > 0 ? (way[i] - way[i - 1]).norm() : 0.0);
    if (i == 0) continue;
    way_.add(steps_.back());
    rest_.add((rest[i] - rest[i - 1]).norm());
  }
  const std::size_t forget = done_ - first_ - std::min(done_ - first_, memory_);
  stretch_.erase(stretch_.begin(), stretch_.begin() + static_cast<std::ptrdiff_t>(forget));
  first_ += forget;
}

// The noise of the path is at most that of the speed, and at most the lowest speed.
TipNoise TipMotion::noise() const { return {std::min(rest_.speed(), way_.speed()), rest_.speed()}; }

}  // namespace knuckleboom::analysis
