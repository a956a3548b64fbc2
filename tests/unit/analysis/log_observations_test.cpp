// A log of a motion is judged as the session is in which the same motion happened.

#include "knuckleboom/analysis/log_observations.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include "knuckleboom/analysis/spectral_arc.hpp"
#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "support/attempt.hpp"
#include "support/paths.hpp"

namespace knuckleboom {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using training::Score;

Score judged(const analysis::LogObservations& log) { return analysis::judge(log).score; }

std::vector<training::Observation> rows_of(const analysis::LogObservations& log) {
  std::vector<training::Observation> out;
  analysis::visit_rows(log, [&](std::size_t, const auto& row) { out.push_back(row); });
  return out;
}

// From rest to rest with the least jerk: Flash and Hogan (1985).
double least_jerk(double share) {
  const double s = std::clamp(share, 0.0, 1.0);
  return s * s * s * (10.0 + s * (-15.0 + 6.0 * s));
}
const double kLeastJerkLdlj = -std::log(720.0 / (1.875 * 1.875));

// A log of x(t) alone, with rows where keep(t) says so.
std::string log_of(
    double seconds, double rate_Hz, const std::function<double(double)>& x,
    const std::function<bool(double)>& keep = [](double) { return true; }) {
  std::string log = "t_s,tip_x_m,tip_y_m,tip_z_m\n";
  const auto rows = std::lround(seconds * rate_Hz);
  for (long i = 0; i <= rows; ++i) {
    const double t = static_cast<double>(i) / rate_Hz;
    if (keep(t)) log += fmt::format("{},{},0,0\n", t, x(t));
  }
  return log;
}

// White noise of a normal distribution about, always the same.
class Noise {
 public:
  double operator()(double deviation) {
    double sum = -6.0;
    for (int i = 0; i < 12; ++i) {
      seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
      sum += static_cast<double>(seed_ >> 11) * 0x1p-53;
    }
    return deviation * sum;
  }

