// knuckleboom sweep, end to end: the same table by any number of shards, and after kill -9.

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace knuckleboom::test {
namespace {

using testing::HasSubstr;
using testing::Not;

// Thirty short runs that differ in numbers, texts and a fault.
std::string spread_plan(const std::string& duration_s = "0.2", int runs = 30) {
  return "scenario = \"stick_sine\"\ndesign = \"latin_hypercube\"\nruns = " + std::to_string(runs) +
         "\nset = [\"scenario.duration_s=" + duration_s +
         "\"]\n"
         "[[vary]]\nname = \"gain\"\nkey = \"controller.stick.kp_V_per_rad\"\n"
         "distribution = \"lognormal\"\nmedian = 40\nsd_log = 0.2\n"
         "[[vary]]\nkey = \"fidelity\"\nvalues = [\"full\", \"reduced\"]\n"
         "[[vary]]\nkey = \"fault\"\nvalues = [\"none\", \"stick_cylinder_leak@0.05\"]\n"
         "[[result]]\nname = \"error\"\nchannel = \"stick_rad\"\nminus = \"stick_ref_rad\"\n"
         "take = \"rms\"\n"
         "[[result]]\nchannel = \"stick_port_a_Pa\"\ntake = \"max\"\n";
}

class SweepProgram : public testing::Test {
 protected:
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  std::string plan(const std::string& text, const std::string& name = "plan.toml") const {
    write_text(file(name), text);
    return file(name);
  }
  Outcome sweep(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "sweep");
    return run(arguments);
  }
  // Fields of a row of the table, by the run's number.
  std::vector<std::string> row(const std::string& csv, int number) const {
    std::istringstream lines(content_of(csv));
    std::string line;
    while (std::getline(lines, line)) {
      if (!line.starts_with(std::to_string(number) + ",")) continue;
      std::vector<std::string> fields;
      std::istringstream parts(line);
      for (std::string field; std::getline(parts, field, ',');) fields.push_back(field);
      return fields;
    }
    return {};
  }

  TemporaryFolder folder_;
};

TEST_F(SweepProgram, GivesOneTableByAnyNumberOfShardsAndThreads) {
  const std::string p = plan(spread_plan());
  const Outcome whole = sweep({p, "-o", file("whole.h5"), "--jobs", "2"});
  ASSERT_EQ(whole.status, 0) << whole.errors;
  EXPECT_THAT(whole.output, HasSubstr("plan: 30 runs of stick_sine, latin_hypercube"));
  ASSERT_EQ(sweep({p, "-o", file("one.h5"), "--jobs", "1"}).status, 0);
  std::vector<std::string> gather = {"--gather", "-o", file("joined.h5")};
  for (const char* which : {"3", "1", "2"}) {
    const Outcome shard = sweep({p, "-o", file("s.h5"), "--shard", std::string(which) + "/3"});
    ASSERT_EQ(shard.status, 0) << shard.errors;
    gather.push_back(file(std::string("s.shard-") + which + "-of-3.rows"));
  }
  const Outcome joined = sweep(gather);
  ASSERT_EQ(joined.status, 0) << joined.errors;
  for (const char* ending : {".h5", ".csv"}) {
    const std::string bytes = content_of(file(std::string("whole") + ending));
    EXPECT_GT(bytes.size(), 1000u);
    EXPECT_EQ(content_of(file(std::string("one") + ending)), bytes) << ending;
    EXPECT_EQ(content_of(file(std::string("joined") + ending)), bytes) << ending;
  }
  EXPECT_EQ(whole.output.substr(0, whole.output.find("table in")),
            joined.output.substr(0, joined.output.find("table in")));

  // Joined only if they are all shards of one sweep.
  const auto refusal = [&](std::vector<std::string> files) {
    files.insert(files.begin(), {"--gather", "-o", file("never.h5")});
    const Outcome outcome = sweep(files);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_FALSE(std::filesystem::exists(file("never.h5")));
    return outcome.errors;
  };
  const std::string first = file("s.shard-1-of-3.rows"), second = file("s.shard-2-of-3.rows");
  EXPECT_THAT(refusal({first}), HasSubstr("of 3 shards 2 and 3 are missing"));
  EXPECT_THAT(refusal({first, second, first}), HasSubstr("shard 1/3 was given already"));
  ASSERT_EQ(sweep({plan(spread_plan("0.1", 4), "other.toml"), "-o", file("o.h5"), "--shard", "2/3"})
                .status,
            0);
  EXPECT_THAT(refusal({first, file("o.shard-2-of-3.rows")}), HasSubstr("another plan"));
  std::filesystem::resize_file(second, std::filesystem::file_size(second) - 3);
  EXPECT_THAT(refusal({first, second, file("s.shard-3-of-3.rows")}),
              HasSubstr("shard 2/3 has 9 of its 10 runs"));
}

// A row's hash is that of the same run by `run`, fault and all.
TEST_F(SweepProgram, RunsAreThoseOfRun) {
  const std::string p = plan(spread_plan("0.2", 6));
  ASSERT_EQ(sweep({p, "-o", file("t.h5")}).status, 0);
  int compared = 0;
  for (int number = 0; number < 6 && compared < 2; ++number) {
    const std::vector<std::string> fields = row(file("t.csv"), number);
    ASSERT_EQ(fields.size(), 7u);  // the failure is empty
    if (fields[3] != "none") continue;
    const Outcome alone =
        run({"run", "stick_sine", "--set", "scenario.duration_s=0.2", "--set",
             "controller.stick.kp_V_per_rad=" + fields[1], "--fidelity", fields[2]});
    EXPECT_EQ(told(alone.output, "state"), fields[6]);
    ++compared;
  }
  EXPECT_EQ(compared, 2);
}

// Nine runs, so that most are side by side in the processor's lanes: of two lengths, one refused, one with a fault.
TEST_F(SweepProgram, RunsSideBySideAreThoseOfRunAlone) {
  const std::string p = plan(
      "scenario = \"stick_sine\"\nfidelity = \"full\"\ndesign = \"list\"\n"
      "[[vary]]\nkey = \"scenario.duration_s\"\n"
      "values = [0.2, 0.2, 0.2, 0.3, 0.2, 0.2, 0.3, 0.2, 0.2]\n"
      "[[vary]]\nkey = \"controller.stick.kp_V_per_rad\"\n"
      "values = [40, 30, 45, 42, -1, 60, 41, 39, 38]\n"
      "[[vary]]\nkey = \"fault\"\nvalues = [\"none\", \"none\", \"none\", \"none\", \"none\", "
      "\"none\", "
      "\"none\", \"stick_cylinder_leak@0.05\", \"none\"]\n"
      "[[result]]\nchannel = \"stick_rad\"\ntake = \"final\"\n"
      "[[result]]\nchannel = \"boom_port_a_Pa\"\ntake = \"mean\"\n"
      "[[result]]\nchannel = \"boom_length_m\"\ntake = \"max\"\n"
      "[[result]]\nchannel = \"tip_z_m\"\ntake = \"at\"\nat_s = 0.1237\n"
      "[[result]]\nchannel = \"pump_Pa\"\ntake = \"min\"\n");
  ASSERT_EQ(sweep({p, "-o", file("t.h5"), "--jobs", "1"}).status, 0);
  for (const int number : {0, 3, 8}) {
    const std::vector<std::string> fields = row(file("t.csv"), number);
    ASSERT_EQ(fields.size(), 10u);
    const Outcome alone =
        run({"run", "stick_sine", "--set", "scenario.duration_s=" + fields[1], "--set",
             "controller.stick.kp_V_per_rad=" + fields[2], "--fidelity", "full"});
    EXPECT_EQ(told(alone.output, "state"), fields[9]) << number;
  }
  // Nine shards have one run each.
  std::vector<std::string> gather = {"--gather", "-o", file("joined.h5")};
  for (int i = 1; i <= 9; ++i) {
    ASSERT_EQ(sweep({p, "-o", file("s.h5"), "--shard", std::to_string(i) + "/9"}).status, 0);
    gather.push_back(file("s.shard-" + std::to_string(i) + "-of-9.rows"));
  }
  ASSERT_EQ(sweep(gather).status, 0);
  EXPECT_EQ(content_of(file("joined.csv")), content_of(file("t.csv")));
}

// Recorded levers through two layouts: the one they were recorded with gives the state of `drive`.
TEST_F(SweepProgram, RunsAnExerciseWithRecordedLeversAsDriveDoes) {
  const std::string input =
      std::string(KNUCKLEBOOM_SOURCE_DIR) + "/tests/bundles/stick_levers/input.csv";
  const std::string p = plan("exercise = \"free_play\"\ninput = \"" + input +
                             "\"\ndesign = \"grid\"\n"
                             "[[vary]]\nkey = \"levers\"\nvalues = [\"nordic\", \"excavator\"]\n"
                             "[[result]]\nchannel = \"score_time_s\"\ntake = \"final\"\n");
  const Outcome outcome = sweep({p, "-o", file("t.h5")});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const Outcome drive = run({"drive", "free_play", "--input", input, "--headless", "--no-record"});
  const std::vector<std::string> nordic = row(file("t.csv"), 0), other = row(file("t.csv"), 1);
  ASSERT_EQ(nordic.size(), 4u);
  EXPECT_EQ(nordic[3], told(drive.output, "state"));
  EXPECT_NE(other[3], nordic[3]);
}

TEST_F(SweepProgram, GoesOnAfterKillNineWithTheSameTable) {
  const std::string p = plan(spread_plan("1", 60));
  ASSERT_EQ(sweep({p, "-o", file("whole.h5")}).status, 0);
  const std::string rows = file("t.rows");
  {
    Program killed({"sweep", p, "-o", file("t.h5"), "--jobs", "2"});
    // As soon as some rows are there.
    std::error_code ignored;
    for (int i = 0; i < 4000 && !(std::filesystem::exists(rows, ignored) &&
                                  std::filesystem::file_size(rows, ignored) > 2600);
         ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    killed.send(SIGKILL);
    EXPECT_EQ(killed.wait().status, 128 + SIGKILL);
  }
  ASSERT_TRUE(std::filesystem::exists(rows));
  EXPECT_FALSE(std::filesystem::exists(file("t.h5")));
  // Another plan does not go on with it, and nor does this one where a file that it reads has changed.
  const std::string kept = content_of(rows);
  const Outcome other = sweep({plan(spread_plan("1", 61), "other.toml"), "-o", file("t.h5")});
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.errors, HasSubstr("the plan has changed since it was begun"));
  EXPECT_EQ(content_of(rows), kept);
  // A torn last row is dropped.
  std::filesystem::resize_file(rows, kept.size() - 5);
  const Outcome again = sweep({p, "-o", file("t.h5")});
  EXPECT_EQ(again.status, 0) << again.errors;
  EXPECT_THAT(again.errors, HasSubstr("going on with"));
  for (const char* ending : {".h5", ".csv"})
    EXPECT_EQ(content_of(file(std::string("t") + ending)),
              content_of(file(std::string("whole") + ending)));
  // A complete table is not computed again, and a foreign table is not written over.
  EXPECT_THAT(sweep({p, "-o", file("t.h5")}).output, Not(HasSubstr("60 runs in")));
  write_text(file("t.h5"), "my own file");
  const Outcome foreign = sweep({p, "-o", file("t.h5")});
  EXPECT_EQ(foreign.status, 2);
  EXPECT_THAT(foreign.errors, HasSubstr("nothing was overwritten"));
  EXPECT_EQ(content_of(file("t.h5")), "my own file");
}

TEST_F(SweepProgram, AFailedRunIsARow) {
  const std::string p = plan(
      "scenario = \"stick_sine\"\ndesign = \"list\"\nset = [\"scenario.duration_s=0.1\"]\n"
      "[[vary]]\nkey = \"controller.stick.kp_V_per_rad\"\nvalues = [40, -1, 50]\n"
      "[[result]]\nchannel = \"stick_rad\"\ntake = \"final\"\n");
  const Outcome outcome = sweep({p, "-o", file("t.h5"), "--summary", file("s.json")});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("1 run is without results"));
  const std::vector<std::string> refused = row(file("t.csv"), 1);
  ASSERT_GE(refused.size(), 5u);
  EXPECT_EQ(refused[2], "nan");
  EXPECT_EQ(refused[3], "0000000000000000");
  EXPECT_THAT(content_of(file("t.csv")), HasSubstr("'kp_V_per_rad' is -1"));
  EXPECT_EQ(json_number(content_of(file("s.json")), "failed"), 1.0);
}

