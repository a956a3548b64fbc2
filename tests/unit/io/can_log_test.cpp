// Logs of a CAN bus by their DBC. The right numbers are those of cantools, an independent decoder, for the same
// frames and the same file.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io_test_support.hpp"
#include "knuckleboom/io/log_file.hpp"
#include "support/temporary_folder.hpp"

namespace knuckleboom {
namespace {

using test::faults;
using test::joined;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kCraneDbc = R"(VERSION "crane"

NS_ :
	NS_DESC_
	CM_
	BA_
	VAL_

BS_:

BU_: Crane Joystick

BO_ 288 Joints: 8 Crane
 SG_ boom : 0|16@1- (0.01,0) [-180|180] "deg" Joystick
 SG_ stick : 23|16@0- (0.01,10) [-180|180] "deg" Joystick
 SG_ reach : 33|13@1+ (0.5,-100) [0|0] "mm" Joystick
 SG_ slew : 53|10@0- (0.1,0) [0|0] "deg" Joystick

BO_ 289 Valves: 8 Joystick
 SG_ which M : 0|4@1+ (1,0) [0|15] "" Crane
 SG_ lift m0 : 8|16@1- (0.001,0) [0|0] "V" Crane
 SG_ inner m1M : 4|4@1+ (1,0) [0|15] "" Crane
 SG_ swing m1 : 8|12@1- (0.01,0) [0|0] "V" Crane
 SG_ grapple m1 : 24|8@1- (0.1,0) [0|0] "V" Crane

BO_ 2566844926 Pressures: 8 Vector__XXX
 SG_ pump : 0|16@1+ (0.05,0) [0|400] "bar" Crane
 SG_ tank : 16|8@1+ (0.1,-2) [-2|23] "bar" Crane
 SG_ state : 24|2@1+ (1,0) [0|3] "" Crane

BO_ 2147483905 Floats: 12 Crane
 SG_ level : 0|32@1- (1,0) [0|0] "" Crane
 SG_ exact : 39|64@0- (2,1) [0|0] "" Crane

CM_ BO_ 288 "angles; of the
joints \"as measured\"";
BA_DEF_ BO_  "VFrameFormat" ENUM  "StandardCAN","ExtendedCAN","reserved","J1939PG";
BA_DEF_DEF_  "VFrameFormat" "StandardCAN";
BA_ "VFrameFormat" BO_ 2566844926 3;
VAL_ 2566844926 state 0 "off" 1 "on" 2 "fault" 3 "none" ;
SIG_VALTYPE_ 2147483905 level : 1;
SIG_VALTYPE_ 2147483905 exact : 2;
SG_MUL_VAL_ 289 lift which 0-0, 4-6;
SG_MUL_VAL_ 289 inner which 1-1;
SG_MUL_VAL_ 289 swing which 1-1;
SG_MUL_VAL_ 289 grapple inner 2-3;
)";

class CanLog : public testing::Test {
 protected:
  void SetUp() override { map_.dbc = folder_.write("crane.dbc", kCraneDbc).string(); }

  io::Trace all(const std::string& log) const {
    return io::LogTable(log, "can.log", map_).read_all();
  }
  std::string complaint(const std::string& log) const {
    return joined(faults([&] { all(log); }));
  }