 private:
  std::uint64_t seed_ = 1;
};

constexpr std::uint32_t kQuiet = training::kObservedWay | training::kObservedCalm;

class LogObservationsTest : public testing::Test {
 protected:
  analysis::LogObservations read(const std::string& text,
                                 const machine::MachineModel* machine = nullptr) {
    const fs::path file = fs::path(testing::TempDir()) / fmt::format("log_{}.csv", ::getpid());
    std::ofstream(file) << text;
    analysis::LogObservations out = analysis::read_observations(file, io::LogMap{}, machine);
    fs::remove(file);
    return out;
  }
};

// A boom of 2 m that is only measured, or one with a hanging joint that is not: the tip goes as far as the
// measured joints carry it.
TEST_F(LogObservationsTest, TakesJointsWithoutActuators) {
  const auto machine_of = [](const std::string& more) {
    return io::read_machine_text(
               "name = \"m\"\nsource = \"own\"\ngravity_m_per_s2 = 9.81\n[[body]]\nname = "
               "\"boom\"\nposition_m = [0, 0, 1]\n"
               "mass_kg = 200\ncom_m = [1, 0, 0]\ninertia_kg_m2 = [5, 60, 60]\njoint = { name = "
               "\"boom\", type = \"revolute\", axis = [0, -1, 0], lower_deg = -60, upper_deg = 80 "
               "}\n" +
                   more,
               "m.toml")
        .model;
  };
  std::string log = "t_s,boom_rad\n";
  for (int i = 0; i <= 1000; ++i)
    log += fmt::format("{},{}\n", 0.01 * i, least_jerk((0.01 * i - 2.0) / 3.0));
  const auto boom = machine_of("[tip]\nbody = \"boom\"\nposition_m = [2, 0, 0]\n");
  const training::Score one = judged(read(log, &boom));
  EXPECT_NEAR(one.path_m, 2.0, 0.005);  // 1 rad at 2 m
  EXPECT_EQ(one.lever_movements, 0.0);  // it has no levers
  EXPECT_EQ(one.legs, 1.0);
  const auto hanging = machine_of(
      "[[body]]\nname = \"head\"\nparent = \"boom\"\nposition_m = [1, 0, 0]\nmass_kg = "
      "50\ncom_m = [0, 0, -0.5]\ninertia_kg_m2 = [5, 5, 1]\njoint = { name = \"hang\", type = "
      "\"revolute\", axis = [0, -1, 0], lower_deg = -60, upper_deg = 80 }\n"
      "[tip]\nbody = \"head\"\nposition_m = [0, 0, -1]\n");
  EXPECT_NEAR(judged(read(log, &hanging)).path_m, 1.0, 0.005);
}

TEST_F(LogObservationsTest, JudgeAsTheSessionDoes) {
  training::Exercise exercise;
  exercise.name = "free";
  exercise.time_limit_s = 10.0;
  test::Attempt attempt(exercise);
  std::string log =
      "t_s,tip_x_m,tip_y_m,tip_z_m,lever_left_x,swing_demand,swing_travel_s,held,head_rad,"
      "pump_work_J,at_relief\n";
  for (int i = 0; i <= 11'500; ++i) {
    const double t = 1e-3 * i - 1.0;  // a second of nothing, ten of the attempt, and some more
    const double phase = std::max(0.0, t);
    const double lever = t > 0.0 ? 0.6 * std::sin(2.0 * phase) : 0.0;
    const double head = 0.2 * std::sin(3.0 * phase);
    const bool relief = t > 2.0 && t <= 2.5;
    attempt.tip({3.0 + std::sin(0.8 * phase), 1.5 * std::cos(0.5 * phase), 0.2 * phase});
    attempt.lever(lever);
    attempt.at.travel_s[0] = std::sin(0.5 * phase);
    attempt.at.held_log = t > 3.0 && t < 7.0 ? 0 : -1;
    attempt.at.hang_W[0] = std::sin(head);
    attempt.at.hang_W[2] = -std::cos(head);
    attempt.at.pump_work_J = 1000.0 * t;
    if (relief) ++attempt.at.sim.health.relief_ticks;
    attempt.step();
    if (attempt.phase() == training::TaskPhase::kPassed) break;
    const double(&tip)[3] = attempt.at.sim.tip_W;
    log += fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", 1e-3 * i, tip[0], tip[1], tip[2],
                       lever, lever, attempt.at.travel_s[0], attempt.at.held_log + 1, head,
                       1000.0 * t, relief ? 1 : 0);
  }
  ASSERT_EQ(attempt.phase(), training::TaskPhase::kPassed);
  const analysis::LogObservations seen = read(log);
  EXPECT_NEAR(seen.rate_Hz, 1000.0, 1e-6);
  EXPECT_NEAR(seen.start_s, 1.025, 2e-3);  // 0.6 sin(2 t) is beyond 0.03 from 0.025 s on
  const Score is = judged(seen), should = attempt.at.score;
  EXPECT_NEAR(is.time_s, should.time_s, 2e-3);
  EXPECT_EQ(should.legs, 3.0);
  EXPECT_EQ(is.legs, should.legs);
  EXPECT_EQ(is.movements_per_leg, should.movements_per_leg);
  EXPECT_NEAR(is.smoothness, should.smoothness, 0.02);
  EXPECT_EQ(is.cycles, 1.0);
  EXPECT_EQ(should.cycles, 1.0);
  const auto close = [&](double Score::*figure, double relative) {
    EXPECT_NEAR(is.*figure, should.*figure, relative * std::fabs(should.*figure) + 1e-9);
  };
  for (double Score::*figure :
       {&Score::shortest_m, &Score::relief_s, &Score::lever_reversals, &Score::energy_J,
        &Score::energy_per_leg_J, &Score::swing_peak_rad, &Score::swing_leg_rad,
        &Score::lever_movements, &Score::control_effort_s})
    close(figure, 2e-3);
  close(&Score::path_m, 1e-2);  // smoothed: it sets out at once with 0.8 m/s
  close(&Score::path_ratio, 1e-2);
  EXPECT_NEAR(is.still_s, should.still_s, 0.03);
  for (double Score::*figure :
       {&Score::reach_s, &Score::grip_s, &Score::move_s, &Score::release_s, &Score::cycle_s})
    EXPECT_NEAR(is.*figure, should.*figure, 0.03);
}

