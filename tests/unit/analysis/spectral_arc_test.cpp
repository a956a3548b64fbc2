#include "knuckleboom/analysis/spectral_arc.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace knuckleboom::spectral_arc_test {
namespace {

constexpr double kRate = 50.0;  // Hz

// Speeds of least-jerk motions of 2 m with rests between them.
std::vector<double> motions(int count, double seconds, double rest_s) {
  std::vector<double> speed(25, 0.0);
  for (int m = 0; m < count; ++m) {
    const int n = static_cast<int>(std::lround(seconds * kRate));
    for (int i = 0; i <= n; ++i) {
      const double s = static_cast<double>(i) / n;
      speed.push_back(2.0 * 30.0 * s * s * (1.0 - s) * (1.0 - s) / seconds);
    }
    speed.insert(speed.end(), static_cast<std::size_t>(rest_s * kRate), 0.0);
  }
  speed.insert(speed.end(), 25, 0.0);
  return speed;
}

double arc(const std::vector<double>& speed) { return analysis::spectral_arc(speed, kRate); }

// Values of the published formula (padding level 4, 10 Hz, threshold 0.05) in numpy.
TEST(SpectralArc, IsThePublishedOne) {
  EXPECT_NEAR(arc(motions(1, 5.0, 0.0)), -1.40249, 1e-4);
  EXPECT_NEAR(arc(motions(1, 2.0, 0.0)), -1.40583, 1e-4);
  EXPECT_NEAR(arc(motions(2, 2.0, 0.5)), -2.77876, 1e-4);
  EXPECT_NEAR(arc(motions(6, 1.0, 1.0)), -7.01471, 1e-3);
}

TEST(SpectralArc, DependsOnTheShapeAlone) {
  const double once = arc(motions(1, 4.0, 0.0));
  for (const double slower : {0.5, 0.75, 1.5, 2.0})
    EXPECT_NEAR(arc(motions(1, 4.0 * slower, 0.0)), once, 0.02) << slower;
  std::vector<double> larger = motions(1, 4.0, 0.0);
  for (double& v : larger) v *= 3.0;
  EXPECT_NEAR(arc(larger), once, 0.01);
}

TEST(SpectralArc, ShakingIsWorse) {
  const double once = arc(motions(1, 4.0, 0.0));
  std::vector<double> shaking = motions(1, 4.0, 0.0);
  for (std::size_t i = 0; i < shaking.size(); ++i)
    if (shaking[i] > 0.2) shaking[i] += 0.1 * std::sin(0.02 * 6.28 * 3.0 * static_cast<double>(i));
  EXPECT_LT(arc(shaking), once - 0.2);
}

TEST(SpectralArc, PausesAtTheEndsDoNotCount) {
  std::vector<double> waited(3000, 0.0);
  const std::vector<double> motion = motions(1, 4.0, 0.0);
  waited.insert(waited.end(), motion.begin(), motion.end());
  waited.insert(waited.end(), 3000, 0.0);
  EXPECT_NEAR(arc(waited), arc(motion), 1e-9);
  EXPECT_TRUE(std::isnan(arc(std::vector<double>(100, 0.0))));
}

}  // namespace
}  // namespace knuckleboom::spectral_arc_test
