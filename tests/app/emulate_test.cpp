// knuckleboom emulate, end to end: figures of the shipped emulations, the schemes, and what is refused.

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "support/paths.hpp"

namespace knuckleboom::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A number of the JSON summary.
double number(const std::string& json, const std::string& name) {
  const std::size_t at = json.find("\"" + name + "\"");
  EXPECT_NE(at, std::string::npos) << name;
  return at == std::string::npos ? 0.0 : std::stod(json.substr(json.find(':', at) + 1));
}

std::string summary_of(std::vector<std::string> arguments) {
  const TemporaryFolder folder;
  const std::string file = (folder / "s.json").string();
  arguments.insert(arguments.begin(), "emulate");
  arguments.insert(arguments.end(), {"--summary", file});
  EXPECT_EQ(run(arguments).status, 0);
  return content_of(file);
}

// The peg goes in from 3 mm and 1 degree off, and the loop puts no energy in, over four decades of stiffness.
TEST(Emulate, PegGoesInAndContactStaysPassive) {
  for (const char* stiffness : {"1e5", "1e6", "1e7"}) {
    const std::string json = summary_of({"peg_in_hole", "--stiffness", stiffness});
    EXPECT_LT(number(json, "generated_share"), 0.01) << stiffness;
    EXPECT_LT(number(json, "force_error"), 0.05) << stiffness;
    EXPECT_EQ(number(json, "growth"), 0.0) << stiffness;
    EXPECT_GT(number(json, "depth_m"), 0.0499) << stiffness;
    EXPECT_NEAR(number(json, "force_N"), 100.0, 2.0) << stiffness;
  }
}

TEST(Emulate, PlaneIsPressedByTwiceTheForce) {
  for (const char* stiffness : {"1e3", "1e7"}) {
    const std::string json = summary_of({"peg_on_plane", "--stiffness", stiffness});
    EXPECT_LT(number(json, "generated_share"), 0.01) << stiffness;
    EXPECT_LT(number(json, "force_error"), 0.05) << stiffness;
    EXPECT_EQ(number(json, "growth"), 0.0) << stiffness;
  }
}

// As the paper says: tracking the position goes unstable in contact, where the acceleration does not.
TEST(Emulate, PositionSchemeIsUnstableInStiffContact) {
  const std::vector<std::string> plane = {"peg_on_plane", "--stiffness", "1e5"};
  EXPECT_LT(number(summary_of(plane), "ripple_N"), 5.0);
  std::vector<std::string> tracked = plane;
  tracked.insert(tracked.end(), {"--scheme", "position"});
  EXPECT_GT(number(summary_of(tracked), "ripple_N"), 100.0);
}

// An operator moves the crane's tip down, presses, lets go of the levers and slides.
TEST(Emulate, CranePressesCalmly) {
  for (const char* stiffness : {"2e4", "1e5", "2e5"}) {
    const std::string json = summary_of({"crane_on_plane", "--stiffness", stiffness});
    EXPECT_LT(number(json, "generated_share"), 0.001) << stiffness;
    EXPECT_LT(number(json, "force_error"), 0.05) << stiffness;
    EXPECT_LT(number(json, "growth"), 1.0) << stiffness;
    EXPECT_GT(number(json, "force_N"), 200.0) << stiffness;
  }
}

// Damping over stiffness below the tick: the arm's last joint grows without bound, by that integrator alone.
TEST(Emulate, ExplicitEulerHasItsLimit) {
  const std::vector<std::string> stiff = {"emulate", "peg_on_plane", "--set",
                                          "emulated.joint.wrist_roll.damping_N_m_s_per_rad=100"};
  EXPECT_EQ(run(stiff).status, 0);
  std::vector<std::string> euler = stiff;
  euler.insert(euler.end(), {"--set", "rates.emulated_integrator=explicit_euler"});
  const Outcome outcome = run(euler);
  EXPECT_EQ(outcome.status, 3);
  EXPECT_THAT(outcome.output, HasSubstr("left the real numbers"));
}

TEST(Emulate, WritesEveryTick) {
  const TemporaryFolder folder;
  const std::string file = (folder / "t.csv").string();
  const Outcome outcome = run({"emulate", "peg_on_plane", "--trace", file});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, AllOf(HasSubstr("around the loop"), HasSubstr("free motion"),
                                    HasSubstr("energy added by the emulation")));
  EXPECT_THAT(content_of(file), HasSubstr("t_s,phase,emulated_x_m"));
}

TEST(Emulate, RefusesInOneSentence) {
  Outcome outcome = run({"emulate", "peg_on_plan"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("did you mean 'peg_on_plane'?"));
  outcome = run({"emulate", "peg_on_plane", "--set", "site.stifness_N_per_m=1"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("stifness"));
  outcome = run({"emulate", kConfig + "/scenarios/stick_sine.toml"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("not an emulation"));
  outcome = run({"emulate", "peg_on_plane", "--delay-ticks", "64"});
  EXPECT_EQ(outcome.status, 2);
}

TEST(Emulate, CheckKnowsTheKind) {
  for (const char* name : {"peg_on_plane", "peg_in_hole", "crane_on_plane"})
    EXPECT_THAT(run({"check", kConfig + "/emulations/" + name + ".toml"}).output,
                HasSubstr(std::string("ok (emulation ") + name));
}

}  // namespace
}  // namespace knuckleboom::test
