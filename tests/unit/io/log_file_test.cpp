// Other people's tables: columns by map, in SI, at their own rate and with their gaps.

#include "knuckleboom/io/log_file.hpp"

#include <cmath>
#include <filesystem>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io_test_support.hpp"
#include "support/paths.hpp"

namespace knuckleboom {
namespace {

using test::faults;
using test::joined;
using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<io::KnownColumn> kKnown = {{"boom_rad", "rad"},
                                             {"boom_rad_s", "rad/s"},
                                             {"boom_port_a_Pa", "Pa"},
                                             {"boom_valve_open", ""}};

constexpr const char* kMap = R"(time = "Zeit_ms"
separator = ";"
decimal_comma = true
shift_s = 10

[[column]]
name = "boom_rad"
column = "Winkel"
unit = "deg"
scale = -1
offset_deg = 90

[[column]]
name = "boom_port_a_Pa"
column = "p1_bar"
)";

constexpr const char* kTable =
    "# logged by hand\n"
    "\"Zeit_ms\";Uhrzeit;\"Winkel\";p1_bar\n"
    "0;08:00:00;0;62,5\n"
    "20;08:00:00;30;\n"
    "70;-;90;nan\n";

TEST(LogFile, BringsColumnsUnderOurNamesAndInSi) {
  const io::LogMap map = io::read_log_map_text(kMap, "map.toml");
  const io::Trace log = io::read_log_text(kTable, "log.csv", map, kKnown);
  EXPECT_THAT(log.columns, ElementsAre("t_s", "boom_rad", "boom_port_a_Pa"));
  EXPECT_THAT(log.column("t_s"), ElementsAre(10.0, 10.02, 10.07));
  const auto& angle = log.column("boom_rad");
  EXPECT_DOUBLE_EQ(angle[0], std::numbers::pi / 2);  // -0 deg + 90 deg
  EXPECT_DOUBLE_EQ(angle[1], std::numbers::pi / 3);
  EXPECT_NEAR(angle[2], 0.0, 1e-15);
  EXPECT_EQ(log.column("boom_port_a_Pa")[0], 62.5e5);
  EXPECT_TRUE(std::isnan(log.column("boom_port_a_Pa")[1]));  // an empty field is a gap
  EXPECT_TRUE(std::isnan(log.column("boom_port_a_Pa")[2]));
}

io::LogMap map_of(const char* name, const char* column, const char* unit = "") {
  io::LogMap map;
  map.columns.push_back({name, column, unit, 1.0, {}, {"map.toml", 3, 8, {}}});
  return map;
}

TEST(LogFile, TakesTheUnitFromTheColumnsName) {
  const auto value = [](const char* name, const char* column) {
    const std::string text = std::string("t_s,") + column + "\n0,180\n";
    return io::read_log_text(text, "log.csv", map_of(name, column), kKnown).column(name)[0];
  };
  EXPECT_DOUBLE_EQ(value("boom_rad", "z1_deg"), std::numbers::pi);
  EXPECT_DOUBLE_EQ(value("boom_rad_s", "w_deg_s"), std::numbers::pi);
  EXPECT_DOUBLE_EQ(value("boom_rad_s", "w_rad_per_s"), 180.0);
  EXPECT_DOUBLE_EQ(value("boom_rad_s", "boom_rad_s"), 180.0);  // our own name says it
  EXPECT_DOUBLE_EQ(value("boom_port_a_Pa", "pP_kPa"), 180e3);
  EXPECT_DOUBLE_EQ(value("boom_valve_open", "state"), 180.0);  // a plain number needs no unit
}

TEST(LogFile, SaysWhatIsWrongAndWhere) {
  const auto complaint = [](const io::LogMap& map, const char* text) {
    return joined(faults([&] { io::read_log_text(text, "log.csv", map, kKnown); }));
  };
  constexpr const char* kText = "t_s,q1\n0,1\n";
  EXPECT_THAT(complaint(map_of("boom_rad", "q1"), kText),
              HasSubstr("map.toml:3:8: in what unit is 'q1'? 'boom_rad' is an angle; add unit = "
                        "\"rad\" or \"deg\""));
  EXPECT_THAT(complaint(map_of("boom_rad", "q1", "bar"), kText),
              HasSubstr("'unit' of 'boom_rad' is \"bar\"; that is an angle, so expected \"rad\" or "
                        "\"deg\""));
  EXPECT_THAT(complaint(map_of("boom_rad", "q2", "deg"), kText),
              HasSubstr("log.csv has no column 'q2'; did you mean 'q1'?"));
  EXPECT_THAT(complaint(map_of("bom_rad", "q1", "deg"), kText),
              HasSubstr("there is no channel 'bom_rad'; did you mean 'boom_rad'?"));
  EXPECT_THAT(complaint(map_of("boom_rad", "q1", "deg"), "t_s,q1\n0,1\n1,2\n1,3\n"),
              HasSubstr("log.csv:4:1: the times of column 't_s' must be numbers that increase"));
  EXPECT_THAT(complaint(map_of("boom_rad", "q1", "deg"), "t_s,q1\n0,1\n1,x\n"),
              HasSubstr("log.csv:3:3: column 'q1': 'x' is not a number"));
  EXPECT_THAT(complaint(map_of("boom_rad", "q1", "deg"), "t_s,q1\n"), HasSubstr("no rows"));
}

TEST(LogFile, SaysOnceThatTheSeparatorIsAnother) {
  io::LogMap map = map_of("boom_rad", "q1", "deg");
  map.columns.push_back(map.columns.front());
  const auto found = faults([&] { io::read_log_text("t;q1;q2\n0;1;2\n", "log.csv", map, kKnown); });
  ASSERT_EQ(found.size(), 1u) << joined(found);
  EXPECT_EQ(found[0].message, "log.csv is all in one column; give the log map separator = \";\"");
  map.separator = ';';
  EXPECT_THAT(joined(faults([&] { io::read_log_text("t\tq1\n0\t1\n", "log.csv", map, kKnown); })),
              HasSubstr("separator = \"tab\""));
  // One column may be all that a log has.
  map.separator = ',';
  map.row_s = 0.1;
  map.columns = {{"boom_rad", "q;1", "rad", 1.0, {}, {}}};
  EXPECT_EQ(io::read_log_text("q;1\n2\n", "log.csv", map, kKnown).column("boom_rad")[0], 2.0);
}

TEST(LogFile, RefusesMapsThatCannotBeMeant) {
  const auto complaint = [](const std::string& text) {
    return joined(faults([&] { io::read_log_map_text(text, "map.toml"); }));
  };
  EXPECT_THAT(complaint("time = \"t\"\n"), HasSubstr("has no [[column]]"));
  EXPECT_THAT(complaint("decimal_comma = true\n[[column]]\nname = \"a\"\n"),
              HasSubstr("map.toml:1:17: numbers with a decimal comma cannot be separated"));
  EXPECT_THAT(complaint("[[column]]\nname = \"a\"\nunits = \"deg\"\n"),
              HasSubstr("map.toml:3:1: a column has no key 'units'; did you mean 'unit'?"));
  EXPECT_THAT(complaint("[[column]]\nname = \"a\"\nscale = 0\n"), HasSubstr("'scale' is 0"));
}

// A real machine's record; it lies outside the project.
TEST(LogFile, ReadsTheRecordOfARealCrane) {
  const std::filesystem::path file =
      std::filesystem::path(KNUCKLEBOOM_SHARED_DIR) / "data/patu655/measured_100Hz.csv";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not here";
  io::LogMap map;
  map.columns = {{"boom_rad", "z1_lift_deg", "", 1.0, {}, {}},
                 {"boom_rad_s", "z1dot_deg_s", "", 1.0, {}, {}},
                 {"boom_port_a_Pa", "p1_lift_piston_Pa", "", 1.0, {}, {}}};
  const io::Trace log = io::read_log(file, map, kKnown);
  ASSERT_EQ(log.rows(), 2701u);
  EXPECT_DOUBLE_EQ(log.column("t_s").back(), 27.0);
  const auto& angle = log.column("boom_rad");
  EXPECT_DOUBLE_EQ(angle[0], 0.953332 * std::numbers::pi / 180);
  EXPECT_DOUBLE_EQ(log.column("boom_rad_s")[0], 1.00741 * std::numbers::pi / 180);
  // The lift goes up by some 47 degrees.
  EXPECT_NEAR(angle.back() - angle.front(), 47.0 * std::numbers::pi / 180, 0.01);
  EXPECT_NEAR(log.column("boom_port_a_Pa")[0], 66.1e5, 0.2e5);
}

TEST(Deviation, LooksAtTheReferencesTimesAndLeavesItsGapsAlone) {
  io::Trace run{{}, {"t_s", "x"}, {{}, {}}, "run"};
  for (int i = 0; i <= 1000; ++i) {
    run.data[0].push_back(0.001 * i);
    run.data[1].push_back(std::fabs(0.001 * i - 0.5));  // a corner at 0.5
  }
  // Samples before and after a gap that holds the corner, one between two rows of the run, one missing.
  const double nan = std::nan("");
  const io::Trace reference{
      {}, {"t_s", "x"}, {{0.1, 0.2005, 0.3, 0.8, 2.0}, {0.4, 0.2995, nan, 0.3 - 0.01, 7.0}}, "ref"};
  const io::ColumnDifference found = io::deviation(run, reference, "x", -INFINITY, INFINITY);
  EXPECT_EQ(found.samples, 3u);
  EXPECT_NEAR(found.max, 0.01, 1e-12);
  EXPECT_EQ(found.time_of_max_s, 0.8);
  EXPECT_NEAR(found.rms, 0.01 / std::sqrt(3.0), 1e-12);
  EXPECT_EQ(io::deviation(run, reference, "x", 0.15, 0.7).samples, 1u);
  EXPECT_EQ(io::deviation(run, reference, "x", 1.5, 3.0).samples, 0u);
}

}  // namespace
}  // namespace knuckleboom
