// Other people's tables: columns by map, in SI, at their own rate and with their gaps.

#include "knuckleboom/io/log_file.hpp"

#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
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
  map.columns.push_back({name, column, "", unit, 1.0, {}, {"map.toml", 3, 8, {}}});
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
  EXPECT_THAT(complaint(map_of("boom_rad", "q1", "deg"), "t_s,q1\n0,1\n1,2\n0.5,3\n"),
              HasSubstr("log.csv:4:1: the times of column 't_s' must be numbers that increase"));
  EXPECT_THAT(complaint(map_of("boom_rad", "q1", "deg"), "t_s,q1\n0,1\n1,x\n"),
              HasSubstr("log.csv:3:3: column 'q1': 'x' is not a number"));
  EXPECT_THAT(complaint(map_of("boom_rad", "q1", "deg"), "t_s,q1\n"), HasSubstr("no rows"));
}

TEST(LogFile, SaysOnceThatTheSeparatorIsAnother) {
  io::LogMap map = map_of("boom_rad", "q1", "deg");
  map.columns.push_back(map.columns.front());
  map.separator = ',';
  const auto found = faults([&] { io::read_log_text("t;q1;q2\n0;1;2\n", "log.csv", map, kKnown); });
  ASSERT_EQ(found.size(), 1u) << joined(found);
  EXPECT_EQ(found[0].message, "log.csv is all in one column; give the log map separator = \";\"");
  map.separator = ';';
  EXPECT_THAT(joined(faults([&] { io::read_log_text("t\tq1\n0\t1\n", "log.csv", map, kKnown); })),
              HasSubstr("separator = \"tab\""));
  // One column may be all that a log has.
  map.separator = ',';
  map.row_s = 0.1;
  map.columns = {{"boom_rad", "q;1", "", "rad", 1.0, {}, {}}};
  EXPECT_EQ(io::read_log_text("q;1\n2\n", "log.csv", map, kKnown).column("boom_rad")[0], 2.0);
}

// Sixty rows of 20 ms as different loggers write them.
struct Kind {
  const char* name;
  std::string text;
  const char* note = "";  // that must be said; empty: nothing is
  std::string map = "[[column]]\nname = \"tip_x_m\"\n[[column]]\nname = \"held\"\n";
};

constexpr int kRows = 60;

// Each row by the values that it has; {0} is the row, {1} the time, {2} the length, {3} the switch.
std::string table_of(const std::string& head, const std::string& row, const char* end = "\n",
                     double time_scale = 1.0, double length_scale = 1.0) {
  std::string text = head;
  for (int i = 0; i < kRows; ++i)
    text += fmt::format(fmt::runtime(row), i, time_scale * 0.02 * i,
                        length_scale * (4.0 + 0.001 * i), i % 2) +
            end;
  return text;
}

std::string all_replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::string utf16(const std::string& text, bool big_endian) {
  std::string out;
  for (const char c : text) {
    if (big_endian) out += '\0';
    out += c;
    if (!big_endian) out += '\0';
  }
  return out;
}

