// A trace of a session gives the session's own figures, computed from its columns alone.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "knuckleboom/analysis/log_observations.hpp"
#include "knuckleboom/core/training/channels.hpp"
#include "support/trainer.hpp"

namespace knuckleboom::judged_trace_test {
namespace {

namespace fs = std::filesystem;
using training::Score;

TEST(JudgedTrace, OfTwoLogsIsTheirSession) {
  training::Exercise exercise = test::shipped_exercise("logs");
  exercise.fidelity = machine::Fidelity::kReduced;
  const training::Session session(test::shipped_machine("harvester_wheeled"),
                                  test::shipped_levers(exercise.levers), exercise);
  training::SessionState state = session.initial_state();
  const auto channels = training::session_channels(session);
  ASSERT_EQ(channels.front().name, "t_s");
  std::string log;
  for (const auto& channel : channels) log += channel.name + ",";
  log.back() = '\n';
  int ticks_after = 0;  // a row must follow the end of the last leg
  const training::SessionSnapshot last = test::demonstrate(
      session, state, 300.0,
      [&](const training::SessionSnapshot& s) {
        if (s.sim.tick % 20 == 0) {
          for (const auto& channel : channels) log += fmt::format("{},", channel.value(s));
          log.back() = '\n';
        }
        if (s.task.step == 2) ++ticks_after;
        return ticks_after == 100;
      },
      command::ControlMode::kBoomTip);
  ASSERT_EQ(last.task.step, 2);
  const fs::path file = fs::path(testing::TempDir()) / fmt::format("trace_{}.csv", ::getpid());
  std::ofstream(file) << log;
  const analysis::LogObservations seen = analysis::read_observations(file, {}, nullptr);
  fs::remove(file);
  const Score is = analysis::judge(seen).score, &should = last.score;
  EXPECT_EQ(should.legs, 4.0);
  EXPECT_EQ(is.legs, should.legs);
  EXPECT_EQ(is.movements_per_leg, should.movements_per_leg);
  EXPECT_EQ(is.submovements_per_leg, should.submovements_per_leg);
  EXPECT_NEAR(is.shortest_m, should.shortest_m, 0.01 * should.shortest_m);
  EXPECT_NEAR(is.together, should.together, 0.04);  // where the bins begin
  EXPECT_NEAR(is.smoothness, should.smoothness, 0.1);
  EXPECT_NEAR(is.still_s, should.still_s, 0.5);
  EXPECT_NEAR(is.swing_peak_rad, should.swing_peak_rad, 0.01);
  EXPECT_GT(should.swing_peak_rad, 0.05);
  EXPECT_NEAR(is.reversals_per_leg, should.reversals_per_leg, 0.3);
}

}  // namespace
}  // namespace knuckleboom::judged_trace_test