  test::TemporaryFolder folder_;
  io::LogMap map_;
};

// A line of candump -l.
std::string can_line(double t, const char* what) {
  return fmt::format("({:.6f}) can0 {}\n", 1436509052.0 + t, what);
}

TEST_F(CanLog, SignalsAreDecodedAsByCantools) {
  std::string log;
  int n = 0;
  for (const char* what : {"120#39300FA0FFFF8003", "120#C7CFF05FFE1F7FC0", "121#00E803000000007F",
                           "121#05E8FF0000000000", "121#2118FC0000000000", "121#2118FCF600000000",
                           "121#3100087F00000000", "121#0700087F00000000",
                           "18FEF1FE#A00F1E01FFFFFFFF", "00000101##10000C0BF400A000000000000"})
    log += can_line(0.25 + 0.01 * n++, what);
  const auto values = [&](const char* message, const char* name) {
    map_.time = message;
    std::vector<double> out = all(log).column(name);
    for (double& x : out)
      if (std::isnan(x)) x = -1e9;
    return out;
  };
  const double none = -1e9;
  EXPECT_THAT(values("Joints", "boom"), ElementsAre(123.45, testing::DoubleEq(-123.45)));
  EXPECT_THAT(values("Joints", "stick"), ElementsAre(50.0, -30.009999999999998));
  EXPECT_THAT(values("Joints", "reach"), ElementsAre(3995.5, 1947.5));
  EXPECT_THAT(values("Joints", "slew"), ElementsAre(0.0, testing::DoubleEq(-0.4)));
  EXPECT_THAT(values("Joints", "t_s"),
              ElementsAre(testing::DoubleEq(0.25), testing::DoubleEq(0.26)));
  EXPECT_THAT(values("Valves", "which"), ElementsAre(0, 5, 1, 1, 1, 7));
  EXPECT_THAT(values("Valves", "lift"), ElementsAre(1.0, -0.024, none, none, none, none));
  EXPECT_THAT(values("Valves", "swing"), ElementsAre(none, none, -10.0, -10.0, -20.48, none));
  EXPECT_THAT(values("Valves", "grapple"),
              ElementsAre(none, none, 0.0, -1.0, testing::DoubleEq(12.7), none));
  EXPECT_THAT(values("Pressures", "pump"), ElementsAre(200.0));
  EXPECT_THAT(values("Pressures", "tank"), ElementsAre(1.0));
  EXPECT_THAT(values("Floats", "level"), ElementsAre(-1.5));
  EXPECT_THAT(values("Floats", "exact"), ElementsAre(7.5));
}

// The same frames as tools show them, with what else stands in such logs.
TEST_F(CanLog, FormsOfLogsAreTheSame) {
  const std::vector<std::string> kinds = {
      "(1436509052.500000) can0 120#39300FA0FFFF8003\n(1436509052.505000) can0 120#R8\n"
      "(1436509052.507000) can0 20000088#0000000000000000\n"
      "(1436509052.510000) can0 120#C7.CF.F0.5F.FE1F7FC0\n",
      "\n (1436509052.500000)  can0  120   [8]  39 30 0F A0 FF FF 80 03   '90......'\n"
      " (1436509052.505000)  can0  120   [0]  remote request\n"
      " (1436509052.510000)  can0  RX - -  120   [8]  C7 CF F0 5F FE 1F 7F C0\n",
      " (2015-07-10 06:17:32.500000)  can0  120   [8]  39 30 0F A0 FF FF 80 03\n"
      " (2015-07-10 06:17:32.510000)  can0  120   [8]  C7 CF F0 5F FE 1F 7F C0\n",
      "date Fri Jul 10 08:17:32.500 am 2015\nbase hex  timestamps absolute\r\n"
      "internal events logged\n// version 9.0.0\nBegin Triggerblock Fri Jul 10 08:17:32.500 am "
      "2015\n"
      "   0.000000 Start of measurement\n   0.100000 CAN 1 Status:chip status error active\n"
      "   0.500000 1  120             Rx   d 8 39 30 0F A0 FF FF 80 03  Length = 0 ID = 288\n"
      "   0.505000 1  ErrorFrame\n   0.506000 1  120 Rx r 8\n"
      "   0.510000 1  120 Rx d 8 C7 CF F0 5F FE 1F 7F C0\n",
      "date Fri Jul 10 08:17:32 2015\nbase dec  timestamps relative\n"
      "0.5 1 288 Rx d 8 57 48 15 160 255 255 128 3\n0.005 1 ErrorFrame\n"
      "0.005 1 288 Tx d 8 199 207 240 95 254 31 127 192\n",
      "base hex  timestamps absolute\n"
      "0.5 CANFD 1 Rx 120 Joints 0 0 8 8 39 30 0F A0 FF FF 80 03 102203 133 303000 e0006659\n"
      "0.51 CANFD 1 Rx 120 1 0 8 8 C7 CF F0 5F FE 1F 7F C0 102203 133 303000 e0006659\n"};
  for (const std::string& kind : kinds) {
    SCOPED_TRACE(kind);
    const io::Trace log = all(kind);
    ASSERT_EQ(log.rows(), 2u);
    EXPECT_NEAR(log.column("t_s")[0], 0.5, 1e-7);
    EXPECT_NEAR(log.column("t_s")[1], 0.51, 1e-7);  // of 1.4e9 s in a double
    EXPECT_EQ(log.column("boom")[0], 123.45);
    EXPECT_EQ(log.column("reach")[1], 1947.5);
  }
}

TEST_F(CanLog, J1939IsTakenWhoeverSendsIt) {
  const std::string one =
      can_line(0.0, "0CFEF10B#A00F1E00FFFFFFFF") + can_line(0.1, "0CFEF10B#FFFFFF00");
  const io::Trace log = all(one);
  EXPECT_EQ(log.column("pump")[0], 200.0);
  EXPECT_TRUE(std::isnan(log.column("pump")[1])) << "not available";
  EXPECT_THAT(log.notes, testing::Not(Contains(HasSubstr("does not describe"))));

  const std::string two = one + can_line(0.2, "18FEF127#50071E00FFFFFFFF");
  const io::LogTable table(two, "can.log", map_);
  EXPECT_THAT(table.form().columns,
              ElementsAre("t_s", "pump from 0x0B", "tank from 0x0B", "state from 0x0B",
                          "pump from 0x27", "tank from 0x27", "state from 0x27"));
  map_.columns = {{"pump_Pa", "pump", "", "", 1.0, {}, {"m.toml", 3, 1, {}}}};
  EXPECT_THAT(
      joined(faults([&] {
        io::LogTable(two, "can.log", map_).read(map_.columns, {{{"pump_Pa", "Pa"}}});
      })),
      HasSubstr("m.toml:3:1: several columns of can.log are called 'pump'; say which: 'pump "
                "from 0x0B' or 'pump from 0x27'"));
  map_.columns[0].column = "pump from 0x27";
  const io::Trace ours =
      io::LogTable(two, "can.log", map_).read(map_.columns, {{{"pump_Pa", "Pa"}}});
  EXPECT_NEAR(ours.column("pump_Pa")[0], 93.6e5, 1e-3);
}

// Rows are the most frequent message that is wanted. A slower one stands in the row next to each of its frames:
// on the straight line between them, or as it was if it holds.
TEST_F(CanLog, SlowerMessagesStandBesideTheRows) {
  std::string log;
  std::vector<std::pair<double, std::string>> frames;
  for (int i = 0; i < 40; ++i)
    frames.emplace_back(0.01 * i, fmt::format("120#{:02X}{:02X}000000000000", i & 255, i >> 8));
  for (int i = 0; i < 8; ++i) {  // 10 bar/s
    const double t = 0.05 * i + 0.003;
    const int raw = static_cast<int>(std::lround((10.0 + 10.0 * t) / 0.05 * 1000.0) / 1000);
    frames.emplace_back(t, fmt::format("18FEF1FE#{:02X}{:02X}{:02X}00", raw & 255, raw >> 8,
                                       static_cast<int>(40 + i)));
  }
  std::stable_sort(frames.begin(), frames.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [t, what] : frames) log += can_line(t, what.c_str());
  map_.columns = {{"boom_rad", "boom", "", "", 1.0, {}, {}},
                  {"pump_Pa", "pump", "", "", 1.0, {}, {}},
                  {"tank_Pa", "Pressures.tank", "", "", 1.0, {}, {}}};
  map_.columns[2].held = true;
  const std::vector<io::KnownColumn> known = {
      {"boom_rad", "rad"}, {"pump_Pa", "Pa"}, {"tank_Pa", "Pa"}};
  const io::Trace beside = io::LogTable(log, "can.log", map_).read(map_.columns, known);
  ASSERT_EQ(beside.rows(), 40u);
  EXPECT_THAT(beside.notes, Contains(HasSubstr("rows are the frames of message 'Joints'")));
  for (std::size_t i = 0; i < 40; ++i) {
    const bool there = i % 5 == 0;
    EXPECT_EQ(std::isfinite(beside.column("pump_Pa")[i]), there) << i;
    EXPECT_EQ(std::isfinite(beside.column("tank_Pa")[i]), there) << i;
    if (!there) continue;
    const double t = 0.01 * static_cast<double>(i);
    // The first row lies before the first frame.
    if (i > 0) {
      EXPECT_NEAR(beside.column("pump_Pa")[i], 1e5 * (10.0 + 10.0 * t), 0.05e5);
    }
    EXPECT_NEAR(beside.column("tank_Pa")[i], 1e5 * (2.0 + 0.1 * static_cast<double>(i / 5)), 1.0);
  }
  map_.time = "Pressures";
  EXPECT_EQ(io::LogTable(log, "can.log", map_).read(map_.columns, known).rows(), 8u);
  map_.time.clear();
  map_.row_s = 0.1;
  const io::Trace even = io::LogTable(log, "can.log", map_).read(map_.columns, known);
  EXPECT_EQ(even.rows(), 4u);
  EXPECT_NEAR(even.column("boom_rad")[2], 0.2 * std::numbers::pi / 180.0, 1e-12);
}

TEST_F(CanLog, WhatLiesOutsideItsRangeIsMissing) {
  std::string log;
  for (int i = 0; i < 20; ++i) log += can_line(0.01 * i, i == 7 ? "120#FF7F" : "120#3930");
  const io::Trace few = all(log);
  EXPECT_TRUE(std::isnan(few.column("boom")[7]));
  EXPECT_THAT(few.notes, Contains(HasSubstr("1 number of 'boom' outside its range")));
  EXPECT_THAT(few.notes, Contains(HasSubstr("20 frames of message 'Joints' too short")));
  const io::Trace many =
      all(can_line(0.0, "120#FF7F000000000000") + can_line(0.1, "120#FF7F000000000000"));
  EXPECT_NEAR(many.column("boom")[1], 327.67, 1e-9);
  EXPECT_THAT(many.notes, Contains(HasSubstr("they stay")));
}

TEST_F(CanLog, FaultsAreToldWithTheWayOut) {
  const std::string log = can_line(0.0, "120#3930") + can_line(0.1, "120#3930");
  EXPECT_THAT(joined(faults([&] { io::LogTable(log, "can.log", {}); })), HasSubstr("--dbc FILE"));
  EXPECT_THAT(complaint("t_s,x\n0,1\n"), HasSubstr("neither a log of candump nor an ASC log"));
  EXPECT_THAT(complaint(can_line(0.0, "7FF#00") + can_line(0.1, "7FF#00")),
              HasSubstr("is it the DBC of this bus?"));
  EXPECT_THAT(complaint("  can0  120   [2]  39 30\n  can0  120   [2]  39 30\n"),
              HasSubstr("can.log:1: this is a log of candump without times"));
  map_.time = "Pressures";
  EXPECT_THAT(complaint(log), HasSubstr("no frames of a message 'Pressures'"));
  map_.time.clear();
  map_.columns = {{"pump_Pa", "pump", "", "", 1.0, {}, {}}};
  EXPECT_THAT(joined(faults([&] {
                io::LogTable(log, "can.log", map_).read(map_.columns, {{{"pump_Pa", "Pa"}}});
              })),
              HasSubstr("can.log has no frame of message 'Pressures' (0x18FEF1FE), which carries "
                        "'pump'"));
  EXPECT_THAT(all(log + "(1436509053.1) can0 12").notes,
              Contains(HasSubstr("1 line cannot be read as a frame, the first in line 3")));
  EXPECT_THAT(all(log + can_line(0.2, "3FF#00")).notes,
              Contains(HasSubstr("does not describe: 0x3FF")));
  map_.dbc = folder_.write("none.dbc", "# nothing\n").string();
  EXPECT_THAT(complaint(log), HasSubstr("no DBC file"));
  map_.dbc = folder_
                 .write("half.dbc",
                        "BO_ 288 Joints: 8 A\n SG_ a : 0|8@1+ (1,0) [0|0] \"\" B\n"
                        " SG_ b : 0|8@7+ (1,0) [0|0] \"\" B\n")
                 .string();
  EXPECT_THAT(all(log).notes, Contains(HasSubstr("half.dbc:3: the order of bytes is '7+'")));
  EXPECT_EQ(all(log).column("a")[0], 57.0);
}

}  // namespace
}  // namespace knuckleboom
