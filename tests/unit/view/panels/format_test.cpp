// Numbers at the edges of their formats.
#include "view/panels/format.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace knuckleboom::view::panels {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Format, carriesSecondsOverToMinutes) {
  EXPECT_EQ(clock_text(0.0), "0:00.0");
  EXPECT_EQ(clock_text(7.44), "0:07.4");
  EXPECT_EQ(clock_text(59.96), "1:00.0");
  EXPECT_EQ(clock_text(3599.99), "60:00.0");
  EXPECT_EQ(clock_text(-1.0), "-");
  EXPECT_EQ(clock_text(kNaN), "-");
}

TEST(Format, showsNoNegativeZero) {
  EXPECT_EQ(bar_text(-1e3), "0");
  EXPECT_EQ(bar_text(182.4e5), "182");
  EXPECT_EQ(joint_text(-0.0001, true), "0.0°");
  EXPECT_EQ(metres_text(-0.001), "0.00 m");
  EXPECT_EQ(flow_text(-1e-6), "0 l/min");
}

TEST(Format, takesUnitsOfTheirSize) {
  EXPECT_EQ(flow_text(1e-3), "60 l/min");
  EXPECT_EQ(joint_text(1.5707963267948966, true), "90.0°");
  EXPECT_EQ(joint_text(1.25, false), "1.25 m");
  EXPECT_EQ(power_text(12345.0), "12.3 kW");
  EXPECT_EQ(microseconds_text(12.4), "12 µs");
  EXPECT_EQ(microseconds_text(999.6), "1.0 ms");
  EXPECT_EQ(microseconds_text(1.5e6), "1.5 s");
  EXPECT_EQ(microseconds_text(kNaN), "-");
}

TEST(Format, placesAValueBetweenItsEnds) {
  EXPECT_FLOAT_EQ(share(15.0, 10.0, 20.0), 0.5F);
  EXPECT_FLOAT_EQ(share(25.0, 10.0, 20.0), 1.0F);
  EXPECT_FLOAT_EQ(share(kNaN, 10.0, 20.0), 0.0F);
  EXPECT_FLOAT_EQ(share(1.0, 1.0, 1.0), 0.0F);
}

}  // namespace
}  // namespace knuckleboom::view::panels
