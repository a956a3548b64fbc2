// [[fault]] and [fault_lot] in exercise and scenario files.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/io/exercise_file.hpp"
#include "knuckleboom/io/scenario_file.hpp"

namespace knuckleboom::io {
namespace {

using command::FaultKind;
using testing::HasSubstr;

std::string exercise(const std::string& faults) {
  return "name = \"e\"\ntitle = \"E\"\nmachine = \"harvester_grapple\"\nlevers = \"nordic\"\n" +
         faults + "\n[task]\nkind = \"free\"\n";
}

// All errors, or empty.
std::string wrong(const std::string& faults) {
  try {
    read_exercise_text(exercise(faults), "e.toml");
    return "";
  } catch (const FileError& error) {
    return error.what();
  }
}

TEST(FaultTables, AreReadInSi) {
  const training::Exercise e =
      read_exercise_text(
          exercise("[[fault]]\nname = \"leak\"\nkind = \"hose_leak\"\nfunction = \"boom\"\n"
                   "port = \"b\"\nleakage_l_per_min_bar = 0.06\nat_s = 20\n"
                   "until_s = 60\nramp_s = 3\nhidden = true\n"
                   "[[fault]]\nname = \"late\"\nkind = \"lever_delay\"\ndelay_ms = 150\n"
                   "at_s = 5\n"
                   "[[fault]]\nname = \"low\"\nkind = \"low_relief\"\nfunction = \"stick\"\n"
                   "relief_bar = 90\n"
                   "[[fault]]\nname = \"pump\"\nkind = \"worn_pump\"\n"
                   "pressure_loss_percent = 20\nflow_drop_Pa_s_per_m3 = 5e9\n"
                   "[fault_lot]\nseed = 7\ndraw = 1\ncandidates = [\"leak\", \"late\"]\n"),
          "e.toml")
          .exercise;
  ASSERT_EQ(e.faults.size(), 4U);
  EXPECT_EQ(e.faults[0].kind, FaultKind::kHoseLeak);
  EXPECT_EQ(e.faults[0].port, 1);
  EXPECT_DOUBLE_EQ(e.faults[0].size, 1e-11);  // 6 l/min at 100 bar
  EXPECT_EQ(e.faults[0].at_s, 20.0);
  EXPECT_TRUE(e.faults[0].hidden);
  EXPECT_DOUBLE_EQ(e.faults[1].size, 0.15);
  EXPECT_DOUBLE_EQ(e.faults[2].size, 90e5);
  EXPECT_LT(e.faults[2].at_s, 0.0);  // armed
  EXPECT_DOUBLE_EQ(e.faults[3].size, 0.2);
  EXPECT_DOUBLE_EQ(e.faults[3].flow_size, 5e9);
  EXPECT_EQ(e.fault_lot.seed, 7U);
  EXPECT_EQ(e.fault_lot.candidates.size(), 2U);
}

TEST(FaultTables, SayWhatIsWrong) {
  EXPECT_THAT(wrong("[[fault]]\nname = \"a\"\nknd = \"cylinder_leak\"\n"),
              HasSubstr("has no key 'knd'; did you mean 'kind'?"));
  EXPECT_THAT(wrong("[[fault]]\n"), HasSubstr("lacks 'kind'"));
  EXPECT_THAT(wrong("[[fault]]\nname = \"a\"\nkind = \"leaky\"\n"), HasSubstr("hose_leak"));
  EXPECT_THAT(
      wrong("[[fault]]\nname = \"a\"\nkind = \"cylinder_leak\"\nleakage_l_per_min_bar = 1\n"),
      HasSubstr("is one of a function; add 'function'"));
  EXPECT_THAT(wrong("[[fault]]\nname = \"a\"\nkind = \"spool_offset\"\nfunction = \"boom\"\n"),
              HasSubstr("offset_percent"));
  EXPECT_THAT(wrong("[[fault]]\nname = \"a\"\nkind = \"worn_pump\"\n"),
              HasSubstr("loses something"));
  EXPECT_THAT(wrong("[[fault]]\nname = \"a\"\nkind = \"lever_delay\"\ndelay_ms = 100\nat_s = 5\n"
                    "until_s = 3\n"),
              HasSubstr("ends before it begins"));
  EXPECT_THAT(wrong("[[fault]]\nname = \"a\"\nkind = \"lever_delay\"\ndelay_ms = 100\n"
                    "[[fault]]\nname = \"a\"\nkind = \"lever_delay\"\ndelay_ms = 100\n"),
              HasSubstr("two faults 'a'"));
  EXPECT_THAT(wrong("[[fault]]\nname = \"a\"\nkind = \"lever_delay\"\ndelay_ms = 100\n"
                    "[fault_lot]\ndraw = 1\ncandidates = [\"b\"]\n"),
              HasSubstr("there is no fault 'b'"));
  EXPECT_THAT(wrong("[[fault]]\nname = \"a\"\nkind = \"lever_delay\"\ndelay_ms = 100\n"
                    "[fault_lot]\ndraw = 1\ncandidates = [\"a\"]\n"),
              HasSubstr("does not say when it begins"));
  EXPECT_THAT(
      wrong(
          "[[fault]]\nname = \"a\"\nkind = \"lever_delay\"\ndelay_ms = 100\nfunction = \"boom\"\n"),
      HasSubstr("whole machine"));
}

TEST(FaultTables, BelongToScenariosAsWell) {
  const std::string text =
      "name = \"s\"\nmachine = \"harvester\"\nduration_s = 5\n[[fault]]\nname = \"a\"\n"
      "kind = \"cylinder_leak\"\nfunction = \"boom\"\nleakage_m3_per_s_Pa = 1e-12\nat_s = 1\n";
  EXPECT_EQ(read_scenario_text(text, "s.toml").scenario.faults.size(), 1U);
}

}  // namespace
}  // namespace knuckleboom::io
