// Oscillations that last, grow, die away or are none, against the time in which they must be found.
#include "knuckleboom/core/emulation/swing_watch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include "knuckleboom/core/math/hash.hpp"

namespace knuckleboom::emulation {
namespace {

constexpr double kSwingTick = 1e-3;  // s
constexpr SwingLimits kSwingLimits{2e-4, 0.5};

struct FoundSwing {
  double after_s = -1.0;  // -1: never
  double frequency_Hz = 0.0;
};

FoundSwing find_swing(double duration_s, const std::function<double(double)>& signal) {
  SwingState state{};
  for (std::int64_t k = 0; static_cast<double>(k) * kSwingTick < duration_s; ++k) {
    const double t = static_cast<double>(k) * kSwingTick;
    const double Hz = watch_swing(kSwingLimits, signal(t), k, kSwingTick, state);
    if (Hz > 0.0) return {t, Hz};
  }
  return {};
}

double swing_wave(double frequency_Hz, double t) {
  return std::sin(2.0 * std::numbers::pi * frequency_Hz * t);
}

// 0.65 mm at 94 Hz pass unnoticed by limits of force and tip error.
TEST(SwingWatch, FindsWhatLastsWithinThreePeriods) {
  for (const double Hz : {1.5, 3.0, 7.0, 20.0, 60.0, 94.0, 190.0}) {
    const FoundSwing found =
        find_swing(10.0, [Hz](double t) { return 3.25e-4 * swing_wave(Hz, t) + 1e-4 * t; });
    EXPECT_GT(found.after_s, 0.0) << Hz;
    EXPECT_LE(found.after_s, std::max(3.0 / Hz, 0.05) + kSwingTick) << Hz;
    EXPECT_NEAR(found.frequency_Hz, Hz, 0.15 * Hz);
  }
}

TEST(SwingWatch, FindsWhatGrowsOnceItIsLargeEnough) {
  for (const double Hz : {5.0, 40.0, 94.0}) {
    // Threefold in ten periods.
    const auto size = [Hz](double t) { return 1e-6 * std::exp(std::log(3.0) * Hz * t / 10.0); };
    const FoundSwing found =
        find_swing(20.0, [&](double t) { return size(t) * swing_wave(Hz, t); });
    ASSERT_GT(found.after_s, 0.0) << Hz;
    const double large_enough_s =
        std::log(kSwingLimits.least / 2.0 / 1e-6) / std::log(3.0) * 10.0 / Hz;
    EXPECT_LE(found.after_s, large_enough_s + std::max(3.5 / Hz, 0.05)) << Hz;
  }
}

// An impact rings: a hundredth of critical damping, from ten times the limit.
TEST(SwingWatch, LetsDieWhatDies) {
  for (const double Hz : {2.0, 20.0, 60.0}) {
    const double decay = 0.015 * 2.0 * std::numbers::pi * Hz;
    EXPECT_LT(
        find_swing(20.0, [&](double t) { return 2e-3 * std::exp(-decay * t) * swing_wave(Hz, t); })
            .after_s,
        0.0)
        << Hz;
  }
}

TEST(SwingWatch, TakesNoNoiseNoStepsAndNothingSlowForAnOscillation) {
  EXPECT_LT(find_swing(100.0,
                       [](double t) {
                         return 1e-5 * gaussian(static_cast<std::uint64_t>(t / kSwingTick));
                       })
                .after_s,
            0.0);
  EXPECT_LT(find_swing(100.0, [](double t) { return 0.01 * std::floor(t); }).after_s, 0.0);
  EXPECT_LT(find_swing(100.0, [](double t) { return 0.01 * swing_wave(0.5, t); }).after_s, 0.0);
}

}  // namespace
}  // namespace knuckleboom::emulation
