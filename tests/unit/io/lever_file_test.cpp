// Lever files and the shaping they describe.

#include "knuckleboom/io/lever_file.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "io_test_support.hpp"

namespace knuckleboom {
namespace {

using command::AxisShape;
using command::LeverAxis;
using command::LeverTarget;
using command::RampLimits;
using test::faults;
using test::joined;
using test::replaced;

AxisShape axis(double dead_zone, double exponent) {
  AxisShape s;
  s.dead_zone = dead_zone;
  s.exponent = exponent;
  return s;
}

TEST(LeverShape, IsZeroInTheDeadZoneAndOneAtTheEnd) {
  const AxisShape s = axis(0.2, 2.0);
  for (const double x : {0.0, 0.1, 0.2, -0.2}) EXPECT_EQ(command::shape(x, s), 0.0);
  EXPECT_GT(command::shape(0.2001, s), 0.0);
  EXPECT_LT(command::shape(0.2001, s), 1e-6);  // no jump at its edge
  EXPECT_EQ(command::shape(1.0, s), 1.0);
  EXPECT_EQ(command::shape(-1.0, s), -1.0);
  EXPECT_DOUBLE_EQ(command::shape(0.6, s), 0.25);
}

TEST(LeverShape, IsOddAndRising) {
  const AxisShape s = axis(0.05, 1.7);
  double last = -2.0;
  for (int i = -100; i <= 100; ++i) {
    const double y = command::shape(0.01 * i, s);
    EXPECT_EQ(y, -command::shape(-0.01 * i, s));
    EXPECT_GE(y, last);
    last = y;
  }
}

TEST(LeverShape, LimitsItsInput) {
  const AxisShape s = axis(0.1, 1.0);
  EXPECT_EQ(command::shape(1.5, s), 1.0);
  EXPECT_EQ(command::shape(-7.0, s), -1.0);
  EXPECT_EQ(command::shape(std::numeric_limits<double>::quiet_NaN(), s), 0.0);
  EXPECT_EQ(command::shape(std::numeric_limits<double>::infinity(), s), 0.0);
}

TEST(LeverShape, FollowsATableWithGainAndSign) {
  AxisShape s = axis(0.0, 3.0);
  s.curve = {{0.0, 0.5, 1.0}, {0.0, 0.1, 1.0}};
  s.gain = 0.8;
  s.sign = -1.0;
  EXPECT_DOUBLE_EQ(command::shape(0.5, s), -0.08);
  EXPECT_DOUBLE_EQ(command::shape(-0.75, s), 0.8 * 0.55);
  EXPECT_DOUBLE_EQ(command::shape(1.0, s), -0.8);
}

TEST(LeverRamp, LimitsRiseAndFall) {
  const RampLimits limits{2.0, 4.0};
  EXPECT_DOUBLE_EQ(command::ramp(1.0, 0.1, limits, 0.0), 0.2);
  EXPECT_DOUBLE_EQ(command::ramp(-1.0, 0.1, limits, 0.0), -0.2);
  EXPECT_DOUBLE_EQ(command::ramp(0.0, 0.1, limits, 1.0), 0.6);
  EXPECT_DOUBLE_EQ(command::ramp(-0.2, 0.1, limits, -1.0), -0.6);
  EXPECT_EQ(command::ramp(0.5, 1.0, limits, 0.0), 0.5);  // does not overshoot
  EXPECT_EQ(command::ramp(0.3, 0.1, limits, 0.3), 0.3);
}

TEST(LeverRamp, FallsBeforeItRisesOnTheOtherSide) {
  const RampLimits limits{2.0, 4.0};
  EXPECT_DOUBLE_EQ(command::ramp(-1.0, 0.1, limits, 1.0), 0.6);
  // 0.05 s down to zero at 4/s, 0.05 s up at 2/s.
  EXPECT_DOUBLE_EQ(command::ramp(-1.0, 0.1, limits, 0.2), -0.1);
  // The result does not depend on how the time is cut.
  double value = 0.2;
  for (int i = 0; i < 100; ++i) value = command::ramp(-1.0, 0.001, limits, value);
  EXPECT_NEAR(value, -0.1, 1e-12);
}

TEST(LeverRamp, ZeroMeansAtOnce) {
  EXPECT_EQ(command::ramp(1.0, 1e-3, {0.0, 1.0}, 0.0), 1.0);
  EXPECT_EQ(command::ramp(0.0, 1e-3, {1.0, 0.0}, 1.0), 0.0);
  EXPECT_EQ(command::ramp(-1.0, 1e-3, {0.0, 0.0}, 1.0), -1.0);
  EXPECT_DOUBLE_EQ(command::ramp(-1.0, 0.1, {2.0, 0.0}, 1.0), -0.2);
}

const char kEverything[] = R"(name = "test"
description = "uses every key"

[default]
dead_zone = 0.1
exponent = 2
rise_per_s = 3
fall_per_s = 6

[[function]]
joint = "swing"
axis = "left_x"
invert = true
full_V = 6
gain = 0.5

[[function]]
tip = "reach"
axis = "left_pedal"
full_mm_per_s = 1500
dead_zone = 0.2

[[function]]
tip = "height"
axis = "right_twist"
full_m_per_s = 1
rise_per_s = 1
)";

std::vector<io::Diagnostic> read(const std::string& text) {
  return faults([&] { io::read_levers_text(text, "l.toml"); });
}

TEST(LeverFile, EveryKeyIsRead) {
  const command::LeverPattern p = io::read_levers_text(kEverything, "l.toml").pattern;
  EXPECT_EQ(p.name, "test");
  EXPECT_EQ(p.description, "uses every key");
  ASSERT_EQ(p.functions.size(), 3u);
  EXPECT_EQ(p.functions[0].target, LeverTarget::kJoint);
  EXPECT_EQ(p.functions[0].joint, "swing");
  EXPECT_EQ(p.functions[0].axis, LeverAxis::kLeftX);
  EXPECT_EQ(p.functions[0].full, 6.0);
  EXPECT_EQ(p.functions[0].shape.sign, -1.0);
  EXPECT_EQ(p.functions[0].shape.gain, 0.5);
  EXPECT_EQ(p.functions[0].shape.dead_zone, 0.1);
  EXPECT_EQ(p.functions[0].shape.exponent, 2.0);
  EXPECT_EQ(p.functions[0].ramp.rise_per_s, 3.0);
  EXPECT_EQ(p.functions[0].ramp.fall_per_s, 6.0);
  EXPECT_EQ(p.functions[1].target, LeverTarget::kTipReach);
  EXPECT_EQ(p.functions[1].axis, LeverAxis::kLeftPedal);
  EXPECT_EQ(p.functions[1].full, 1.5);
  EXPECT_EQ(p.functions[1].shape.dead_zone, 0.2);
  EXPECT_EQ(p.functions[1].shape.sign, 1.0);
  EXPECT_EQ(p.functions[2].target, LeverTarget::kTipHeight);
  EXPECT_EQ(p.functions[2].ramp.rise_per_s, 1.0);
}

TEST(LeverFile, AFunctionsCurveReplacesTheDefaultExponent) {
  const std::string text =
      replaced(kEverything, "gain = 0.5", "curve = [[0, 0], [0.5, 0.2], [1, 1]]");
  EXPECT_EQ(io::read_levers_text(text, "l.toml").pattern.functions[0].shape.curve.x.size(), 3u);
}

struct BadInput {
  const char* from;
  const char* to;
  const char* fragment;
  const char* marker;
};

TEST(LeverFile, ErrorsAreToldWithTheirPlace) {
  const BadInput inputs[] = {
      {"full_V = 6", "ful_V = 6", "has no key 'ful_V'; did you mean 'full_V'?", "ful_V"},
      {"full_V = 6", "full_m_per_s = 6", "is not a unit of 'full', which is a voltage",
       "full_m_per_s = 6"},
      {"full_V = 6\n", "", "the function of 'swing' lacks 'full'", "[[function]]"},
      {"axis = \"left_x\"", "axis = \"left_z\"", "did you mean 'left_x'?", "left_z"},
      {"axis = \"left_pedal\"", "axis = \"left_x\"", "two functions are on the same lever axis",
       "[[function]]\ntip = \"reach\""},
      {"tip = \"height\"", "tip = \"reach\"", "two functions move 'tip reach'",
       "[[function]]\ntip = \"reach\"\naxis = \"right"},
      {"tip = \"reach\"", "tip = \"reach\"\njoint = \"boom\"", "moves either a joint or the tip",
       "[[function]]\ntip"},
      {"dead_zone = 0.1", "dead_zone = 1", "it must be at least 0 and at most 0.9",
       "dead_zone = 1"},
      {"exponent = 2", "exponent = nan", "must be a finite number", "exponent"},
      {"exponent = 2", "curve = [[0, 0], [0.5, 0.7], [1, 0.6]]", "'curve' falls at x = 1", "curve"},
      {"exponent = 2", "curve = [[0, 0.1], [1, 1]]", "must start at [0, 0]", "curve"},
      {"exponent = 2", "curve = [[0, 0], [1]]", "must be a pair", "curve"},
      {"exponent = 2", "curve = [[0, 0], [0, 1]]", "the x of 'curve' must increase", "curve"},
      {"gain = 0.5", "curve = [[0, 0], [1, 1]]\nexponent = 2", "has an 'exponent' and a 'curve'",
       "curve"},
  };
  for (const BadInput& input : inputs) {
    const std::string text = replaced(kEverything, input.from, input.to);
    ASSERT_FALSE(text.empty()) << input.from;
    const auto found = read(text);
    ASSERT_FALSE(found.empty()) << input.to;
    EXPECT_NE(joined(found).find(input.fragment), std::string::npos) << joined(found);
    EXPECT_EQ(found[0].line, test::line_of(text, input.marker)) << joined(found);
  }
}

TEST(LeverFile, NeedsFunctions) {
  EXPECT_NE(joined(read("name = \"none\"")).find("has no functions"), std::string::npos);
  EXPECT_NE(joined(read("")).find("the file is empty; expected a lever file"), std::string::npos);
}

}  // namespace
}  // namespace knuckleboom
