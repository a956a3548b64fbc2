// knuckleboom run, end to end.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"
#include "support/paths.hpp"

namespace knuckleboom::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string summary_of(std::vector<std::string> arguments, const TemporaryFolder& folder) {
  const std::string file = (folder / "summary_of.json").string();
  arguments.insert(arguments.end(), {"--summary", file});
  const Outcome outcome = run(arguments);
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  return content_of(file);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

TEST(Run, tellsWhatCameOfTheReferenceCase) {
  const Outcome outcome = run({"run", "stick_sine"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.errors, IsEmpty());
  EXPECT_THAT(outcome.output, HasSubstr("stick_sine on harvester, reduced model"));
  EXPECT_THAT(outcome.output, HasSubstr("17 switches"));
  EXPECT_THAT(outcome.output, HasSubstr("energy residual"));
  EXPECT_THAT(outcome.output, Not(HasSubstr("warning")));
}

TEST(Run, writesTheSummaryWithTheAgreedKeys) {
  const TemporaryFolder folder;
  const std::string json = summary_of({"run", "stick_sine", "--fidelity", "full"}, folder);
  EXPECT_EQ(json_number(json, "simulated_s"), 40.0);
  EXPECT_GT(json_number(json, "wall_s"), 0.0);
  EXPECT_NEAR(json_number(json, "real_time_factor"),
              json_number(json, "simulated_s") / json_number(json, "wall_s"), 1e-6);
  EXPECT_EQ(json_value(json, "tick_us"), "{");
  EXPECT_GT(json_number(json, "p50"), 0.0);
  EXPECT_GE(json_number(json, "p99"), json_number(json, "p50"));
  EXPECT_GE(json_number(json, "max"), json_number(json, "p99"));
  EXPECT_EQ(json_number(json, "overruns"), 0.0);
  EXPECT_EQ(json_number(json, "valve_switches"), 17.0);
  EXPECT_EQ(json_number(json, "relief_events"), 0.0);
  EXPECT_EQ(json_number(json, "cavitation_events"), 0.0);
  EXPECT_LT(json_number(json, "energy_residual"), 1e-3);
  EXPECT_EQ(json_value(json, "fidelity"), "\"full\"");
}

TEST(Run, saysHowFarLoopsOpen) {
  const TemporaryFolder folder;
  const std::string json = summary_of({"run", "four_bar_torque"}, folder);
  EXPECT_LT(json_number(json, "loop_gap_m"), 1e-12);
  EXPECT_GT(json_number(json, "loop_gap_m"), 0.0);
  EXPECT_THAT(run({"run", "four_bar_torque"}).output, HasSubstr("  loops             1, open by "));
  EXPECT_THAT(run({"run", "stick_sine"}).output, Not(HasSubstr("  loops ")));
}

TEST(Run, writesTheTraceFromTheStartInEvenSteps) {
  const TemporaryFolder folder;
  const std::string file = (folder / "trace.csv").string();
  const Outcome outcome = run({"run", "stick_sine", "--set", "scenario.duration_s=1", "--trace",
                               file, "--trace-rate", "50"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  std::vector<std::string> lines = lines_of(content_of(file));
  std::erase_if(lines, [](const std::string& line) { return line.starts_with('#'); });
  ASSERT_EQ(lines.size(), 52U);
  EXPECT_TRUE(
      lines[0].starts_with("t_s,swing_rad,swing_rad_s,swing_ref_rad,swing_valve_V,"
                           "swing_port_a_Pa,swing_port_b_Pa,swing_valve_open,boom_rad"));
  EXPECT_TRUE(lines[1].starts_with("0,"));
  EXPECT_TRUE(lines[2].starts_with("0.02,"));
  EXPECT_TRUE(lines[51].starts_with("1,"));
}

TEST(Run, refusesATraceRateThatDoesNotDivideTheTickRate) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run({"run", "stick_sine", "--trace", (folder / "t.csv").string(), "--trace-rate", "300"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("300 Hz does not divide the tick rate of 1000 Hz"));
  EXPECT_THAT(folder.entries(), IsEmpty());
}

TEST(Run, drawsSvgAndPng) {
  const TemporaryFolder folder;
  for (const char* name : {"run.svg", "run.png"}) {
    const Outcome outcome = run({"run", "stick_sine", "--set", "scenario.duration_s=2", "--plot",
                                 (folder / name).string()});
    ASSERT_EQ(outcome.status, 0) << outcome.errors;
  }
  EXPECT_THAT(content_of(folder / "run.svg"), HasSubstr("<svg"));
  EXPECT_THAT(content_of(folder / "run.svg"), HasSubstr("stick_sine on harvester"));
  EXPECT_THAT(content_of(folder / "run.svg"), HasSubstr("Representative machine"));
  EXPECT_TRUE(content_of(folder / "run.png").starts_with("\x89PNG"));
  EXPECT_EQ(folder.entries().size(), 2U) << "temporary files are left";
}

TEST(Run, saysWhenGnuplotIsMissing) {
  const TemporaryFolder folder;
  const Outcome outcome =
      run({"run", "stick_sine", "--plot", (folder / "run.svg").string()}, {"PATH=/nonexistent"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("needs gnuplot"));
}

// --- Same bits ----------------------------------------------------------------

TEST(Run, givesTheSameBitsAgainAndAgain) {
  const TemporaryFolder folder;
  const std::vector<std::string> arguments = {"run", "tip_circle", "--fidelity", "full"};
  const std::string first = json_value(summary_of(arguments, folder), "state_hash");
  EXPECT_EQ(first.size(), 18U);  // 16 digits in quotes
  EXPECT_EQ(json_value(summary_of(arguments, folder), "state_hash"), first);
}

TEST(Run, resumesWithTheSameBits) {
  const TemporaryFolder folder;
  const std::string state = (folder / "half.state").string();
  for (const char* fidelity : {"full", "reduced"}) {
    const std::string whole = summary_of(
        {"run", "stick_sine", "--fidelity", fidelity, "--save", state, "--save-at", "17.3"},
        folder);
    const std::string rest = summary_of({"run", "stick_sine", "--resume", state}, folder);
    EXPECT_EQ(json_value(rest, "state_hash"), json_value(whole, "state_hash"));
    EXPECT_EQ(json_value(rest, "fidelity"), json_value(whole, "fidelity"));
    EXPECT_NEAR(json_number(rest, "simulated_s"), 22.7, 1e-9);
  }
}

TEST(Run, givesTheSameBitsInRealTime) {
  const TemporaryFolder folder;
  const std::vector<std::string> free = {"run", "stick_sine", "--set", "scenario.duration_s=1"};
  std::vector<std::string> paced = free;
  paced.emplace_back("--realtime");
  const std::string json = summary_of(paced, folder);
  EXPECT_EQ(json_value(json, "state_hash"), json_value(summary_of(free, folder), "state_hash"));
  EXPECT_GE(json_number(json, "elapsed_s"), 0.99);
  EXPECT_THAT(json, HasSubstr("real-time priority"));
}

TEST(Run, refusesStatesThatDoNotBelong) {
  const TemporaryFolder folder;
  const std::string state = (folder / "half.state").string();
  ASSERT_EQ(run({"run", "stick_sine", "--save", state, "--save-at", "1"}).status, 0);
  const auto complaint = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--resume", state});
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2);
    return outcome.errors;
  };
  EXPECT_THAT(complaint({"run", "boom_sine"}), HasSubstr("another scenario"));
  EXPECT_THAT(complaint({"run", "stick_sine", "--set", "controller.stick.kp_V_per_rad=41"}),
              HasSubstr("another machine"));
  EXPECT_THAT(complaint({"run", "stick_sine", "--fidelity", "full"}),
              HasSubstr("saved by the reduced model"));
}

// --- Methods and settings -----------------------------------------------------

TEST(Run, saysHowLongThePapersModelWasOutsideItsConditions) {
  const TemporaryFolder folder;
  const std::string file = (folder / "summary.json").string();
  const Outcome outcome = run({"run", "stick_sine", "--fidelity", "paper", "--summary", file});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("outside those of the paper's model in "));
  // While its valve is open, which it is nearly always, the stick's lines fill too slowly.
  EXPECT_GT(json_number(content_of(file), "outside_conditions"), 0.5);
  EXPECT_THAT(run({"run", "stick_sine"}).output, Not(HasSubstr("outside those")));
}

TEST(Run, knowsTheConvergedSolutions) {
  const TemporaryFolder folder;
  const std::string json = summary_of({"run", "stick_sine", "--set", "scenario.duration_s=0.5",
                                       "--fidelity", "converged-reduced", "--rtol", "1e-6"},
                                      folder);
  EXPECT_EQ(json_value(json, "fidelity"), "\"converged-reduced\"");
  const Outcome refused = run({"run", "stick_sine", "--rtol", "1e-6"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.errors, HasSubstr("--fidelity converged-reduced"));
}

TEST(Run, changesMachineAndScenarioBySet) {
  const TemporaryFolder folder;
  const std::string json = summary_of(
      {"run", "stick_sine", "--set", "duration_s=3", "--set",
       "machine.controller.stick.kp_V_per_rad=0", "--set", "controller.stick.ki_V_per_rad_s=0"},
      folder);
  EXPECT_EQ(json_number(json, "simulated_s"), 3.0);
  EXPECT_EQ(json_number(json, "valve_switches"), 0.0);
  const Outcome unknown = run({"run", "stick_sine", "--set", "controller.stik.kp_V_per_rad=1"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.errors, HasSubstr("--set controller.stik.kp_V_per_rad=1: "));
  EXPECT_THAT(unknown.errors, HasSubstr("did you mean 'stick'?"));
}

TEST(Run, remarksOnWhatIsHardlyMeantBySet) {
  const Outcome outcome = run({"run", "stick_sine", "--set", "duration_s=0.01", "--set",
                               "actuator.stick.bore_m=12.5", "--set", "actuator.boom.bore_mm=150"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.errors,
            "knuckleboom: --set actuator.stick.bore_m=12.5: 'bore_m' of actuator 'stick' is 12.5, "
            "usually 1 mm to 2 m: from a syringe to the cylinder of a press\n");
}

// The paper's machine has no protection: its boom falls to pressures that no oil has.
TEST(Run, saysWhatNoRealMachineDoes) {
  const TemporaryFolder folder;
  const std::vector<std::string> paper = {"run", "boom_pulse", "--machine", "harvester_paper"};
  const Outcome outcome = run(paper);
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("warning: harvester_paper is for comparison"));
  EXPECT_THAT(outcome.output,
              HasSubstr("warning: no real machine does this: a pressure of actuator 'boom' fell "
                        "to -73.7"));
  EXPECT_THAT(outcome.output, HasSubstr("below -1 bar, where oil is vapour (at 2.78"));
  EXPECT_THAT(summary_of(paper, folder), HasSubstr("no real machine does this: a pressure"));
  EXPECT_THAT(run({"run", "boom_pulse"}).output, Not(HasSubstr("warning")));
}

// [[fault]] is a table like any other, also in a scenario that has none.
TEST(Run, bringsInAFaultBySet) {
  const TemporaryFolder folder;
  const std::vector<std::string> sound = {"run", "stick_sine", "--set", "duration_s=3"};
  std::vector<std::string> faulty = sound;
  for (const char* one : {"fault.spool.kind=spool_offset", "fault.spool.function=stick",
                          "fault.spool.at_s=1", "fault.spool.offset_percent=4"})
    faulty.insert(faulty.end(), {"--set", one});
  const std::string before = json_value(summary_of(sound, folder), "state_hash");
  const std::string after = json_value(summary_of(faulty, folder), "state_hash");
  EXPECT_NE(after, before);
  faulty.back() = "fault.spool.offset_percent=0";
  EXPECT_NE(json_value(summary_of(faulty, folder), "state_hash"), after);
  faulty.back() = "fault.spool.offset_percnt=4";
  EXPECT_THAT(run(faulty).errors, HasSubstr("did you mean 'offset_percent'?"));
  const Outcome half = run({"run", "stick_sine", "--set", "fault.spool.offset_percent=4"});
  EXPECT_EQ(half.status, 2);
  EXPECT_THAT(half.errors, HasSubstr("'kind'"));
}

TEST(Run, saysWhenItLeavesTheRealNumbers) {
  const TemporaryFolder folder;
  const std::string file = (folder / "s.json").string();
  const Outcome outcome =
      run({"run", "stick_sine", "--fidelity", "full", "--set", "scenario.duration_s=3", "--set",
           "valve.main.conductance_m3_per_s_sqrtPa=1e300", "--summary", file});
  EXPECT_EQ(outcome.status, 3) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("warning: more than a tenth of the stages"));
  EXPECT_THAT(outcome.output, HasSubstr("warning: the energy balance is not finite"));
  EXPECT_EQ(json_value(content_of(file), "energy_residual"), "null");
}

TEST(Run, warnsWhenTheTipPathIsOutOfReach) {
  const TemporaryFolder folder;
  std::string text =
      content_of(std::string(KNUCKLEBOOM_SOURCE_DIR) + "/config/scenarios/tip_circle.toml");
  const std::size_t at = text.find("center_m = [");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, text.find(']', at) + 1 - at, "center_m = [6.0, 0, 0.8]");
  write_text(folder / "far.toml", text);
  const Outcome outcome = run({"run", (folder / "far.toml").string()});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("warning: the tip path was out of reach"));
}

// --- Outputs that cannot be ---------------------------------------------------

TEST(Run, refusesOutputsBeforeItSimulates) {
  const TemporaryFolder folder;
  const std::string folder_name = folder.path().string();
  const auto complaint = [](const std::vector<std::string>& options) {
    std::vector<std::string> arguments = {"run", "stick_sine"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.output, IsEmpty());
    EXPECT_TRUE(outcome.errors.starts_with("knuckleboom: ")) << outcome.errors;
    return outcome.errors;
  };
  EXPECT_THAT(complaint({"--trace", folder_name + "/no/t.csv"}), HasSubstr("there is no folder"));
  EXPECT_THAT(complaint({"--trace", folder_name}), HasSubstr("this is a folder"));
  EXPECT_THAT(complaint({"--summary", folder_name + "/"}), HasSubstr("this is a folder"));
  EXPECT_THAT(complaint({"--plot", folder_name + "/plot"}), HasSubstr(".svg or .png"));
  EXPECT_THAT(complaint({"--plot", folder_name + "/plot.jpg"}), HasSubstr(".svg or .png"));
  EXPECT_THAT(complaint({"--save-at", "3"}), HasSubstr("--save FILE"));
  EXPECT_THAT(complaint({"--save", folder_name + "/s", "--save-at", "50"}),
              HasSubstr("lies outside this run"));
  EXPECT_THAT(complaint({"--trace", folder_name + "/x", "--summary", folder_name + "/x"}),
              HasSubstr("two outputs"));
  EXPECT_THAT(folder.entries(), IsEmpty());
}

TEST(Run, refusesOutputsThatAreNoRegularFiles) {
  const Outcome outcome = run({"run", "stick_sine", "--trace", "/dev/full"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("not a regular file"));
  EXPECT_EQ(
      run({"run", "stick_sine", "--set", "scenario.duration_s=1", "--trace", "/dev/null"}).status,
      0);
}

TEST(Run, refusesToWriteOverItsInputs) {
  const TemporaryFolder folder;
  const std::string scenario = (folder / "s.toml").string();
  const std::string text =
      content_of(std::string(KNUCKLEBOOM_SOURCE_DIR) + "/config/scenarios/stick_sine.toml");
  write_text(scenario, text);
  const Outcome outcome =
      run({"run", scenario, "--trace", (folder.path() / "." / "s.toml").string()});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.errors, HasSubstr("is read here"));
  EXPECT_EQ(content_of(scenario), text);
}

TEST(Run, goesOnWithTheConvergedModel) {
  const TemporaryFolder folder;
  const std::string state = (folder / "s.state").string();
  const std::vector<std::string> common = {"run", "stick_sine", "--set", "scenario.duration_s=1"};
  std::vector<std::string> first = common, second = common;
  first.insert(first.end(), {"--fidelity", "converged-full", "--save", state, "--save-at", "0.5"});
  second.insert(second.end(), {"--resume", state});
  EXPECT_EQ(run(first).status, 0);
  EXPECT_THAT(run(second).output, HasSubstr("converged-full model"));
}

// A gnuplot of our own making, first in the search path.
TEST(Run, saysHowGnuplotFailed) {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const fs::path gnuplot = folder / "gnuplot";
  const std::string plot = (folder / "p.svg").string();
  const auto outcome_with = [&](const char* script, fs::perms permissions) {
    write_text(gnuplot, script);
    fs::permissions(gnuplot, permissions);
    return run({"run", "stick_sine", "--set", "scenario.duration_s=1", "--plot", plot},
               {"PATH=" + folder.path().string()});
  };
  const Outcome early = outcome_with("#!/bin/sh\nexit 3\n", fs::perms::owner_all);
  EXPECT_EQ(early.status, 2);
  EXPECT_THAT(early.errors, HasSubstr("ended with status 3"));
  const Outcome late =
      outcome_with("#!/bin/sh\n[ \"$1\" = --version ] || kill -9 $$\n", fs::perms::owner_all);
  EXPECT_EQ(late.status, 1);
  EXPECT_THAT(late.errors, HasSubstr("signal 9"));
  EXPECT_THAT(late.output, HasSubstr("energy residual"));
}

TEST(Run, stopsCleanlyWhenInterrupted) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const TemporaryFolder folder;
    Program program({"run", "stick_sine", "--realtime", "--trace", (folder / "t.csv").string(),
                     "--save", (folder / "s.state").string()});
    // Once the temporary file is there, the run has begun.
    for (int i = 0; i < 500 && folder.entries().empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    program.send(signal);
    const Outcome outcome = program.wait();
    EXPECT_EQ(outcome.status, 130);
    EXPECT_THAT(outcome.errors, HasSubstr("were not written"));
    EXPECT_THAT(folder.entries(), IsEmpty());
  }
}

}  // namespace
}  // namespace knuckleboom::test