std::vector<Kind> kinds() {
  const std::string head = "t_s,tip_x_m,held\n";
  const std::string row = "{1:.2f},{2:.3f},{3}";
  const std::string plain = table_of(head, row);
  const std::string semicolons = all_replaced(plain, ",", ";");
  const std::string commas = all_replaced(semicolons, ".", ",");
  const std::string marked = "# by a logger\n";
  std::vector<Kind> out = {
      {"plain", plain},
      {"crlf", table_of("t_s,tip_x_m,held\r\n", row, "\r\n")},
      {"cr", table_of("t_s,tip_x_m,held\r", row, "\r")},
      {"bom", "\xEF\xBB\xBF" + plain},
      {"utf16_le", "\xFF\xFE" + utf16(plain, false), "UTF-16"},
      {"utf16_be", "\xFE\xFF" + utf16(plain, true), "UTF-16"},
      {"utf16_without_a_mark", utf16(plain, false), "UTF-16"},
      {"latin1",
       table_of("t_s,tip_x_m,held,Temp [\xB0"
                "C]\n",
                row + ",20"),
       "Latin-1"},
      {"semicolons", semicolons, "separator = \";\""},
      {"decimal_commas", commas, "decimal_comma = true"},
      {"tabs", all_replaced(plain, ",", "\t"), "separator = \"tab\""},
      {"blanks", all_replaced(plain, ",", "   "), "separator = \"space\""},
      {"spreadsheet", "sep=;\n" + semicolons, "line 2"},
      {"comma_at_the_end", table_of("t_s,tip_x_m,held,\n", row + ",")},
      {"comma_at_the_end_of_rows", table_of(head, row + ",")},
      {"all_quoted", table_of("\"t_s\",\"tip_x_m\",\"held\"\n", "\"{1:.2f}\",\"{2:.3f}\",\"{3}\"")},
      {"quoted_text", table_of("t_s,tip_x_m,held,what\n", row + ",\"up, and \"\"away\"\"\"")},
      {"a_row_of_units", table_of("t_s,tip_x_m,held\n[s],[m],[-]\n", row), "line 2 tells units"},
      {"other_units",
       table_of("Time,tip_x_m,held\nms,mm,\n", "{1:.0f},{2:.0f},{3}", "\n", 1e3, 1e3),
       "line 2 tells units"},
      {"units_in_names",
       table_of("Time [ms],tip_x_m [mm],held\n", "{1:.0f},{2:.0f},{3}", "\n", 1e3, 1e3)},
      {"lines_before", "Logger 3000\nSerial,12345\nRate,50,Hz\n\n" + plain, "header_row = 5"},
      {"percent_comments", "% one\n% two\n" + plain},
      {"names_in_a_comment", "# t_s tip_x_m held\n" + all_replaced(table_of("", row), ",", " "),
       "in the comment of line 1"},
      {"campbell",
       table_of("\"TOA5\",\"CR1000\",\"x\",\"1\"\n\"TIMESTAMP\",\"RECORD\",\"tip_x_m\",\"held\"\n"
                "\"TS\",\"RN\",\"m\",\"\"\n\"\",\"\",\"Smp\",\"Smp\"\n",
                "\"2026-05-01 12:00:{1:05.2f}\",{0},{2:.3f},{3}"),
       "header_row = 2"},
      {"dates", table_of("time,tip_x_m,held\n", "2026-12-31T23:59:{1:06.3f}Z,{2:.3f},{3}"),
       "count from the first row"},
      {"german_dates", table_of("Zeit;tip_x_m;held\n", "01.05.2026 12:00:{1:06.3f};{2:.3f};{3}"),
       "count from the first row"},
      {"american_dates",
       table_of("Date/Time,tip_x_m,held\n", "5/1/2026 0:59:{1:06.3f} PM,{2:.3f},{3}"),
       "count from the first row"},
      {"only_a_rate", table_of("tip_x_m,held\n", "{2:.3f},{3}"), "",
       "row_ms = 20\n[[column]]\nname = \"tip_x_m\"\n[[column]]\nname = \"held\"\n"},
      {"switches", all_replaced(all_replaced(plain, ",0\n", ",OFF\n"), ",1\n", ",on\n")},
      {"text_beside", table_of("t_s,tip_x_m,held,state\n", row + ",IDLE")},
      {"marks", all_replaced(plain, "0.10,4.005,", "0.10,4.005,ERR"), "'ERR1' in line 7; missing"},
      {"gaps", all_replaced(plain, "0.10,4.005,1", "0.10,,nan")},
      {"a_short_row", all_replaced(plain, "0.10,4.005,1", "0.10,4.005"), "1 row has fewer fields"},
      {"cut_off", plain + "1.20,4.0", "the last line, 62, is cut off"},
      {"two_logs", plain + head, "comes again, 1 time"},
      {"names_twice", table_of("t_s,tip_x_m,held,x,x\n", row + ",1,2"), "'x (2)'"},
      {"no_names", table_of("", row), "'column 1' to 'column 3'",
       "[[column]]\nname = \"tip_x_m\"\ncolumn = \"column 2\"\nunit = \"m\"\n"
       "[[column]]\nname = \"held\"\ncolumn = \"column 3\"\n"},
      {"two_sides", table_of("t_s,tip_x_m,up,down\n", "{1:.2f},{2:.3f},{3},0"), "",
       "[[column]]\nname = \"tip_x_m\"\n[[column]]\nname = \"held\"\ncolumn = \"up\"\n"
       "minus = \"down\"\n"},
      {"comments_between", all_replaced(plain, "0.10,", marked + "0.10,")},
  };
  for (const auto& [unit, scale] : {std::pair{"s", 1.0}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}}) {
    std::string text = "stamp,tip_x_m,held\n";
    for (int i = 0; i < kRows; ++i)
      text += fmt::format("{:.{}f},{:.3f},{}\n", (1777636800.0 + 0.02 * i) * scale,
                          scale == 1.0 ? 2 : 0, 4.0 + 0.001 * i, i % 2);
    out.push_back({unit, text, "since 1970"});
  }
  return out;
}

