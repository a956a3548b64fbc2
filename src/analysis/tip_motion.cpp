#include "knuckleboom/analysis/tip_motion.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <utility>

namespace knuckleboom::analysis {
namespace {

bool too_slow(double cutoff_Hz, double dt) { return 4.0 * cutoff_Hz * dt >= 1.0; }

// Mean speed; ten steps at least.
double speed_in_slowest_second(const std::vector<Vec3>& p, double dt) {
  if (p.size() < 2) return 0.0;
  const std::size_t steps =
      std::min(p.size() - 1, std::max<std::size_t>(10, static_cast<std::size_t>(1.0 / dt + 0.5)));
  double way = 0.0, least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < p.size(); ++i) {
    way += (p[i] - p[i - 1]).norm();
    if (i < steps) continue;
    least = std::min(least, way);
    way -= (p[i + 1 - steps] - p[i - steps]).norm();
  }
  return std::max(0.0, least) / (static_cast<double>(steps) * dt);
}

}  // namespace

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

// The noise of the speed is the part removed by the path's smoothing, in the second with the least
// of it: it does not depend on the speed of the crane. The noise of the path is at most that, and
// at most the lowest speed.
TipNoise tip_noise(const std::vector<Vec3>& p, double way_Hz, double speed_Hz, double dt) {
  const std::vector<Vec3> way = smoothed(p, way_Hz, dt);
  std::vector<Vec3> rest = p;
  for (std::size_t i = 0; i < p.size(); ++i) rest[i] -= way[i];
  const double speed = speed_in_slowest_second(low_passed(std::move(rest), speed_Hz, dt), dt);
  return {std::min(speed, speed_in_slowest_second(way, dt)), speed};
}

}  // namespace knuckleboom::analysis
