// Lever files: every key is read, every error is reported with its place.

#include "knuckleboom/io/lever_file.hpp"

#include <numbers>

#include <gtest/gtest.h>

#include "io_test_support.hpp"

namespace knuckleboom::lever_file_test {
namespace {

using command::LeverAxis;
using command::LeverTarget;
using test::faults;
using test::joined;
using test::replaced;

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

[[function]]
joint = "rotator"
axis = "right_x"
full_V = 8
full_rate_deg_per_s = 90

[[function]]
grapple = "close"
axis = "right_rocker"
full = 0.5

[[function]]
wheels = "brake"
axis = "right_pedal"
full = 1

[[mode]]
name = "drive"
right_x = "right_pedal"

[[button]]
button = "left_1"
does = "service_brake"
how = "hold"
mode = "drive"

[[button]]
button = "left_1"
does = "high_gear"
how = "press_on"
mode = "crane"

[[button]]
button = "panel_8"
does = "lever_mode"
)";

std::vector<io::Diagnostic> read(const std::string& text) {
  return faults([&] { io::read_levers_text(text, "l.toml"); });
}

TEST(LeverFile, ModesAndButtonsAreRead) {
  const command::LeverPattern p = io::read_levers_text(kEverything, "l.toml").pattern;
  EXPECT_EQ(p.functions[5].target, LeverTarget::kBrake);
  ASSERT_EQ(p.mode_count(), 2);
  EXPECT_EQ(p.acts_as(LeverAxis::kRightX, 0), LeverAxis::kRightX);
  EXPECT_EQ(p.acts_as(LeverAxis::kRightX, 1), LeverAxis::kRightPedal);
  EXPECT_EQ(p.acts_as(LeverAxis::kLeftX, 1), LeverAxis::kLeftX);
  ASSERT_EQ(p.buttons.size(), 3u);
  EXPECT_EQ(p.buttons[0].how, command::ButtonKind::kHold);
  EXPECT_EQ(p.buttons[0].mode, 1);
  EXPECT_EQ(p.buttons[1].does, command::Switch::kHighGear);
  EXPECT_EQ(p.buttons[1].mode, 0);
  EXPECT_EQ(p.buttons[2].button, command::LeverButton::kPanel8);
  EXPECT_EQ(p.buttons[2].mode, -1);
}

TEST(LeverFile, AButtonHasOneMeaningInAMode) {
  const std::string text = kEverything;
  EXPECT_NE(joined(read(replaced(text, "mode = \"crane\"", "mode = \"drive\"")))
                .find("button 'left_1' has two meanings in mode 'drive'; give one of them another"),
            std::string::npos);
  EXPECT_NE(joined(read(replaced(text, "mode = \"crane\"\n", "")))
                .find("button 'left_1' has two meanings in mode 'drive'"),
            std::string::npos);
  EXPECT_NE(joined(read(replaced(text, "mode = \"crane\"", "mode = \"driv\"")))
                .find("there is no mode 'driv'; did you mean 'drive'?"),
            std::string::npos);
  EXPECT_NE(joined(read(replaced(text, "right_x = \"right_pedal\"", "right_x = \"left_y\"")))
                .find("no function is on 'left_y', so 'right_x' would do nothing in mode 'drive'"),
            std::string::npos);
  EXPECT_NE(joined(read(replaced(text, "name = \"drive\"", "name = \"crane\"")))
                .find("there is a mode 'crane' already"),
            std::string::npos);
}

TEST(LeverFile, EveryKeyIsRead) {
  const command::LeverPattern p = io::read_levers_text(kEverything, "l.toml").pattern;
  EXPECT_EQ(p.name, "test");
  EXPECT_EQ(p.description, "uses every key");
  ASSERT_EQ(p.functions.size(), 6u);
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
  EXPECT_EQ(p.functions[0].full_rate, 0.0);
  EXPECT_DOUBLE_EQ(p.functions[3].full_rate, 0.5 * std::numbers::pi);
  EXPECT_TRUE(p.functions[3].full_rate_is_angular);
  EXPECT_EQ(p.functions[4].target, LeverTarget::kGrapple);
  EXPECT_EQ(p.functions[4].axis, LeverAxis::kRightRocker);
  EXPECT_EQ(p.functions[4].full, 0.5);
}

TEST(LeverFile, AFullRateMayBeThatOfASlide) {
  const std::string text =
      replaced(kEverything, "full_rate_deg_per_s = 90", "full_rate_mm_per_s = 300");
  const command::LeverFunction f = io::read_levers_text(text, "l.toml").pattern.functions[3];
  EXPECT_DOUBLE_EQ(f.full_rate, 0.3);
  EXPECT_FALSE(f.full_rate_is_angular);
}

TEST(LeverFile, AFunctionsCurveReplacesTheDefaultExponent) {
  const std::string text =
      replaced(kEverything, "gain = 0.5", "curve = [[0, 0], [0.5, 0.2], [1, 1]]");
  EXPECT_EQ(io::read_levers_text(text, "l.toml").pattern.functions[0].shape.curve.x.size(), 3u);
}

// All else stays as it was written.
TEST(LeverFile, TakesStartCommandsIntoItsText) {
  const std::string plain =
      "# mine\nname = \"t\"\n\n[[function]]\njoint = \"boom\"\naxis = \"left_y\"\nfull_V = 10  # "
      "all\n"
      "\n[[function]]\naxis = \"left_x\"\nfull_V = 5\nstart_V = [0.1, 0.2]\njoint = \"swing\"\n";
  const std::vector<io::LeverStart> starts = {{"swing", {0.624, 0.616}}, {"boom", {0.7, 0.75}}};
  const std::string tuned = io::with_starts(plain, "l.toml", starts);
  EXPECT_EQ(
      tuned,
      "# mine\nname = \"t\"\n\n[[function]]\njoint = \"boom\"\naxis = \"left_y\"\nfull_V = 10  # "
      "all\nstart_V = [0.70, 0.75]\n\n[[function]]\naxis = \"left_x\"\nfull_V = 5\nstart_V = "
      "[0.62, "
      "0.62]\njoint = \"swing\"\n");
  EXPECT_EQ(io::with_starts(tuned, "l.toml", starts), tuned);
  const std::string jaws =
      "name = \"t\"\n\n[[function]]\ngrapple = \"close\"\naxis = \"right_rocker\"\nfull = 1\n";
  EXPECT_EQ(io::with_starts(jaws, "l.toml", std::vector<io::LeverStart>{{"", {0.8, 0.75}}}),
            jaws + "start_V = [0.80, 0.75]\n");
  EXPECT_THROW(
      io::with_starts("name = \"t\"\nfunction = [{joint = \"boom\", axis = \"left_y\", full_V = "
                      "10}]\n",
                      "l.toml", std::vector<io::LeverStart>{{"boom", {1, 1}}}),
      io::FileError);
}

// The operator's own settings, in the text; what is not his stays as it was written.
TEST(LeverFile, TakesAnOperatorsSettingsIntoItsText) {
  const std::string plain =
      "# mine\nname = \"t\"\n\n[default]\ndead_zone = 0.04\ncurve = [[0, 0], [0.5, 0.2], [1, 1]]\n"
      "rise_per_s = 2.5\n\n[[function]]\njoint = \"boom\"\naxis = \"left_y\"\nfull_V = 10  # all\n"
      "dead_zone = 0.1\nstart_V = [0.4, 0.5]\n\n[[function]]\naxis = \"left_x\"\nfull_V = 5\n"
      "joint = \"swing\"\n";
  io::LeverChange boom, swing;
  boom.dead_zone = 0.08;
  boom.exponent = 2.0;
  boom.start_V = 0.7;
  swing.function = 1;
  swing.gain_times = 0.6;
  swing.ramps_times = 0.5;
  const std::string text = io::with_changes(plain, "l.toml", std::vector{boom, swing});
  EXPECT_EQ(
      text,
      "# mine\nname = \"t\"\n\n[default]\ndead_zone = 0.04\ncurve = [[0, 0], [0.5, 0.2], [1, 1]]\n"
      "rise_per_s = 2.5\n\n[[function]]\ndead_zone = 0.08\nexponent = 2\nstart_V = [0.7, 0.7]\n"
      "joint = \"boom\"\naxis = \"left_y\"\nfull_V = 10  # all\n\n[[function]]\ngain = 0.6\n"
      "rise_per_s = 1.25\naxis = \"left_x\"\nfull_V = 5\njoint = \"swing\"\n");
  const command::LeverPattern pattern = io::read_levers_text(text, "l.toml").pattern;
  // Half of the travel beyond the dead zone, squared.
  EXPECT_NEAR(command::shape(0.54, pattern.functions[0].shape), 0.25, 1e-12);
  EXPECT_NEAR(command::shape(1.0, pattern.functions[1].shape), 0.6, 1e-12);
  EXPECT_EQ(io::with_changes(plain, "l.toml", {}), plain);
  // Believed only when it reads back.
  EXPECT_THROW(io::with_changes("name = \"t\"\nfunction = [{joint = \"boom\", axis = \"left_y\", "
                                "full_V = 10}]\n",
                                "l.toml", std::vector{boom}),
               io::FileError);
  boom.start_V = 12.0;  // more than at full lever
  EXPECT_THROW(io::with_changes(plain, "l.toml", std::vector{boom}), io::FileError);
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
      {"tip = \"reach\"", "tip = \"reach\"\njoint = \"boom\"",
       "moves either a joint, the tip, the grapple, the wheels or the head", "[[function]]\ntip"},
      {"grapple = \"close\"\n", "",
       "moves either a joint, the tip, the grapple, the wheels or the head", "[[function]]\naxis"},
      {"grapple = \"close\"", "grapple = \"open\"", "close", "grapple"},
      {"full = 0.5", "full = 1.5", "at most 1", "full = 1.5"},
      {"full_mm_per_s = 1500", "full_mm_per_s = 1500\nstart_V = [1, 1]",
       "which is of joints and the grapple only", "start_V"},
      {"full_V = 6", "full_V = 6\nstart_V = [1, 6]", "starts at 6 V, not below its 6 V", "start_V"},
      {"full_V = 6", "full_V = 6\nfull_negative_V = 2\nstart_V = [1, 3]", "not below its 2 V",
       "start_V"},
      {"full_V = 6", "full_V = 6\nstart_V = [1]", "2", "start_V"},
      {"full = 0.5", "full_V = 0.5", "has no key 'full_V'", "full_V = 0.5"},
      {"full_rate_deg_per_s = 90", "full_rate_deg_per_s = 0", "above 0", "full_rate"},
      {"full_rate_deg_per_s = 90", "full_rate = 90", "full_rate", "full_rate = 90"},
      {"full_mm_per_s = 1500", "full_mm_per_s = 1500\nfull_rate_m_per_s = 1", "is not known",
       "full_rate_m_per_s"},
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
  EXPECT_NE(joined(read("name = \"none\"")).find("lacks 'function'; add at least one [[function]]"),
            std::string::npos);
  EXPECT_NE(joined(read("")).find("the file is empty; expected a lever file"), std::string::npos);
}

}  // namespace
}  // namespace knuckleboom::lever_file_test