TEST_F(LogObservationsTest, SayWhatThereIs) {
  const analysis::LogObservations slow = read("t_s,tip_x_m,tip_y_m,tip_z_m\n0,0,0,0\n0.1,0,0,0\n");
  EXPECT_EQ(slow.observed, training::kObservedTip | kQuiet);  // too slow for smoothness
  const analysis::LogObservations part = read("t_s,tip_x_m,tip_y_m,held\n0,0,0,0\n0.01,1,0,0\n");
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
  const analysis::LogObservations seen = read(log);
  EXPECT_NEAR(seen.rate_Hz, 50.0, 1e-6);
  ASSERT_EQ(seen.rows, 201u);
  analysis::visit_rows(seen, [](std::size_t i, const training::Observation& row) {
    EXPECT_NEAR(row.tip_W[0], 0.01 * static_cast<double>(i), 1e-9);
  });
}

TEST_F(LogObservationsTest, FindTheTipFromTheJoints) {
  const machine::MachineModel model =
      io::read_machine(fs::path(KNUCKLEBOOM_SOURCE_DIR) / "config/machines/harvester/machine.toml")
          .model;
  const analysis::LogObservations seen =
      read("t_s,swing_rad,boom_rad,stick_rad\n0,0,0.5,-1.3\n0.02,0.1,0.6,-1.2\n", &model);
  EXPECT_TRUE((seen.observed & training::kObservedTip) != 0);
  const double q[kMaxLinks] = {0.1, 0.6, -1.2};
  const Vec3 tip = machine::tip_position(model, q);
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(rows_of(seen).back().tip_W[c], tip(c), 1e-12);
  EXPECT_EQ(read("t_s,swing_rad,boom_rad\n0,0,0.5\n0.02,0.1,0.6\n", &model).observed,
            training::kObservedTravel);  // two functions, and no tip
}

// 3 m there and back, seen with sensors of various noise.
TEST_F(LogObservationsTest, NoiseDoesNotLengthenTheWay) {
  for (const auto& [deviation, calm] : {std::pair(0.0, true), std::pair(5e-4, true),
                                        std::pair(5e-3, true), std::pair(0.02, false)}) {
    Noise noise;
    double raw = 0.0, before = 0.0;
    const analysis::LogObservations seen = read(log_of(16.0, 100.0, [&](double t) {
      const double x =
          3.0 * (least_jerk((t - 2.0) / 4.0) - least_jerk((t - 8.0) / 4.0)) + noise(deviation);
      raw += std::fabs(x - before);
      before = x;
      return x;
    }));
    EXPECT_TRUE((seen.observed & training::kObservedWay) != 0) << deviation;
    EXPECT_EQ((seen.observed & training::kObservedCalm) != 0, calm) << seen.noise.speed;
    EXPECT_NEAR(judged(seen).path_m, 6.0, deviation > 0.01 ? 0.3 : 0.1) << deviation;
    if (deviation > 0.01) {
      EXPECT_GT(raw, 25.0);  // what it would be without smoothing
    }
  }
  Noise noise;
  const analysis::LogObservations bad =
      read(log_of(10.0, 100.0, [&](double) { return noise(0.5); }));
  EXPECT_EQ(bad.observed & kQuiet, 0u);
  EXPECT_GT(bad.noise.way, 0.05);
}

TEST_F(LogObservationsTest, ATipThatNeverRestsIsNotNoisy) {
  const analysis::LogObservations seen =
      read(log_of(20.0, 100.0, [](double t) { return 2.0 * t; }));  // 2 m/s all the time
  EXPECT_EQ(seen.observed & kQuiet, kQuiet);
  EXPECT_LT(seen.noise.speed, 1e-9);
}

TEST_F(LogObservationsTest, SmoothnessAtAnyRateFrom25Hz) {
  const auto x = [](double t) { return 2.0 * least_jerk((t - 0.77) / 4.0); };
  for (const double rate : {25.0, 30.0, 40.0, 60.0, 70.0, 100.0, 333.0, 1000.0}) {
    const analysis::LogObservations seen = read(log_of(7.0, rate, x));
    EXPECT_TRUE((seen.observed & training::kObservedDense) != 0) << rate;
    const Score score = judged(seen);
    EXPECT_EQ(score.movements_per_leg, 1.0) << rate;
    EXPECT_EQ(score.submovements_per_leg, 1.0) << rate;
    EXPECT_NEAR(score.smoothness, kLeastJerkLdlj, 0.01 * 5.322) << rate;
  }
  EXPECT_EQ(read(log_of(7.0, 20.0, x)).observed & training::kObservedDense, 0u);
}

