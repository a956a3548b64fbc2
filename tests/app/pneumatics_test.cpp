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
  const Outcome outcome = run({"pneumatics", "air_bench", "--case", "sine", "--friction", "viscous",
                               "--friction", "coulomb_viscous"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, ContainsRegex("sine +viscous +none +1\\.[0-9]+ mm +0\\.0 %"));
  EXPECT_THAT(outcome.output,
              ContainsRegex("coulomb_viscous +none +1\\.[0-9]+ mm +7[0-9]\\.[0-9] %"));
}

// Figures 14 and 15: 4 ms between force and motion make energy; in one program there is none of it.
TEST(Pneumatics, ExchangeMakesEnergyThatGrowsWithItsDelay) {
  const Outcome outcome = run({"pneumatics", "rescue_leg", "--case", "square", "--exchange-ms", "1",
                               "--exchange-ms", "4", "--exchange-ms", "8"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  std::smatch one, four;
  ASSERT_TRUE(std::regex_search(outcome.output, one, std::regex(" 1 ms .* ([0-9.]+) J\n")));
  ASSERT_TRUE(std::regex_search(outcome.output, four, std::regex(" 4 ms .* ([0-9.]+) J\n")));
  EXPECT_GT(std::stod(one[1]), 1.0);
  EXPECT_GT(std::stod(four[1]), 3.0 * std::stod(one[1]));
  EXPECT_THAT(outcome.output, ContainsRegex(" 8 ms +unstable, lost after"));
  EXPECT_THAT(outcome.output, ContainsRegex("square +friction of the file +none .* none\n"));
}

// The lever leads the foot through inverse kinematics, PID and valves.
TEST(Pneumatics, FootFollowsTheLever) {
  const Outcome outcome = run({"pneumatics", "rescue_leg", "--case", "lever"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  std::smatch error;
  ASSERT_TRUE(std::regex_search(outcome.output, error, std::regex("none +([0-9.]+) mm")));
  EXPECT_LT(std::stod(error[1]), 12.0);  // of a circle of 30 mm, without feed-forward
}

TEST(Pneumatics, WritesTraceAndPicture) {
  const TemporaryFolder folder;
  const std::string trace = (folder / "sine.csv").string(),
                    picture = (folder / "sine.svg").string();
  const Outcome outcome =
      run({"pneumatics", "air_bench", "--case", "square", "--trace", trace, "--plot", picture});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(content_of(trace), HasSubstr("t_s,piston_m,piston_m_s,piston_ref_m,piston_cap_Pa"));
  EXPECT_THAT(content_of(picture), HasSubstr("</svg>"));
}

TEST(Pneumatics, SaysWhatIsWrong) {
  EXPECT_THAT(run({"pneumatics", "harvester"}).errors, HasSubstr("has no pneumatics"));
  EXPECT_THAT(run({"pneumatics", "air_bench", "--case", "sin"}).errors,
              HasSubstr("did you mean 'sine'"));
  EXPECT_THAT(run({"pneumatics", "air_bench", "--friction", "dry"}).errors,
              HasSubstr("no such model"));
  EXPECT_THAT(run({"pneumatics", "air_bench", "--exchange-ms", "0.3"}).errors,
              HasSubstr("whole number of ticks"));
  EXPECT_THAT(run({"pneumatics", "air_bench", "--exchange-ms", "nan"}).errors,
              Not(HasSubstr("terminate")));
  EXPECT_EQ(run({"pneumatics", "air_bench", "--set", "air.supply_bar=x"}).status, 2);
}

}  // namespace
}  // namespace knuckleboom::test
