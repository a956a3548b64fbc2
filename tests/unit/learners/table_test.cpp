#include "learners/table.hpp"

#include <cmath>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/io/diagnostic.hpp"
#include "support/temporary_folder.hpp"

namespace knuckleboom::learners {
namespace {

TEST(LearnersTable, QuotesAsTheStandardSays) {
  EXPECT_EQ(csv_text("plain"), "plain");
  EXPECT_EQ(csv_text(""), "");
  EXPECT_EQ(csv_text("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_text("say \"no\""), "\"say \"\"no\"\"\"");
  EXPECT_EQ(csv_text("two\nlines"), "\"two\nlines\"");
}

TEST(LearnersTable, KeepsFormulasFromSpreadsheets) {
  EXPECT_EQ(csv_text("=1+1"), "'=1+1");
  EXPECT_EQ(csv_text("+49"), "'+49");
  EXPECT_EQ(csv_text("-x"), "'-x");
  EXPECT_EQ(csv_text("@SUM(A1)"), "'@SUM(A1)");
  EXPECT_EQ(csv_text("\tx"), "\"'\tx\"");
  // Opened with another separator, it is one cell as well.
  EXPECT_EQ(csv_text("Bo;=1+1"), "\"Bo;=1+1\"");
  EXPECT_EQ(csv_text("Bo\t=1+1"), "\"Bo\t=1+1\"");
  EXPECT_EQ(csv_text("Bo,=1+1", ';'), "\"Bo,=1+1\"");
  EXPECT_EQ(csv_text("=HYPERLINK(\"x\",\"y\")"), "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"");
}

TEST(LearnersTable, HasARowForEachResult) {
  FiledSession one;
  one.file = "/data/a, b.h5";
  one.started = "2026-11-28T06:40:12Z";
  one.exercise = "reach";
  one.machine = "crane";
  one.duration_s = 61.5;
  one.trust = 3;
  one.instructor = "A.M.";
  one.results = {{1, false, true, {{"time_s", 50.25}}, "k1", "c1"},
                 {2, true, true, {{"error_m", std::nan("")}, {"points", 60.5}, {"time_s", 0.1}}},
                 {3, false, false, {{"time_s", 7.0}}}};
  FiledSession none;
  none.exercise = "logs";
  EXPECT_EQ(csv_table({{{1, "Öberg, Åsa", "k"}, {one}}, {{2, "=Bo", "k"}, {none}}},
                      {"time_s", "points", "path_m"}),
            "learner,started,exercise,machine,attempt,passed,finished,trust,time_s,points,error_m,"
            "why,session_s,file,station,instructor,key,curve_key\r\n"
            "\"Öberg, Åsa\",2026-11-28T06:40:12Z,reach,crane,1,0,1,3,50.25,,,,61.5,\"/data/a, "
            "b.h5\",,A.M.,k1,c1\r\n"
            "\"Öberg, Åsa\",2026-11-28T06:40:12Z,reach,crane,2,1,1,3,0.1,60.5,,,61.5,\"/data/a, "
            "b.h5\",,A.M.,,\r\n"
            "\"Öberg, Åsa\",2026-11-28T06:40:12Z,reach,crane,3,0,0,3,7,,,,61.5,\"/data/a, "
            "b.h5\",,A.M.,,\r\n"
            "'=Bo,,logs,,,0,0,1,,,,,0,,,,,\r\n");
  EXPECT_EQ(csv_table({}),
            "learner,started,exercise,machine,attempt,passed,finished,trust,why,session_s,file,"
            "station,instructor,key,curve_key\r\n");
}

TEST(LearnersTable, SpeaksTheSpreadsheetOfTheCountry) {
  FiledSession one;
  one.exercise = "a;b";
  one.duration_s = 61.5;
  one.results = {{1, true, true, {{"time_s", 0.25}}}};
  EXPECT_EQ(csv_table({{{1, "Bo", "k"}, {one}}}, {}, {';', ','}),
            "learner;started;exercise;machine;attempt;passed;finished;trust;time_s;why;session_s;"
            "file;station;instructor;key;curve_key\r\nBo;;\"a;b\";;1;1;1;1;0,25;;61,5;;;;;\r\n");
}

// A ZIP of XML; the texts stand in it as they are, formulas as texts.
TEST(LearnersTable, WritesAWorkbook) {
  const test::TemporaryFolder folder;
  FiledSession one;
  one.exercise = "reach";
  one.results = {{1, true, true, {{"time_s", 0.25}}}};
  const auto file = folder / "r.xlsx";
  for (int i = 0; i < 2; ++i) write_workbook(file, {{{1, "=1+1", "k"}, {one}}});
  EXPECT_EQ(folder.entries(), (std::vector<std::string>{"r.xlsx"}));
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  EXPECT_THAT(bytes, testing::StartsWith("PK"));
  EXPECT_THAT(bytes, testing::HasSubstr("xl/worksheets/sheet1.xml"));
  EXPECT_THROW(write_workbook(folder / "no/where.xlsx", {}), io::FileError);
  EXPECT_EQ(std::get<std::string>(table_of({{{1, "=1+1", "k"}, {one}}})[1][0]), "=1+1");
  EXPECT_EQ(std::get<double>(table_of({{{1, "=1+1", "k"}, {one}}})[1][8]), 0.25);
}

}  // namespace
}  // namespace knuckleboom::learners
