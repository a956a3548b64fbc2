// A log of a motion is judged as the session is in which the same motion happened.

#include "app/log_observations.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/core/training/scorer.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "support/attempt.hpp"

namespace knuckleboom {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using training::Score;

Score judged(const app::LogObservations& log) {
  training::ScoreState state{};
  training::set_start(log.rows.front(), state);
  for (std::size_t i = 1; i < log.rows.size(); ++i) training::gather(true, log.rows[i], state);
  training::finish(log.rows.back(), state);
  return state.score;
}

class LogObservationsTest : public testing::Test {
 protected:
  app::LogObservations read(const std::string& text,
                            const machine::MachineModel* machine = nullptr) {
    const fs::path file = fs::path(testing::TempDir()) / fmt::format("log_{}.csv", ::getpid());
    std::ofstream(file) << text;
    app::LogObservations out = app::read_observations(file, io::LogMap{}, machine);
    fs::remove(file);
    return out;
  }
};

TEST_F(LogObservationsTest, JudgeAsTheSessionDoes) {
  training::Exercise exercise;
  exercise.name = "free";
  exercise.time_limit_s = 10.0;
  test::Attempt attempt(exercise);
  std::string log =
      "t_s,tip_x_m,tip_y_m,tip_z_m,lever_left_x,swing_demand,held,head_rad,pump_work_J,at_relief\n";
  for (int i = 0; i <= 11'500; ++i) {
    const double t = 1e-3 * i - 1.0;  // a second of nothing, ten of the attempt, and some more
    const double phase = std::max(0.0, t);
    const double lever = t > 0.0 ? 0.6 * std::sin(2.0 * phase) : 0.0;
    const double head = 0.2 * std::sin(3.0 * phase);
    const bool relief = t > 2.0 && t <= 2.5;
    attempt.tip({3.0 + std::sin(0.8 * phase), 1.5 * std::cos(0.5 * phase), 0.2 * phase});
    attempt.lever(lever);
    attempt.at.held_log = t > 3.0 && t < 7.0 ? 0 : -1;
    attempt.at.hang_W[0] = std::sin(head);
    attempt.at.hang_W[2] = -std::cos(head);
    attempt.at.pump_work_J = 1000.0 * t;
    if (relief) ++attempt.at.sim.health.relief_ticks;
    attempt.step();
    if (attempt.phase() == training::TaskPhase::kPassed) break;
    const double(&tip)[3] = attempt.at.sim.tip_W;
    log += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", 1e-3 * i, tip[0], tip[1], tip[2], lever,
                       lever, attempt.at.held_log + 1, head, 1000.0 * t, relief ? 1 : 0);
  }
  ASSERT_EQ(attempt.phase(), training::TaskPhase::kPassed);
  const app::LogObservations seen = read(log);
  EXPECT_NEAR(seen.rate_Hz, 1000.0, 1e-6);
  EXPECT_NEAR(seen.start_s, 1.025, 2e-3);  // 0.6 sin(2 t) is beyond 0.03 from 0.025 s on
  const Score is = judged(seen), should = attempt.at.score;
  EXPECT_NEAR(is.time_s, should.time_s, 2e-3);
  EXPECT_GT(should.tip_movements, 0.0);
  EXPECT_EQ(is.tip_movements, should.tip_movements);
  EXPECT_NEAR(is.ldlj, should.ldlj, 0.01);
  EXPECT_EQ(is.cycles, 1.0);
  EXPECT_EQ(should.cycles, 1.0);
  const auto close = [&](double Score::*figure, double relative) {
    EXPECT_NEAR(is.*figure, should.*figure, relative * std::fabs(should.*figure) + 1e-9);
  };
  for (double Score::*figure :
       {&Score::path_m, &Score::shortest_m, &Score::path_ratio, &Score::relief_s,
        &Score::lever_reversals, &Score::functions_mean, &Score::energy_J, &Score::swing_peak_rad,
        &Score::swing_rms_rad, &Score::lever_movements, &Score::control_effort_s})
    close(figure, 2e-3);
  EXPECT_NEAR(is.idle_share, should.idle_share, 1e-3);
  for (double Score::*figure :
       {&Score::reach_s, &Score::grip_s, &Score::move_s, &Score::release_s, &Score::cycle_s})
    EXPECT_NEAR(is.*figure, should.*figure, 0.03);
}

