// Values on their way: exactly as late as asked for, and in order.
#include "knuckleboom/core/emulation/delay_line.hpp"

#include <gtest/gtest.h>

namespace knuckleboom::emulation {
namespace {

constexpr double kLineTick = 1e-3;  // s

TEST(DelayLine, IsAsLateAsAskedForInWholeTicks) {
  for (const double late_s : {0.0, 1e-3, 2.2e-3, 10e-3}) {
    DelayLine<1> line{};
    const auto late = static_cast<int>(std::ceil(late_s / kLineTick - 1e-9));
    for (int k = 0; k < 300; ++k) {
      double value[1] = {1.0 * k};
      pass_on({late_s, 0.0}, kLineTick, 1, value, line);
      EXPECT_EQ(value[0], std::max(0, k - late));
    }
    EXPECT_DOUBLE_EQ(mean_delay({late_s, 0.0}, kLineTick), late * kLineTick);
  }
}

TEST(DelayLine, JittersBetweenItsBoundsAndNeverGoesBack) {
  const PathDelay path{3e-3, 2e-3};
  DelayLine<1> line{};
  double last = 0.0, sum = 0.0;
  int least = 100, most = 0;
  for (int k = 0; k < 20000; ++k) {
    double value[1] = {1.0 * k};
    pass_on(path, kLineTick, 7, value, line);
    EXPECT_GE(value[0], last);
    last = value[0];
    if (k < 10) continue;
    const int late = k - static_cast<int>(value[0]);
    least = std::min(least, late);
    most = std::max(most, late);
    sum += late;
  }
  EXPECT_GE(least, 3);
  EXPECT_LE(most, 5);
  EXPECT_NEAR(1e-3 * sum / 19990.0, mean_delay(path, kLineTick), 0.6e-3);
}

}  // namespace
}  // namespace knuckleboom::emulation
