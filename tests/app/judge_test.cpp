// knuckleboom judge, end to end.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace knuckleboom::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(Judge, ATraceByItsColumns) {
  const TemporaryFolder folder;
  const std::string trace = (folder / "t.csv").string(), json = (folder / "j.json").string();
  ASSERT_EQ(run({"run", "tip_circle", "--trace", trace}).status, 0);
  const Outcome outcome = run({"judge", trace, "--summary", json});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, testing::ContainsRegex("Pump work +not in the log"));
  EXPECT_THAT(outcome.output, testing::ContainsRegex("Head swing per leg +not in the log"));
  // A circle of 1 m radius and a straight line of some metres.
  EXPECT_GT(json_number(content_of(json), "path_m"), 2.0 * 3.14159 + 1.0);
  EXPECT_LT(json_number(content_of(json), "path_m"), 25.0);
  EXPECT_EQ(json_value(content_of(json), "energy_J"), "\"not in the log\"");
  EXPECT_LT(json_number(content_of(json), "smoothness"), -5.3);
}

// Somebody's table is shown as it is understood, and the map that is written reads it.
TEST(Judge, ATableAsItsMapIsWritten) {
  const TemporaryFolder folder;
  std::string log =
      "Logger;3000\nZeit [ms];Tip X [mm];Tip Y [mm];Tip Z [mm];Lever left X [%];Status\n";
  for (int i = 0; i <= 200; ++i)
    log += fmt::format("{},0;{},5;0,0;2000,0;{},0;OK\n", 20 * i, 4000 + 10 * i, i > 5 ? 50 : 0);
  const std::string file = (folder / "l.csv").string(), map = (folder / "m.toml").string();
  write_text(file, log);
  const Outcome shown = run({"log", file, "--write-map", map});
  ASSERT_EQ(shown.status, 0) << shown.errors;
  EXPECT_THAT(shown.output, HasSubstr("'Zeit' in ms: 201 rows from 0 to 4 s, 50 Hz"));
  EXPECT_THAT(shown.output, testing::ContainsRegex("Lever left X +% +0 +50  as lever_left_x"));
  EXPECT_THAT(content_of(map), HasSubstr("header_row = 2\nskip_rows = 0\n"));
  const Outcome judged = run({"judge", file, "--map", map});
  EXPECT_EQ(judged.status, 0) << judged.errors;
  EXPECT_THAT(judged.output, testing::ContainsRegex("Tip path +1\\.9[0-9] m"));  // from row 6 on
  EXPECT_THAT(run({"log", file, "--write-map", file}).errors, HasSubstr("--write-map"));
  EXPECT_EQ(content_of(file), log);
}

// Frames of a bus by their DBC: what is in them, what the DBC does not know, and a map that reads them.
TEST(Log, OfACanBusIsShownByItsDbc) {
  const TemporaryFolder folder;
  const std::string bus = (folder / "bus.log").string(), dbc = (folder / "crane.dbc").string();
  const std::string map = (folder / "m.toml").string();
  write_text(bus,
             "(1436509052.500000) can0 120#39300FA0FFFF8003\n"
             "(1436509052.510000) can0 120#C7CFF05FFE1F7FC0\n(1436509052.520000) can0 7FF#00\n");
  write_text(dbc,
             "VERSION \"\"\n\nBU_: Crane\n\nBO_ 288 Joints: 8 Crane\n"
             " SG_ boom : 0|16@1- (0.01,0) [-180|180] \"deg\" Crane\n"
             " SG_ reach : 33|13@1+ (0.5,-100) [0|0] \"mm\" Crane\n");
  const Outcome shown = run({"log", bus, "--dbc", dbc, "--write-map", map});
  ASSERT_EQ(shown.status, 0) << shown.errors;
  EXPECT_THAT(shown.output, HasSubstr("a candump log of 3 frames"));
  EXPECT_THAT(shown.output, testing::ContainsRegex("boom +deg +-123[.]45 +123[.]45"));
  EXPECT_THAT(shown.output, testing::ContainsRegex("reach +mm +1947[.]5 +3995[.]5"));
  EXPECT_THAT(shown.output, HasSubstr("frames that the DBC does not describe: 0x7FF"));
  EXPECT_THAT(content_of(map), HasSubstr("crane.dbc"));

  const Outcome without = run({"log", bus});
  EXPECT_EQ(without.status, 2);
  EXPECT_THAT(without.errors, HasSubstr("say with --dbc FILE"));
  const Outcome nowhere = run({"log", bus, "--dbc", (folder / "none.dbc").string()});
  EXPECT_EQ(nowhere.status, 2);
  EXPECT_THAT(nowhere.errors, HasSubstr("none.dbc"));
}

