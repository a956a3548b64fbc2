// knuckleboom pneumatics, end to end: what the paper says of its figures.
#include <regex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace knuckleboom::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// Figures 8 to 10: the sine goes in steps with friction that sticks, smoothly with viscous friction alone.
TEST(Pneumatics, SineGoesInStepsWithStickingFriction) {
  const Outcome outcome =
      run({"pneumatics", "air_sine", "--friction", "viscous", "--friction", "coulomb_viscous"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output,
              ContainsRegex("air_sine +viscous +none +[0-9.]+ mm +1\\.[0-9]+ mm +0\\.[0-9] %"));
  EXPECT_THAT(outcome.output,
              ContainsRegex("coulomb_viscous +none +[0-9.]+ mm +1\\.[0-9]+ mm +7[0-9]\\.[0-9] %"));
}

double joules(const std::string& text) {
  std::smatch found;
  if (!std::regex_search(text, found, std::regex(" (-?[0-9.]+) (mJ|J|kJ)\n"))) return -1.0;
  return std::stod(found[1]) * (found[2] == "mJ" ? 1e-3 : found[2] == "kJ" ? 1e3 : 1.0);
}

// Figures 14 and 15: late exchange of force and motion makes energy; in one program there is none of it.
TEST(Pneumatics, ExchangeMakesEnergyThatGrowsWithItsDelay) {
  const Outcome outcome =
      run({"pneumatics", "leg_sine", "--exchange-ms", "1", "--exchange-ms", "8"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  const std::size_t one = outcome.output.find(" 1 ms "), eight = outcome.output.find(" 8 ms ");
  ASSERT_NE(one, std::string::npos);
  ASSERT_NE(eight, std::string::npos);
  EXPECT_GT(joules(outcome.output.substr(one)), 0.1);
  EXPECT_GT(joules(outcome.output.substr(eight)), 3.0 * joules(outcome.output.substr(one)));
  EXPECT_THAT(outcome.output, ContainsRegex("leg_sine +friction of the file +none .* none\n"));
}

// Daepp and Book's future work: a velocity model in the actuators' program takes most of that energy, and
// runs where late exchange alone diverges.
TEST(Pneumatics, AVelocityModelTakesWhatTheDelayMakes) {
  const Outcome leg = run({"pneumatics", "leg_sine", "--exchange-ms", "4", "--predict"});
  EXPECT_EQ(leg.status, 0) << leg.errors;
  const std::size_t without = leg.output.find(" 4 ms "), with = leg.output.find(" 4 ms, v ");
  ASSERT_NE(without, std::string::npos);
  ASSERT_NE(with, std::string::npos);
  EXPECT_LT(joules(leg.output.substr(with)), 0.2 * joules(leg.output.substr(without)));
  const Outcome bench =
      run({"pneumatics", "air_step", "--friction", "viscous", "--exchange-ms", "8", "--predict"});
  EXPECT_THAT(bench.output, ContainsRegex("viscous +8 ms +unstable"));
  EXPECT_THAT(bench.output, ContainsRegex("viscous +8 ms, v +[0-9.]+ mm"));
}

// Rounding is no motion: between its steps a piston stands, with viscous friction alone and with bristles too.
TEST(Pneumatics, RoundingIsNoMotion) {
  const Outcome outcome =
      run({"pneumatics", "air_square", "--friction", "viscous", "--friction", "lugre"});
  for (const char* model : {"viscous", "lugre"})
    EXPECT_THAT(outcome.output,
                ContainsRegex(std::string("air_square +") + model +
                              " +none +[0-9.]+ mm +- +4[0-9]\\.[0-9] % +[0-9]{1,2}\\.[0-9] "));
}

TEST(Pneumatics, SaysWhatIsUnstableWhenLate) {
  const Outcome outcome = run({"pneumatics", "leg_sine", "--friction", "viscous", "--exchange-ms",
                               "4", "--set", "actuator.J3.friction.viscous_N_s_per_m=4000"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, ContainsRegex("viscous +4 ms +unstable, lost after"));
  EXPECT_THAT(run({"pneumatics", "air_sine", "--exchange-ms", "4"}).output,
              HasSubstr("4 ms        sticking needs force and motion at one time"));
}

// The lever leads the foot through inverse kinematics, PID and valves.
TEST(Pneumatics, FootFollowsTheLever) {
  const Outcome outcome = run({"pneumatics", "leg_lever"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  std::smatch error;
  ASSERT_TRUE(
      std::regex_search(outcome.output, error, std::regex("none +[0-9.]+ mrad +([0-9.]+) mm")));
  EXPECT_LT(std::stod(error[1]), 16.0);  // of a circle of 30 mm, without feed-forward
}

TEST(Pneumatics, DrawsRunsAndDelays) {
  const TemporaryFolder folder;
  const std::string picture = (folder / "sine.svg").string(),
                    delays = (folder / "delays.svg").string();
  const Outcome outcome = run({"pneumatics", "air_square", "--plot", picture});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(content_of(picture), HasSubstr("</svg>"));
  EXPECT_EQ(run({"pneumatics", "leg_square", "--exchange-ms", "1", "--exchange-ms", "2",
                 "--delay-plot", delays})
                .status,
            0);
  EXPECT_THAT(content_of(delays), HasSubstr("</svg>"));
}

// A machine on air is a machine like others: traced, summed up, and run by every model and the converged solution,
// from which the step differs by its own error alone.
TEST(Pneumatics, RunsAndComparesAsOtherMachines) {
  const TemporaryFolder folder;
  const std::string trace = (folder / "square.csv").string(),
                    half = (folder / "half.state").string();
  const Outcome square = run({"run", "air_square", "--trace", trace});
  EXPECT_EQ(square.status, 0) << square.errors;
  EXPECT_THAT(content_of(trace), HasSubstr("piston_m,piston_m_s,"));
  EXPECT_THAT(content_of(trace), HasSubstr("piston_port_a_Pa"));
  EXPECT_THAT(square.output, HasSubstr("air "));
  const Outcome compared = run({"compare", "leg_square", "--fidelity", "full", "--fidelity",
                                "reduced", "--fidelity", "converged-full"});
  EXPECT_EQ(compared.status, 0) << compared.errors;
  const auto state_of = [](const Outcome& outcome) {
    return outcome.output.substr(outcome.output.find("state "), 30);
  };
  const Outcome whole = run({"run", "leg_lever", "--save", half, "--save-at", "6.2"});
  const Outcome rest = run({"run", "leg_lever", "--resume", half});
  EXPECT_EQ(rest.status, 0) << rest.errors;
  EXPECT_EQ(state_of(rest), state_of(run({"run", "leg_lever"})));
}

TEST(Pneumatics, SaysWhatIsWrong) {
  EXPECT_THAT(run({"pneumatics", "stick_sine"}).errors, HasSubstr("has no pneumatic cylinders"));
  EXPECT_THAT(run({"pneumatics", "air_sin"}).errors, HasSubstr("did you mean 'air_sine'"));
  EXPECT_THAT(run({"pneumatics", "air_sine", "--friction", "dry"}).errors,
              HasSubstr("no such model"));
  EXPECT_THAT(run({"pneumatics", "air_sine", "--exchange-ms", "0.3"}).errors,
              HasSubstr("whole number of ticks"));
  EXPECT_THAT(run({"pneumatics", "air_sine", "--exchange-ms", "nan"}).errors,
              Not(HasSubstr("terminate")));
  EXPECT_EQ(run({"pneumatics", "air_sine", "--set", "air.supply_bar=x"}).status, 2);
  EXPECT_THAT(run({"pneumatics", "leg_sine", "--delay-plot", "d.svg"}).errors,
              HasSubstr("give --exchange-ms at least twice"));
}

}  // namespace
}  // namespace knuckleboom::test