// Two movements alike, the first with a gap of half a second in its middle: the leg begins anew at the rest
// after it.
TEST_F(LogObservationsTest, ALegWithAGapIsLeftOut) {
  const auto x = [](double t) {
    return 2.0 * (least_jerk((t - 1.0) / 4.0) - least_jerk((t - 7.0) / 4.0));
  };
  const training::ScoreState state =
      analysis::judge(read(log_of(13.0, 100.0, x, [](double t) { return t < 2.301 || t > 2.8; })));
  EXPECT_EQ(state.legs.left_out, 1.0);
  EXPECT_EQ(state.score.movements_per_leg, 1.0);
  EXPECT_NEAR(state.score.smoothness, kLeastJerkLdlj, 0.01 * 5.322);
  // A row that is missing now and then is no gap.
  const training::ScoreState whole = analysis::judge(read(log_of(
      13.0, 100.0, x, [](double t) { return std::lround(t * 100.0) % 37 != 0 || t < 1e-3; })));
  EXPECT_EQ(whole.legs.left_out, 0.0);
  EXPECT_EQ(whole.score.movements_per_leg, 2.0);
}

TEST_F(LogObservationsTest, ALegThatBeganBeforeTheLogIsLeftOut) {
  const auto x = [](double t) {
    return 2.0 * (least_jerk((t + 1.5) / 4.0) + least_jerk((t - 5.0) / 4.0));
  };
  const training::ScoreState state = analysis::judge(read(log_of(11.0, 100.0, x)));
  EXPECT_EQ(state.legs.left_out, 1.0);
  EXPECT_EQ(state.score.movements_per_leg, 1.0);
  EXPECT_NEAR(state.score.smoothness, kLeastJerkLdlj, 0.01 * 5.322);
}

// There, grip, back, release, and a long recording of nothing. The contact of the grip is a bad one.
TEST_F(LogObservationsTest, OneCycleWhateverTheContactDoesAndHoweverLongTheRecording) {
  for (const bool levers : {true, false})
    for (const bool bad : {false, true}) {
      std::string log = levers ? "t_s,tip_x_m,tip_y_m,tip_z_m,held,lever_left_x\n"
                               : "t_s,tip_x_m,tip_y_m,tip_z_m,held\n";
      for (int i = 0; i <= 6000; ++i) {
        const double t = 0.01 * i;
        const double x = 4.0 * (least_jerk((t - 1.0) / 4.0) - least_jerk((t - 7.0) / 4.0));
        const double z = 0.5 * least_jerk((t - 14.0) / 2.0);  // up from the log
        const bool drops = bad && ((t > 9.0 && t < 9.15) || (t > 3.0 && t < 3.1));
        const bool held = (t > 6.0 && t < 13.0) != drops;
        log += fmt::format("{},{},0,{},{}", t, x, z, held ? 1 : 0);
        if (levers) log += t > 0.9 && t < 18.0 ? ",0.5" : ",0";
        log += "\n";
      }
      const analysis::LogObservations seen = read(log);
      const Score score = judged(seen);
      EXPECT_EQ(score.cycles, 1.0) << levers << bad;
      EXPECT_NEAR(score.move_s, 4.0, 0.7);  // 0.1 m/s is passed late, and fallen below early
      EXPECT_NEAR(score.shortest_m, 8.0, 0.01) << levers << bad;
      // To the last lever movement from the first, or till the tip has come to rest up there.
      EXPECT_NEAR(score.cycle_s, levers ? 18.0 - 0.9 : 16.0, levers ? 0.02 : 0.25) << bad;
      EXPECT_NEAR(score.time_s, levers ? 60.0 - 0.9 : 60.0, 0.02);
    }
}