// A file that opens and does not give its bytes.
TEST(Judge, SaysThatAFileCannotBeRead) {
  for (const char* command : {"judge", "log"}) {
    const Outcome outcome = run({command, "/proc/self/mem"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.errors, HasSubstr("/proc/self/mem: cannot be read: "));
  }
}

// The boom turns at 8 rad/s for 0.5 s, which no crane does, and beyond its upper limit of 1.1 rad.
TEST(Judge, WatchesTheJointsOfSomebodyElsesLog) {
  const TemporaryFolder folder;
  std::string log = "t_s,swing_rad,boom_rad,stick_rad\n";
  for (int i = 0; i <= 200; ++i) {
    const double t = 0.01 * i, turned = std::min(std::max(t - 1.0, 0.0), 0.5);
    log += std::to_string(t) + ",0," + std::to_string(-0.3 + 8.0 * turned) + ",-1.3\n";
  }
  write_text(folder / "log.csv", log);
  const std::string file = (folder / "log.csv").string(), json = (folder / "j.json").string();
  const Outcome outcome = run({"judge", file, "--machine", "harvester", "--summary", json});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, testing::ContainsRegex(
                                  "warning: no real machine does this: joint 'boom' moved at 8 "
                                  "rad/s, beyond 6 rad/s .at 1[.][0-9]+ s; since 1.03 s, 450 ms"));
  EXPECT_THAT(outcome.output, HasSubstr("joint 'boom' was 2.6 rad outside its limits"));
  EXPECT_THAT(content_of(json), HasSubstr("joint 'boom' moved at 8 rad/s"));
  const std::string all =
      "speeds and limits of swing, boom and stick; pistons of boom and stick; not pressures and "
      "energy";
  EXPECT_THAT(outcome.output, HasSubstr("watched              " + all + "\n"));
  EXPECT_THAT(content_of(json), HasSubstr('"' + all + '"'));
  write_text(folder / "boom.csv", "t_s,boom_rad\n0,0.1\n0.1,0.1\n0.2,0.1\n");
  EXPECT_THAT(
      run({"judge", (folder / "boom.csv").string(), "--machine", "harvester"}).output,
      HasSubstr("speeds and limits of boom; pistons of boom; not pressures and energy, and not "
                "swing and stick, which the log has not"));
  EXPECT_THAT(run({"judge", file, "--machine", "harvester", "--exercise", "reach"}).output,
              HasSubstr("no real machine does this"));
}

// A straight least-jerk motion of 3 m in 4 s, as another program might log it.
TEST(Judge, SomebodyElsesLogByAMap) {
  const TemporaryFolder folder;
  write_text(folder / "map.toml",
             "time = \"ms\"\ntime_unit = \"ms\"\nseparator = \"tab\"\n"
             "[[column]]\nname = \"tip_x_m\"\ncolumn = \"X\"\nunit = \"mm\"\n"
             "[[column]]\nname = \"tip_y_m\"\ncolumn = \"Y\"\nunit = \"mm\"\n"
             "[[column]]\nname = \"tip_z_m\"\ncolumn = \"Z\"\nunit = \"mm\"\n");
  std::string table = "ms\tX\tY\tZ\twho\n";
  for (int i = 0; i <= 600; ++i) {
    const double s = std::fmin(1.0, std::fmax(0.0, (0.01 * i - 0.5) / 4.0));
    const double way = 3000.0 * s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
    table += std::to_string(10 * i) + "\t" + std::to_string(0.6 * way) + "\t" +
             std::to_string(-0.8 * way) + "\t1500\tKalle\n";
  }
  write_text(folder / "log.csv", table);
  const std::string log = (folder / "log.csv").string(), json = (folder / "j.json").string();
  const Outcome outcome =
      run({"judge", log, "--map", (folder / "map.toml").string(), "--summary", json});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_NEAR(json_number(content_of(json), "path_m"), 3.0, 0.02);  // smoothing swings by 0.4 %
  EXPECT_NEAR(json_number(content_of(json), "smoothness"), -5.322, 0.06);
  EXPECT_EQ(json_number(content_of(json), "submovements_per_leg"), 1.0);
  EXPECT_THAT(outcome.output, testing::ContainsRegex("Lever reversals +not in the log"));
  const Outcome unmapped = run({"judge", log});
  EXPECT_EQ(unmapped.status, 2);
  EXPECT_THAT(unmapped.errors, HasSubstr("no column has a name that can be judged"));
}

