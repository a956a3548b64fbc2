// Calibration of one axis against values worked out by hand.

#include "knuckleboom/core/command/lever_setup.hpp"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace knuckleboom::command {
namespace {

TEST(AxisCalibration, isStraightOnEachSideOfAnOffCentreRest) {
  const AxisCalibration c{-20000, 2000, 30000, 0};
  EXPECT_DOUBLE_EQ(calibrated(2000, c), 0.0);
  EXPECT_DOUBLE_EQ(calibrated(30000, c), 1.0);
  EXPECT_DOUBLE_EQ(calibrated(-20000, c), -1.0);
  EXPECT_DOUBLE_EQ(calibrated(16000, c), 0.5);   // 14000 of 28000
  EXPECT_DOUBLE_EQ(calibrated(-9000, c), -0.5);  // 11000 of 22000
}

TEST(AxisCalibration, stopsAtTheEndsThatWereSeen) {
  const AxisCalibration c{-20000, 2000, 30000, 0};
  EXPECT_DOUBLE_EQ(calibrated(kRawMax, c), 1.0);
  EXPECT_DOUBLE_EQ(calibrated(kRawMin, c), -1.0);
}

TEST(AxisCalibration, startsAtZeroAtTheEdgeOfTheNoise) {
  const AxisCalibration c{-10000, 0, 10000, 500};
  EXPECT_EQ(calibrated(500, c), 0.0);
  EXPECT_EQ(calibrated(-500, c), 0.0);
  EXPECT_DOUBLE_EQ(calibrated(501, c), 1.0 / 9500.0);
  EXPECT_DOUBLE_EQ(calibrated(-501, c), -1.0 / 9500.0);
  EXPECT_DOUBLE_EQ(calibrated(10000, c), 1.0);
}

TEST(AxisCalibration, neverFallsAndStaysWithinOne) {
  const AxisCalibration c{-25000, -3000, 31000, 700};
  double before = -1.0;
  for (int raw = kRawMin; raw <= kRawMax; ++raw) {
    const double value = calibrated(raw, c);
    ASSERT_GE(value, before) << raw;
    ASSERT_LE(std::abs(value), 1.0) << raw;
    before = value;
  }
}

TEST(AxisCalibration, ofATriggerHasOneSide) {
  const AxisCalibration c{kRawMin, kRawMin, kRawMax, 0};
  EXPECT_EQ(calibrated(kRawMin, c), 0.0);
  EXPECT_EQ(calibrated(kRawMax, c), 1.0);
  EXPECT_NEAR(calibrated(0, c), 0.5, 1e-4);
  const AxisCalibration downwards{0, kRawMax, kRawMax, 0};
  EXPECT_EQ(calibrated(kRawMax, downwards), 0.0);
  EXPECT_EQ(calibrated(0, downwards), -1.0);
}

TEST(AxisCalibration, withoutTravelGivesNothing) {
  EXPECT_EQ(calibrated(100, AxisCalibration{0, 0, 0, 0}), 0.0);
  EXPECT_EQ(calibrated(100, AxisCalibration{-50, 0, 50, 60}), 0.0);
}

TEST(AxisCalibration, isNearTheCentreWithinATenthOfTheTravel) {
  const AxisCalibration c{-10000, 0, 10000, 0};
  EXPECT_TRUE(near_centre(1000, c));
  EXPECT_FALSE(near_centre(1001, c));
  EXPECT_TRUE(near_centre(-1000, c));
  EXPECT_FALSE(near_centre(-1001, c));
}

TEST(LeverAxes, mirrorTwiceToThemselves) {
  std::set<LeverAxis> images;
  for (int i = 0; i < kLeverAxes; ++i) {
    const auto axis = static_cast<LeverAxis>(i);
    EXPECT_EQ(mirrored(mirrored(axis)), axis);
    EXPECT_NE(mirrored(axis), axis);
    EXPECT_NE(name_of(axis).substr(0, 4), name_of(mirrored(axis)).substr(0, 4));
    images.insert(mirrored(axis));
  }
  EXPECT_EQ(images.size(), static_cast<std::size_t>(kLeverAxes));
}

}  // namespace
}  // namespace knuckleboom::command
