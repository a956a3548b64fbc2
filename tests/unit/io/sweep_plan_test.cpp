// Plans of sweeps: their contents, and messages for invalid ones.

#include "knuckleboom/io/sweep_plan.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io_test_support.hpp"

namespace knuckleboom {
namespace {

using test::faults;
using test::joined;
using test::replaced;
using testing::HasSubstr;

constexpr const char* kPlan = R"(scenario = "../lift.toml"
design = "monte_carlo"
runs = 10
[[vary]]
key = "controller.stick.kp_V_per_rad"
low = 20
high = 60
[[vary]]
key = "machine"
values = ["harvester", "mine/machine.toml"]
[[vary]]
name = "law"
key = "actuator.boom.friction.model"
values = ["lugre", "two words"]
[[result]]
channel = "stick_rad"
take = "at"
at_ms = 500
[tune]
objective = "stick_rad_at"
[[tune.parameter]]
key = "controller.stick.ki_V_per_rad_s"
low = 0
high = 10
)";

TEST(SweepPlan, SaysWhatIsRunAndWhatVaries) {
  const io::SweepPlan plan = io::read_sweep_plan_text(kPlan, "/p/sweeps/plan.toml");
  EXPECT_EQ(plan.scenario, "/p/lift.toml");  // a file is relative to the plan
  EXPECT_EQ(plan.runs, 10);
  ASSERT_EQ(plan.variables.size(), 3u);
  EXPECT_EQ(plan.variables[0].name, "controller.stick.kp_V_per_rad");
  EXPECT_EQ(plan.variables[0].high, 60.0);
  EXPECT_EQ(plan.variables[1].values,
            (std::vector<std::string>{"harvester", "/p/sweeps/mine/machine.toml"}));
  EXPECT_EQ(plan.variables[2].values, (std::vector<std::string>{"lugre", "\"two words\""}));
  EXPECT_FALSE(plan.variables[2].numbers);
  ASSERT_EQ(plan.results.size(), 1u);
  EXPECT_EQ(plan.results[0].at_s, 0.5);
  EXPECT_EQ(plan.tuning.parameters[0].start, 5.0);
}

TEST(SweepPlan, SaysWhatIsWrongAndWhere) {
  const auto complaint = [](std::string_view from, std::string_view to) {
    const std::string text = replaced(kPlan, from, to);
    return joined(faults([&] { io::read_sweep_plan_text(text, "p.toml"); }));
  };
  EXPECT_THAT(complaint("scenario = \"../lift.toml\"", ""),
              HasSubstr("p.toml:1:1: a plan runs a scenario or an exercise"));
  EXPECT_THAT(complaint("runs = 10", "input = \"a.csv\"\nruns = 10"),
              HasSubstr("p.toml:3:9: 'input' belongs to an exercise"));
  EXPECT_THAT(complaint("\"monte_carlo\"", "\"montecarlo\""), HasSubstr("monte_carlo"));
  EXPECT_THAT(complaint("runs = 10", ""), HasSubstr("lacks 'runs'"));
  EXPECT_THAT(complaint("\"monte_carlo\"", "\"grid\""), HasSubstr("'runs'"));
  EXPECT_THAT(complaint("runs = 10", "runs = 0"), HasSubstr("p.toml:3:8: 'runs' is 0"));
  EXPECT_THAT(complaint("high = 60", "high = 10"), HasSubstr("must be below 'high'"));
  EXPECT_THAT(complaint("high = 60", ""), HasSubstr("p.toml:4:1: 'controller.stick.kp_V_per_rad' "
                                                    "is uniform and lacks 'high'"));
  EXPECT_THAT(complaint("high = 60", "high = 60\nmean = 4"), HasSubstr("has no 'mean'"));
  EXPECT_THAT(complaint("low = 20", "distribution = \"normal\"\nlow = 20"),
              HasSubstr("is normal and lacks 'mean'"));
  EXPECT_THAT(complaint("low = 20", "values = [1]\nlow = 20"),
              HasSubstr("has 'values'; take 'low' out"));
  EXPECT_THAT(complaint("values = [\"harvester\", \"mine/machine.toml\"]", "low = 1\nhigh = 2"),
              HasSubstr("'machine' needs 'values' = a list of names"));
  EXPECT_THAT(complaint("[\"harvester\", \"mine/machine.toml\"]", "[1]"),
              HasSubstr("p.toml:10:11: 'machine' is chosen by names"));
  EXPECT_THAT(complaint("\"monte_carlo\"\nruns = 10", "\"list\""),
              HasSubstr("needs 'values', as in every list"));
  EXPECT_THAT(complaint("channel = \"stick_rad\"", ""), HasSubstr("lacks 'channel'"));
  EXPECT_THAT(complaint("take = \"at\"\nat_ms = 500", "take = \"final\"\nfrom_s = 1"),
              HasSubstr("'from"));
  EXPECT_THAT(complaint("take = \"at\"\nat_ms = 500", "take = \"max\"\nfrom_s = 2\nto_s = 1"),
              HasSubstr("'to' does not come after 'from'"));
  EXPECT_THAT(complaint("[tune]",
                        "[[result]]\nchannel = \"stick_rad\"\ntake = \"at\"\nat_s = "
                        "1\n[tune]"),
              HasSubstr("there are two columns 'stick_rad_at'"));
  EXPECT_THAT(complaint("\"stick_rad_at\"", "\"stick_rad\""),
              HasSubstr("there is no result 'stick_rad'; did you mean 'stick_rad_at'?"));
  EXPECT_THAT(complaint("controller.stick.ki_V_per_rad_s", "controller.stick.kp_V_per_rad"),
              HasSubstr("is varied by a [[vary]] table already"));
  EXPECT_THAT(complaint("low = 0\nhigh = 10", "low = 0\nhigh = 10\nstart = 11"),
              HasSubstr("'start' of"));
  EXPECT_THAT(complaint("[[result]]", "[[results]]"), HasSubstr("did you mean 'result'"));
}

}  // namespace
}  // namespace knuckleboom