TEST(Judge, AgainstTheLimitsOfAnExercise) {
  const TemporaryFolder folder;
  std::string table = "t_s,tip_x_m,tip_y_m,tip_z_m\n";
  for (int i = 0; i <= 200; ++i) table += std::to_string(i) + ",0,0,0\n";
  write_text(folder / "slow.csv", table);
  const Outcome outcome = run({"judge", (folder / "slow.csv").string(), "--exercise", "reach"});
  EXPECT_EQ(outcome.status, 4);
  EXPECT_THAT(outcome.output, testing::ContainsRegex("Time +3:20.0 +at most 3:00   BEYOND"));
  EXPECT_THAT(outcome.output, testing::ContainsRegex("Collisions +not in the log +at most 0\n"));
}

TEST(Judge, ATipThatTremblesTooMuch) {
  const TemporaryFolder folder;
  std::string table = "t_s,tip_x_m,tip_y_m,tip_z_m,held\n";
  for (int i = 0; i <= 1000; ++i)
    table += std::to_string(0.01 * i) + "," +
             std::to_string(1e-3 * static_cast<double>(i * i * 7919L % 1009)) + ",0,0,0\n";
  write_text(folder / "noise.csv", table);
  const Outcome outcome = run({"judge", (folder / "noise.csv").string(), "--exercise", "logs"});
  EXPECT_THAT(outcome.output,
              testing::ContainsRegex("Tip path +too noisy: 0\\.[0-9]+ m/s at rest"));
  EXPECT_THAT(outcome.output, testing::ContainsRegex("Smoothness \\(LDLJ\\) +too noisy: "));
  // No cycle is not a fast one.
  EXPECT_THAT(outcome.output, testing::ContainsRegex("Cycle time +- +at most .*BEYOND"));
  EXPECT_EQ(outcome.status, 4);
}

TEST(Judge, ARecordedSession) {
  const TemporaryFolder folder;
  const std::string session = (folder / "s.h5").string();
  const Outcome drive =
      run({"drive", "reach", "--demonstrate", "--headless", "--session", session});
  ASSERT_EQ(drive.status, 0) << drive.errors;
  const Outcome outcome = run({"judge", session, "--exercise", "reach"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.output, HasSubstr("attempt 1 of 1"));
  const auto figure = [](const std::string& text, const char* label) {
    const std::size_t at = text.find(label);
    return at == std::string::npos ? std::string("none")
                                   : text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_THAT(outcome.output, testing::Not(HasSubstr("Points")));  // there are none
  EXPECT_THAT(outcome.output, HasSubstr("Advice (not yet checked on people)\n"));
  EXPECT_THAT(outcome.output,
              HasSubstr("not looked at: 3 one function after the other: 3 of at least 8 legs "));
  EXPECT_THAT(outcome.output, HasSubstr("not looked at: 1 works too far out, 2 works too close: "));
  for (const char* label :
       {"Tip path", "Smoothness", "Head swing per leg", "Pump work  ", "Work of the crane"})
    EXPECT_EQ(figure(outcome.output, label), figure(drive.output, label));
}

}  // namespace
}  // namespace knuckleboom::test
