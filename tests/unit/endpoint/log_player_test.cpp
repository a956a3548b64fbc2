#include "endpoint/log_player.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace knuckleboom::endpoint {
namespace {

std::vector<io::OutsideSignal> two() {
  std::vector<io::OutsideSignal> signals(2);
  signals[0].rule.name = "boom";
  signals[1].rule.name = "arm";
  return signals;
}

constexpr const char* kLog =
    "t_s,arm,boom\n"
    "10.0,1,5\n"
    "10.1,nan,6\n"
    "10.2,3,7\n";

TEST(LogPlayer, PlaysRowsAtTheirTimes) {
  LogPlayer player(io::read_trace_text(kLog, "log.csv"), two());
  EXPECT_NEAR(player.duration_s(), 0.2, 1e-12);
  exchange::SignalFrame frame{};
  player.play(0.0, frame);
  EXPECT_EQ(frame.fresh, 3U);
  EXPECT_EQ(frame.value[0], 5.0);
  EXPECT_EQ(frame.value[1], 1.0);
  player.play(0.05, frame);
  EXPECT_EQ(frame.fresh, 0U);
  player.play(0.15, frame);
  EXPECT_EQ(frame.fresh, 1U);  // arm's number is missing
  EXPECT_EQ(frame.value[0], 6.0);
  EXPECT_EQ(frame.value[1], 1.0);
  player.play(0.3, frame);
  EXPECT_EQ(frame.fresh, 3U);
  player.play(9.0, frame);  // over
  EXPECT_EQ(frame.fresh, 0U);
  player.rewind();
  player.play(0.0, frame);
  EXPECT_EQ(frame.value[0], 5.0);
}

TEST(LogPlayer, RefusesWhatItCannotPlay) {
  auto signals = two();
  signals[0].column = "bom";
  EXPECT_THROW(LogPlayer(io::read_trace_text(kLog, "log.csv"), signals), io::FileError);
  EXPECT_THROW(LogPlayer(io::read_trace_text("t_s,x\n0,1\n", "log.csv"), two()), io::FileError);
  EXPECT_THROW(LogPlayer(io::read_trace_text("t_s,arm\n0,1\n0,2\n", "log.csv"), two()),
               io::FileError);
}

}  // namespace
}  // namespace knuckleboom::endpoint