// The lift boom of a PATU 655 goes from 1 to 48.5 degrees, the tilt boom stands still on it: an arc of
// 5.1 m radius, 4.25 m long, and some ringing. The sum over the raw samples is 38.6 m.
TEST_F(LogObservationsTest, TheWayOfARealCraneWithNoisySensors) {
  const fs::path file = fs::path(KNUCKLEBOOM_SHARED_DIR) / "data/patu655/measured_100Hz.csv";
  if (!fs::exists(file)) GTEST_SKIP() << file << " is not here";
  io::LogMap map;
  for (const char* name : {"lever_left_x", "lever_left_y"}) {
    io::LogColumn column;
    column.name = name;
    column.column = name == std::string("lever_left_x") ? "z1_lift_deg" : "z2_tilt_deg";
    column.scale = std::numbers::pi / 180.0;
    map.columns.push_back(column);
  }
  const analysis::LogObservations angles = analysis::read_observations(file, map, nullptr);
  std::string log = "t_s,tip_x_m,tip_y_m,tip_z_m\n";
  for (const training::Observation& row : rows_of(angles))
    log += fmt::format("{},{},0,{}\n", row.dt * static_cast<double>(row.ticks),
                       3.0106 * std::cos(row.axis[0]) + 2.58 * std::cos(row.axis[1]),
                       3.0106 * std::sin(row.axis[0]) + 2.58 * std::sin(row.axis[1]));
  const analysis::LogObservations seen = read(log);
  const double path_m = judged(seen).path_m;
  EXPECT_GT(path_m, 4.2);
  EXPECT_LT(path_m, 4.75);
  EXPECT_LT(seen.noise.way, 0.02);
  // Up to 5 Hz the noise looks like movement.
  EXPECT_EQ(seen.observed & kQuiet, training::kObservedWay);
  EXPECT_GT(seen.noise.speed, 0.05);
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
  const analysis::LogObservations seen = analysis::read_observations(file, map, nullptr);
  EXPECT_NEAR(seen.rate_Hz, 100.0, 1e-3);
  EXPECT_EQ(seen.observed, training::kObservedDemand);
  int in_use = 0;
  analysis::visit_rows(seen, [&](std::size_t, const training::Observation& row) {
    EXPECT_LT(std::fabs(row.shaped[1]), 0.02);  // the tilt stood still
    if (std::fabs(row.shaped[0]) > 0.02) ++in_use;
  });
  EXPECT_NEAR(in_use * seen.dt, 21.2, 0.3);
}

// Bytes of this process in memory, by a line of /proc/self/status.
double memory(const std::string& line) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == line + ":") {
      double kB = 0.0;
      status >> kB;
      return 1024.0 * kB;
    }
  return 0.0;
}

// Forty minutes at 100 Hz with the digits of a double: neither its text nor an observation for each row is in
// memory, but at most three times the columns. The tip goes 2 m there and back every 20 s.
TEST_F(LogObservationsTest, AreThreeTimesTheColumnsInMemoryAtMost) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer's own memory is not ours";
#endif
  constexpr int kRows = 240'001;
  const fs::path file = fs::path(testing::TempDir()) / fmt::format("long_{}.csv", ::getpid());
  {
    std::ofstream out(file);
    out << "t_s,tip_x_m,tip_y_m,tip_z_m\n";
    fmt::memory_buffer text;
    for (int i = 0; i < kRows; ++i) {
      const double t = std::fmod(0.01 * i, 20.0);
      const double x = 2.0 * (least_jerk((t - 1.0) / 6.0) - least_jerk((t - 11.0) / 6.0));
      text.clear();
      fmt::format_to(std::back_inserter(text), "{:.2f},{:.15f},{:.15f},{:.15f}\n", 0.01 * i,
                     1.0 + x, 1.0 / 3.0, 2.0);
      out.write(text.data(), static_cast<std::streamsize>(text.size()));
    }
  }
  ::malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak counts from here
  const double before = memory("VmRSS");
  if (memory("VmHWM") > before + 2e6) GTEST_SKIP() << "the system does not begin the peak anew";
  const analysis::LogObservations seen = analysis::read_observations(file, io::LogMap{}, nullptr);
  EXPECT_NEAR(judged(seen).path_m, 120 * 4.0, 0.5);
  EXPECT_FALSE(std::isfinite(analysis::spectral_arc(seen)));  // a leg of 40 minutes
  fs::remove(file);
  EXPECT_LT(memory("VmHWM") - before, 3.0 * 4.0 * sizeof(double) * kRows);
}

}  // namespace
}  // namespace knuckleboom