TEST_F(SweepProgram, SaysWhatIsWrongWithAPlanAndWhere) {
  const auto complaint = [&](const std::string& from, const std::string& to) {
    std::string text = spread_plan();
    const std::size_t at = text.find(from);
    text.replace(at, from.size(), to);
    const Outcome outcome = sweep({plan(text), "-o", file("t.h5")});
    EXPECT_EQ(outcome.status, 2) << outcome.output;
    EXPECT_FALSE(std::filesystem::exists(file("t.rows")));
    return outcome.errors;
  };
  EXPECT_THAT(complaint("controller.stick.kp", "controler.stick.kp"),
              HasSubstr("plan.toml:5:1: --set controler.stick.kp_V_per_rad="));
  EXPECT_THAT(complaint("controller.stick.kp", "controller.stik.kp"), HasSubstr("plan.toml:5:1: "));
  EXPECT_THAT(complaint("channel = \"stick_rad\"", "channel = \"stick_deg\""),
              HasSubstr("plan.toml:17:1: there is no channel 'stick_deg'; did you mean"));
  EXPECT_THAT(complaint("[\"full\", \"reduced\"]", "[\"fully\"]"),
              HasSubstr("there is no fidelity 'fully'"));
  EXPECT_THAT(complaint("stick_sine", "stick_sin"), HasSubstr("there is no scenario 'stick_sin'"));
}