TEST(LogFile, ReadsTablesAsOthersWriteThem) {
  const std::vector<io::KnownColumn> known = {{"tip_x_m", "m"}, {"held", ""}};
  for (const Kind& kind : kinds()) {
    SCOPED_TRACE(kind.name);
    const io::LogMap map = io::read_log_map_text(kind.map, "map.toml");
    io::Trace log;
    ASSERT_NO_THROW(log = io::read_log_text(kind.text, "log.csv", map, known))
        << joined(faults([&] { io::read_log_text(kind.text, "log.csv", map, known); }));
    ASSERT_EQ(log.rows(), static_cast<std::size_t>(kRows));
    std::string notes;
    for (const std::string& note : log.notes) notes += note + "\n";
    if (kind.note[0] == '\0')
      EXPECT_EQ(notes, "");
    else
      EXPECT_THAT(notes, HasSubstr(kind.note));
    for (std::size_t i = 0; i < log.rows(); ++i) {
      EXPECT_NEAR(log.column("t_s")[i], 0.02 * static_cast<double>(i),
                  3e-6);  // of 1e9 s in a double
      const double length = log.column("tip_x_m")[i], held = log.column("held")[i];
      if (!std::isnan(length)) {
        EXPECT_NEAR(length, 4.0 + 0.001 * static_cast<double>(i), 1e-12);
      }
      if (!std::isnan(held)) {
        EXPECT_EQ(held, static_cast<double>(i % 2));
      }
    }
  }
}

// A clock with whole seconds, a day that ends, a stamp that stands still for one row.
TEST(LogFile, SpreadsTimesThatDoNotTellRowsApart) {
  const std::vector<io::KnownColumn> known = {{"held", ""}};
  const auto times = [&](const std::string& text) {
    return io::read_log_text(text, "log.csv", map_of("held", "held"), known).column("t_s");
  };
  std::string coarse = "Time,held\n";
  for (int i = 30; i < 230; ++i) coarse += fmt::format("12:00:{:02},1\n", i / 50);
  const std::vector<double> t = times(coarse);
  for (std::size_t i = 1; i < t.size(); ++i) EXPECT_NEAR(t[i] - t[i - 1], 0.02, 1e-9) << i;
  EXPECT_THAT(times("Time,held\n23:59:59.5,1\n00:00:00.5,1\n"), ElementsAre(0.0, 1.0));
  const std::vector<double> still = times("t,held\n0,1\n1,1\n1,1\n2,1\n3,1\n");
  EXPECT_THAT(still, ElementsAre(0.0, 1.0, 1.5, 2.0, 3.0));
}

TEST(LogFile, FindsNothingOutWhereTheMapForbidsIt) {
  io::LogMap map = map_of("held", "held");
  map.guess = false;
  const std::vector<io::KnownColumn> known = {{"held", ""}};
  const auto complaint = [&](const char* text) {
    return joined(faults([&] { io::read_log_text(text, "log.csv", map, known); }));
  };
  EXPECT_EQ(complaint("t,held\n0,1\n1,0\n"), "");
  EXPECT_THAT(complaint("t;held\n0;1\n"), HasSubstr("separator = \";\""));
  EXPECT_THAT(complaint("t,held\n0,1\n1,ERR\n"), HasSubstr("log.csv:3:3: column 'held': 'ERR'"));
  EXPECT_THAT(complaint("t,held\n0,1\n0,0\n"), HasSubstr("log.csv:3:1: the times"));
  EXPECT_THAT(complaint("t,held\n0,1\n1\n"), HasSubstr("log.csv:3:1: this line has 1 value"));
  EXPECT_THAT(complaint("t,held\n[s],[-]\n0,1\n"), HasSubstr("log.csv:2:"));
}

