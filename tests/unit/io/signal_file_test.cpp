#include "knuckleboom/io/signal_file.hpp"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/paths.hpp"

namespace knuckleboom::io {
namespace {

using testing::HasSubstr;

std::string fault_of(const std::string& text) {
  try {
    read_signals_text(text, "bench.toml");
  } catch (const FileError& error) {
    return error.what();
  }
  return "none";
}

std::string one(const std::string& more) {
  return "[[signal]]\nname = \"boom\"\ndirection = \"in\"\n" + more;
}

TEST(SignalFile, HasDefaultsThatAreSafe) {
  const SignalFile file = read_signals_text(one(""), "bench.toml");
  ASSERT_EQ(file.in.size(), 1U);
  const exchange::SignalRule& rule = file.in[0].rule;
  EXPECT_EQ(rule.least, -1.0);
  EXPECT_EQ(rule.most, 1.0);
  EXPECT_EQ(rule.stale_s, 0.05);
  EXPECT_EQ(rule.safe_value, 0.0);
  EXPECT_EQ(rule.safe_state, exchange::SafeState::kValue);
  EXPECT_EQ(rule.source, exchange::Source::kNetwork);
  EXPECT_EQ(file.late_s, 0.05);
  EXPECT_FALSE(file.in[0].can);
  exchange::Exchange(std::vector{rule}, 1e-3);
}

TEST(SignalFile, ReadsAllItsKeys) {
  const SignalFile file = read_signals_text(
      "udp = \"udp:127.0.0.1:47001\"\ncan = \"can0\"\ncan_guard = 0x700\nlate_ms = 20\n" +
          one("least = 1.0\nmost = 3.0\nmost_rate = 5.0\nsafe_state = \"hold\"\nsafe_value = 2.0\n"
              "safe_rate = 4.0\nstale_ms = 30\nhandover = \"hold_until_near\"\nnear = 0.1\n"
              "blend_s = 0.5\nsource = \"log\"\ncolumn = \"boom_V\"\n"
              "plant = { follows = \"arm\", gain = 2.0, offset = 0.5, lag_ms = 40 }\n"
              "can = { id = 0x101, start_byte = 4, type = \"int32\", scale = 0.001, offset = 5.0 "
              "}\n") +
          "[[signal]]\nname = \"arm\"\ndirection = \"out\"\n",
      "bench.toml");
  EXPECT_EQ(file.udp, "udp:127.0.0.1:47001");
  EXPECT_EQ(file.can, "can0");
  EXPECT_EQ(file.can_guard, 0x700U);
  EXPECT_DOUBLE_EQ(file.late_s, 0.02);
  ASSERT_EQ(file.in.size(), 1U);
  ASSERT_EQ(file.out.size(), 1U);
  EXPECT_EQ(file.out[0].rule.name, "arm");
  const OutsideSignal& s = file.in[0];
  EXPECT_EQ(s.rule.most_rate, 5.0);
  EXPECT_EQ(s.rule.safe_state, exchange::SafeState::kHold);
  EXPECT_EQ(s.rule.safe_value, 2.0);
  EXPECT_EQ(s.rule.safe_rate, 4.0);
  EXPECT_DOUBLE_EQ(s.rule.stale_s, 0.03);
  EXPECT_EQ(s.rule.handover, exchange::Handover::kHoldUntilNear);
  EXPECT_EQ(s.rule.near, 0.1);
  EXPECT_EQ(s.rule.blend_s, 0.5);
  EXPECT_EQ(s.rule.source, exchange::Source::kLog);
  EXPECT_EQ(s.column, "boom_V");
  EXPECT_EQ(s.plant.follows, "arm");
  EXPECT_EQ(s.plant.gain, 2.0);
  EXPECT_EQ(s.plant.offset, 0.5);
  EXPECT_DOUBLE_EQ(s.plant.lag_s, 0.04);
  ASSERT_TRUE(s.can);
  EXPECT_EQ(s.can->id, 0x101U);
  EXPECT_EQ(s.can->start_byte, 4);
  EXPECT_TRUE(s.can->wide);
  EXPECT_EQ(s.can->scale, 0.001);
  EXPECT_EQ(s.can->offset, 5.0);
}

TEST(SignalFile, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(fault_of("late_ms = 1\n"), HasSubstr("add at least one [[signal]]"));
  EXPECT_THAT(fault_of("[[signal]]\nname = \"a\"\n"), HasSubstr("direction"));
  EXPECT_THAT(fault_of(one("least = 2.0\n")), HasSubstr("the most is above the least"));
  EXPECT_THAT(fault_of(one("safe_value = 2.0\n")), HasSubstr("bench.toml:4"));
  EXPECT_THAT(fault_of(one("stale_s = 0\n")), HasSubstr("stale"));
  EXPECT_THAT(fault_of(one("most_rate = 0\n")), HasSubstr("most_rate"));
  EXPECT_THAT(fault_of(one("soruce = \"log\"\n")), HasSubstr("did you mean 'source'"));
  EXPECT_THAT(fault_of(one("") + one("")), HasSubstr("two signals are called 'boom'"));
  EXPECT_THAT(fault_of(one("can = { id = 1, start_byte = 7 }\n")), HasSubstr("at 6 at most"));
  EXPECT_THAT(fault_of(one("plant = { follows = \"amr\" }\n") +
                       "[[signal]]\nname = \"arm\"\ndirection = \"out\"\n"),
              HasSubstr("bench.toml:4:"));
  EXPECT_THAT(fault_of("can_guard = 0x100\n" + one("can = { id = 0x101 }\n")),
              HasSubstr("the guard frames 256 and 257 are for themselves"));
  EXPECT_THAT(fault_of("can_guard = 0x7FF\n" + one("")), HasSubstr("can_guard"));
  EXPECT_THAT(fault_of(one("can = { id = 2048 }\n")), HasSubstr("id"));
  EXPECT_THAT(fault_of(one("can = { start_byte = 0 }\n")), HasSubstr("id"));
  EXPECT_THAT(fault_of(one("can = { id = 1 }\n") + "[[signal]]\nname = \"b\"\ndirection = \"in\"\n"
                                                   "can = { id = 1, start_byte = 1 }\n"),
              HasSubstr("overlap"));
}

TEST(SignalFile, ThatIsShippedIsSound) {
  const SignalFile file = read_signals(KNUCKLEBOOM_SOURCE_DIR "/config/signals/bench.toml");
  EXPECT_EQ(file.in.size(), 2U);
  EXPECT_EQ(file.out.size(), 2U);
}

}  // namespace
}  // namespace knuckleboom::io
