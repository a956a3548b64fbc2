// Chosen signals of a run as CSV: which, when, and nothing else.
#include "app/emulation/signal_log.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/emulation/load_emulation.hpp"
#include "app/shell/exit_status.hpp"
#include "support/paths.hpp"
#include "unit/io/io_test_support.hpp"

namespace knuckleboom::app::signal_log_test {
namespace {

using testing::ElementsAre;

const emulation::HilBench& bench() {
  static const emulation::HilBench it = [] {
    EmulateOptions options;
    options.scenario = KNUCKLEBOOM_SOURCE_DIR "/config/emulations/peg_on_plane.toml";
    return emulation::HilBench(load_emulation(options).plan);
  }();
  return it;
}

std::vector<std::string> chosen(const std::vector<std::string>& patterns) {
  std::vector<std::string> out;
  for (const int i : choose_signals(bench(), patterns))
    out.push_back(bench().signals()[static_cast<std::size_t>(i)].name);
  return out;
}

TEST(SignalLog, ChoosesByPatternEachOnce) {
  EXPECT_THAT(chosen({"tip.x", "time", "tip.?"}), ElementsAre("time", "tip.x", "tip.y", "tip.z"));
  EXPECT_EQ(chosen({"*"}).size(), bench().signals().size());
  EXPECT_THROW(chosen({"tip.q"}), UserError);
  EXPECT_THROW(chosen({"tup*"}), UserError);
}

// A thread of its own or not: the same rows.
TEST(SignalLog, HasARowOfEachChosenTickWhileItIsOn) {
  for (const bool own_thread : {false, true}) {
    const test::TemporaryFolder folder;
    const std::filesystem::path file = folder.path() / "log.csv";
    SignalLogSettings settings;
    settings.file = file.string();
    settings.signals = choose_signals(bench(), {"time", "tip.z"});
    settings.every = 5;
    settings.own_thread = own_thread;
    SignalLog log(bench(), {}, settings);
    emulation::HilState state = bench().initial_state();
    double last_z = 0.0;
    for (int k = 0; k < 100; ++k) {
      if (k == 20) log.turn(false);
      if (k == 60) log.turn(true);
      bench().step(state, {});
      log.after_tick(state);
      last_z = bench().value(state, settings.signals[1]);
    }
    EXPECT_FALSE(std::filesystem::exists(file));
    log.finish();
    EXPECT_EQ(log.rows(), 4 + 8);
    EXPECT_EQ(log.lost(), 0);
    const io::Trace trace = io::read_trace(file);
    EXPECT_THAT(trace.columns, ElementsAre("t_s", "time", "tip.z"));
    ASSERT_EQ(trace.rows(), 12U);
    EXPECT_DOUBLE_EQ(trace.data[0][0], 0.005);
    EXPECT_DOUBLE_EQ(trace.data[0][3], 0.020);
    EXPECT_DOUBLE_EQ(trace.data[0][4], 0.065);
    EXPECT_EQ(trace.data[0], trace.data[1]);
    EXPECT_EQ(trace.data[2][11], last_z);
  }
}

}  // namespace
}  // namespace knuckleboom::app::signal_log_test