TEST_F(LogObservationsTest, SayWhatThereIs) {
  const app::LogObservations slow = read("t_s,tip_x_m,tip_y_m,tip_z_m\n0,0,0,0\n0.1,1,0,0\n");
  EXPECT_EQ(slow.observed, training::kObservedTip);  // too slow for smoothness
  const app::LogObservations part = read("t_s,tip_x_m,tip_y_m,held\n0,0,0,0\n0.01,1,0,0\n");
  EXPECT_EQ(part.observed, training::kObservedGrip);  // two thirds of a tip are none
  EXPECT_THAT(part.columns, ElementsAre("tip_x_m", "tip_y_m", "held"));
}

// Rows every 20 ms, then a gap of 1 s, then a number that is missing: straight on.
TEST_F(LogObservationsTest, BridgeGaps) {
  std::string log = "t_s,tip_x_m,tip_y_m,tip_z_m\n";
  for (int i = 0; i <= 200; ++i) {
    if (i > 50 && i < 100) continue;
    log += fmt::format("{},{},0,0\n", 0.02 * i,
                       i == 150 ? std::string() : fmt::format("{}", 0.01 * i));
  }
  const app::LogObservations seen = read(log);
  EXPECT_NEAR(seen.rate_Hz, 50.0, 1e-6);
  ASSERT_EQ(seen.rows.size(), 201u);
  for (std::size_t i = 0; i < seen.rows.size(); ++i)
    EXPECT_NEAR(seen.rows[i].tip_W[0], 0.01 * static_cast<double>(i), 1e-9);
}

TEST_F(LogObservationsTest, FindTheTipFromTheJoints) {
  const machine::MachineModel model =
      io::read_machine(fs::path(KNUCKLEBOOM_SOURCE_DIR) / "config/machines/harvester/machine.toml")
          .model;
  const app::LogObservations seen =
      read("t_s,swing_rad,boom_rad,stick_rad\n0,0,0.5,-1.3\n0.02,0.1,0.6,-1.2\n", &model);
  EXPECT_TRUE((seen.observed & training::kObservedTip) != 0);
  const double q[kMaxLinks] = {0.1, 0.6, -1.2};
  const Vec3 tip = machine::tip_position(model, q);
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(seen.rows.back().tip_W[c], tip(c), 1e-12);
  EXPECT_EQ(read("t_s,swing_rad,boom_rad\n0,0,0.5\n0.02,0.1,0.6\n", &model).observed, 0u);
}

// Valve signals of a real crane: the lift's is away from neutral from 0.6 s to 21.8 s, the tilt's never.
TEST_F(LogObservationsTest, JudgeARealCrane) {
  const fs::path file = fs::path(KNUCKLEBOOM_SHARED_DIR) / "data/patu655/measured_100Hz.csv";
  if (!fs::exists(file)) GTEST_SKIP() << file << " is not here";
  io::LogMap map;
  for (const char* name : {"U1_V", "U2_V"}) {
    io::LogColumn column;
    column.name = std::string(name) + "_demand";
    column.column = name;
    column.scale = -1.0 / 3.0;  // 5.8 V is neutral, 3 V below it extends fully
    column.offset = {5.8 / 3.0, "", true};
    map.columns.push_back(column);
  }
  const app::LogObservations seen = app::read_observations(file, map, nullptr);
  EXPECT_NEAR(seen.rate_Hz, 100.0, 1e-3);
  EXPECT_EQ(seen.observed, training::kObservedDemand);
  const Score score = judged(seen);
  EXPECT_EQ(score.functions_mean, 1.0);  // the tilt stood still
  EXPECT_NEAR(score.time_s * (1.0 - score.idle_share), 21.2, 0.3);
}

}  // namespace
}  // namespace knuckleboom