TEST(LogFile, RefusesWhatIsBeyondAChannelsRangeWithWhatItLooksLike) {
  const std::vector<io::KnownColumn> known = {{"lever_left_x", "", 1.0}};
  const auto complaint = [&](const char* text) {
    return joined(
        faults([&] { io::read_log_text(text, "log.csv", map_of("lever_left_x", "x"), known); }));
  };
  EXPECT_THAT(
      complaint("t,x\n0,1\n1,-99.5\n2,3\n"),
      HasSubstr("log.csv:3:1: column 'x' is -99.5 here, but 'lever_left_x' goes from -1 to 1; "
                "it looks like per cent: give a log map with scale = 0.01"));
  EXPECT_THAT(complaint("t,x\n0,1000\n"), HasSubstr("per mille"));
  EXPECT_THAT(complaint("t,x\n0,32767\n"), HasSubstr("1 over its full travel"));
  EXPECT_EQ(complaint("t,x\n0,1.02\n"), "");  // a sensor's zero
}

TEST(LogFile, SaysHowFilesOfOtherKindsBecomeTables) {
  const auto complaint = [&](const std::string& text) {
    return joined(faults([&] { io::read_log_text(text, "log", map_of("boom_rad", "x"), kKnown); }));
  };
  EXPECT_THAT(complaint("MDF     4.10"), HasSubstr("MDF file"));
  EXPECT_THAT(complaint("LOGG\x90"), HasSubstr("BLF log"));
  EXPECT_THAT(complaint("\x89MCAP0\r\n"), HasSubstr("MCAP log"));
  EXPECT_THAT(complaint("PK\x03\x04"), HasSubstr("save the sheet as CSV"));
  EXPECT_THAT(complaint("no table\nat all\n"), HasSubstr("has no column 'x'"));
}

TEST(LogFile, RefusesMapsThatCannotBeMeant) {
  const auto complaint = [](const std::string& text) {
    return joined(faults([&] { io::read_log_map_text(text, "map.toml"); }));
  };
  EXPECT_THAT(complaint("time = \"t\"\n"), HasSubstr("has no [[column]]"));
  EXPECT_THAT(complaint("separator = \",\"\ndecimal_comma = true\n[[column]]\nname = \"a\"\n"),
              HasSubstr("map.toml:2:17: numbers with a decimal comma cannot be separated"));
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
  map.columns = {{"boom_rad", "z1_lift_deg", "", "", 1.0, {}, {}},
                 {"boom_rad_s", "z1dot_deg_s", "", "", 1.0, {}, {}},
                 {"boom_port_a_Pa", "p1_lift_piston_Pa", "", "", 1.0, {}, {}}};
  const io::Trace log = io::LogTable(file, map).read(map.columns, kKnown);
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

// A step of 10.8 MPa that comes 3 ms later is 3 ms late, and not 10.8 MPa off.
TEST(Deviation, OfAStepThatComesLaterIsATime) {
  io::Trace run{{}, {"t_s", "p"}, {{}, {}}, "run"}, reference = run;
  const auto step = [](double t) { return 10.8e6 * std::clamp((t - 0.5) / 0.002, 0.0, 1.0); };
  for (int i = 0; i <= 1000; ++i) {
    run.data[0].push_back(0.001 * i);
    run.data[1].push_back(step(0.001 * i - 0.003));
    if (i % 20 != 2) continue;
    reference.data[0].push_back(0.001 * i);
    reference.data[1].push_back(step(0.001 * i));
  }
  const auto within = [&](double early_s, double late_s) {
    return io::deviation(run, reference, "p", 0.0, 1.0, {early_s, late_s}).max;
  };
  EXPECT_NEAR(within(0.0, 0.0), 10.8e6, 1.0);
  EXPECT_NEAR(within(0.0, 0.0029), 10.8e6 * 0.05, 1.0);  // a tenth of a millisecond of 2 ms
  EXPECT_LT(within(0.0, 0.0031), 1.0);
  EXPECT_NEAR(within(0.1, 0.0), 10.8e6, 1.0);
  EXPECT_NEAR(io::delay(run, reference, "p", 0.0, 1.0, 1e3, 0.2), 0.003, 2e-4);
  EXPECT_TRUE(std::isnan(io::delay(run, reference, "p", 0.0, 1.0, 1e3, 0.002)));
}

}  // namespace
}  // namespace knuckleboom