// The best gain lies within the range and is found by BOBYQA or its stand-in, again after a kill.
TEST_F(SweepProgram, TunesAControllerOverAPlan) {
  const std::string text =
      "scenario = \"stick_sine\"\ndesign = \"list\"\nset = [\"scenario.duration_s=3\"]\n"
      "[[vary]]\nkey = \"body.stick.mass_kg\"\nfactor = true\nvalues = [0.9, 1.1]\n"
      "[[result]]\nname = \"error\"\nchannel = \"stick_rad\"\nminus = \"stick_ref_rad\"\n"
      "take = \"rms\"\n"
      "[tune]\nobjective = \"error\"\nevaluations = 12\ntolerance = 0.02\n"
      "[[tune.parameter]]\nkey = \"controller.stick.kp_V_per_rad\"\nlow = 5\nhigh = 60\nstart = "
      "10\n";
  const Outcome outcome = sweep({plan(text), "--tune", "-o", file("t.h5")});
  ASSERT_EQ(outcome.status, 0) << outcome.errors;
  const std::vector<std::string> first = row(file("t.csv"), 0);
  ASSERT_GE(first.size(), 3u);
  EXPECT_EQ(first[1], "10");
  const std::size_t at = outcome.output.find("--set controller.stick.kp_V_per_rad=");
  ASSERT_NE(at, std::string::npos) << outcome.output;
  const double best = std::atof(outcome.output.c_str() + at + 36);
  EXPECT_GT(best, 20.0);
  // Its rows are found again.
  const std::string table = content_of(file("t.csv"));
  const std::string rows = file("t.rows");
  std::filesystem::resize_file(rows, std::filesystem::file_size(rows) - 4);
  const Outcome again = sweep({file("plan.toml"), "--tune", "-o", file("t.h5")});
  EXPECT_THAT(again.errors, HasSubstr("of an earlier tuning"));
  EXPECT_EQ(content_of(file("t.csv")), table);
}

}  // namespace
}  // namespace knuckleboom::test
