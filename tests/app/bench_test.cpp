// knuckleboom bench without its window: scripts, traces, scenarios and pictures.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/io/trace.hpp"
#include "program.hpp"

namespace knuckleboom::test {
namespace {

using testing::HasSubstr;

Outcome bench(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "bench");
  arguments.emplace_back("--headless");
  return run(arguments, {"SDL_VIDEODRIVER=offscreen", "LP_NUM_THREADS=1"});
}

class Workbench : public testing::Test {
 protected:
  std::string file(const char* name) const { return (folder_ / name).string(); }
  TemporaryFolder folder_;
};

// The slider of J2 by a script, and its value in the trace; the scenario that is written does the same.
TEST_F(Workbench, aSliderIsInTheTrace) {
  write_text(file("go.txt"),
             "0 drive J1 speed 0   # all of them stand\n0 drive J2 speed 0\n0 drive J3 speed 0\n"
             "0.5 drive J2 position -0.4\n");
  const Outcome outcome = bench({"puma", "--script", file("go.txt"), "--duration", "3", "--trace",
                                 file("go.csv"), "--scenario", file("again.toml")});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const io::Trace trace = io::read_trace(file("go.csv"));
  EXPECT_NEAR(io::value_at(trace, "J2_rad", 0.4), 0.0, 1e-6);
  EXPECT_NEAR(io::value_at(trace, "J2_rad", 3.0), -0.4, 1e-4);
  EXPECT_LT(io::value_at(trace, "J2_applied_Nm", 0.4), -20.0);
  const Outcome again = run({"run", file("again.toml"), "--trace", file("rerun.csv")});
  ASSERT_EQ(again.status, 0) << again.errors;
  EXPECT_NEAR(io::value_at(io::read_trace(file("rerun.csv")), "J2_rad", 2.99),
              io::value_at(trace, "J2_rad", 2.99), 1e-9);
}

TEST_F(Workbench, pausesAreNotNeededToRewindAndChange) {
  write_text(file("go.txt"),
             "0.3 set actuator.knee.friction.model=viscous\n0.5 rewind 0.4\n0.6 quit\n");
  const Outcome outcome = bench({"four_bar_torque", "--script", file("go.txt")});
  EXPECT_EQ(outcome.status, 2);  // the key is of another machine
  EXPECT_THAT(outcome.errors, HasSubstr("knee"));
  EXPECT_THAT(outcome.output, HasSubstr("0.6 s simulated, 0 changes by hand, 1 command refused"));
}

TEST_F(Workbench, isDrawnWithoutADisplay) {
  write_text(file("go.txt"), "0 show CP_force_z_N\n0.2 save " + file("two.csv") + "\n");
  const Outcome outcome = bench({"four_bar_torque", "--script", file("go.txt"), "--duration", "0.5",
                                 "--screenshot", file("one.png"), "--at", "0.3"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(content_of(file("one.png")), testing::StartsWith("\x89PNG\r\n"));
  EXPECT_NEAR(io::read_trace(file("two.csv")).data[0].back(), 0.2, 1e-9);
}

TEST_F(Workbench, namesMistakes) {
  write_text(file("go.txt"), "0 drive\n1 jump\n");
  Outcome outcome = bench({"puma", "--script", file("go.txt"), "--duration", "1"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("go.txt:1: it is 'drive JOINT"));
  EXPECT_THAT(outcome.errors, HasSubstr("go.txt:2: there is no command 'jump'"));
  outcome = bench({"puma"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("--headless needs an end"));
  outcome = bench({"pumma", "--duration", "1"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors,
              HasSubstr("there is no machine or scenario 'pumma'; did you mean 'puma'?"));
  outcome = bench({"puma", "--machine", "harvester", "--duration", "1"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("puma is a machine itself"));
}

}  // namespace
}  // namespace knuckleboom::test
