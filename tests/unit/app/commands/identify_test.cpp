// Identification as a user meets it: a log made with known parameters gives them back.
#include "app/commands/identify.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/shell/exit_status.hpp"
#include "knuckleboom/analysis/free_run.hpp"
#include "knuckleboom/analysis/log_scenario.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "support/paths.hpp"
#include "support/session_recording.hpp"

namespace knuckleboom::app {
namespace {

using testing::HasSubstr;

std::string machine_file() {
  return std::string(KNUCKLEBOOM_SOURCE_DIR) + "/tests/bundles/patu655_lift_sim/machine.toml";
}

// A lift that goes up and down, as a log with columns of its own.
struct Made {
  std::string name = "log.csv";
  double starts_m = 1.0, amplitude_V = 3.0, offset_m = 5e-3;
  double rate_Hz = 100.0, noise = 0.0;  // of each channel's own spread
  unsigned seed = 1;
  analysis::Logger of_length{};       // what the logger does to the length
  double from_s = 0.0, lead_s = 0.2;  // where the log begins; how far its command is ahead
};

class Identify : public testing::Test {
 protected:
  void SetUp() override {
    make({});
    std::ofstream map(folder_.path() / "map.toml");
    map << "time = \"time_ms\"\ntime_unit = \"ms\"\n"
           "[[column]]\nname = \"lift_valve_V\"\ncolumn = \"u\"\nunit = \"V\"\nscale = -1\n"
           "[[column]]\nname = \"lift_length_m\"\ncolumn = \"s_mm\"\n"
           "[[column]]\nname = \"lift_port_a_Pa\"\ncolumn = \"pa_bar\"\n"
           "[[column]]\nname = \"lift_port_b_Pa\"\ncolumn = \"pb_bar\"\n";
    options_.machine = machine_file();
    options_.assignments = {"actuator.lift.friction.model=viscous"};
    options_.logs = {(folder_.path() / "log.csv").string()};
    options_.maps = {(folder_.path() / "map.toml").string()};
    options_.summary = (folder_.path() / "fit.json").string();
  }

  // Twelve seconds. The log's command has the opposite sign and precedes the spool by 0.2 s.
  void make(const Made& made) {
    const std::vector<io::Override> truth = {{"actuator.lift.friction.model", "viscous"},
                                             {"valve.lift.conductance_m3_per_s_sqrtPa", "3e-7"},
                                             {"actuator.lift.friction.viscous_N_s_per_m", "9e4"}};
    const machine::MachineModel model = io::read_machine(machine_file(), truth).model;
    io::Trace log{
        {}, {"t_s", "lift_valve_V", "lift_length_m", "lift_port_b_Pa"}, {{}, {}, {}, {}}, "made"};
    const int rows = static_cast<int>(12.0 * made.rate_Hz);
    for (int i = 0; i <= rows; ++i) {
      const double t = i / made.rate_Hz;
      log.data[0].push_back(t);
      log.data[1].push_back(t < 1.2 || t > 11.0 ? 0.0
                                                : made.amplitude_V * std::sin(0.6 * (t - 1.2)));
      log.data[2].push_back(made.starts_m);
      log.data[3].push_back(2e6);
    }
    analysis::FreeRunSetup setup;
    setup.channels = {"lift_length_m", "lift_port_a_Pa", "lift_port_b_Pa", "lift_rad"};
    setup.corrections = {{"lift_length_m", 1.0, 0.0, made.of_length}};
    auto run = analysis::free_run(model, log, setup);
    ASSERT_EQ(run.size(), 4u);
    const std::vector<double> angle = run[3];
    run.pop_back();
    std::mt19937 random(made.seed);
    std::normal_distribution<double> normal;
    for (std::vector<double>& channel : run) {
      const auto [low, high] = std::minmax_element(channel.begin(), channel.end());
      const double sd = made.noise * (*high - *low);
      for (double& y : channel) y += sd * normal(random);
    }
    std::ofstream csv(folder_.path() / made.name);
    csv << "time_ms,u,s_mm,pa_bar,pb_bar\n";
    const std::size_t lead = static_cast<std::size_t>(made.lead_s * made.rate_Hz);
    const std::size_t first = static_cast<std::size_t>(made.from_s * made.rate_Hz);
    if (first > 0) speed_ = (angle[first + 1] - angle[first - 1]) * made.rate_Hz / 2.0;
    for (std::size_t i = first; i < log.data[0].size(); ++i) {
      const std::size_t ahead = std::min(i + lead, log.data[0].size() - 1);
      if (i == 600) continue;  // a row is missing
      csv << fmt::format("{:.9g},{:.9g},{:.9g},{:.9g},{:.9g}\n", 1e3 * log.data[0][i],
                         -log.data[1][ahead], (run[0][i] + made.offset_m) * 1e3, run[1][i] / 1e5,
                         run[2][i] / 1e5);
    }
  }

  // after: a text that stands before it in the file.
  double number(const std::string& parameter, const std::string& what,
                const std::string& after = "{") const {
    std::ifstream file(folder_.path() / "fit.json");
    const std::string json((std::istreambuf_iterator<char>(file)), {});
    const std::size_t at = json.find('"' + parameter + "\":", json.find(after));
    const std::size_t from = json.find('"' + what + "\":", at) + what.size() + 3;
    return std::stod(json.substr(from, 30));
  }

  test::TemporaryFolder folder_;
  IdentifyOptions options_;
  double speed_ = 0.0;  // of the joint where the log begins [rad/s]
};

TEST_F(Identify, FindsWhatTheLogWasMadeWith) {
  options_.fits = {"valve.lift.conductance_m3_per_s_sqrtPa=2e-7,1e-7,6e-7",
                   "actuator.lift.friction.viscous_N_s_per_m=3e4,0,3e5",
                   "log.delay_s.lift=0.05,0,0.5", "log.offset.lift_length_m=0,-0.02,0.02"};
  options_.hold_out = {"8-12"};
  ASSERT_EQ(identify(options_), kSuccess);
  const double g = number("valve.lift.conductance_m3_per_s_sqrtPa", "value");
  EXPECT_NEAR(g / 3e-7, 1.0, 2e-3);
  EXPECT_NEAR(number("actuator.lift.friction.viscous_N_s_per_m", "value") / 9e4, 1.0, 0.02);
  EXPECT_NEAR(number("log.delay_s.lift", "value"), 0.2, 2e-3);
  EXPECT_NEAR(number("log.offset.lift_length_m", "value"), 5e-3, 5e-5);
  EXPECT_LT(number("lift_length_m", "held_out_after"), 2e-4);
  EXPECT_GT(number("lift_length_m", "held_out_before"), 1e-2);
}

// The length comes from a slow sensor whose messages are late; the pressures do not.
TEST_F(Identify, FindsWhatTheLoggerDid) {
  make({.of_length = {.lag_s = 0.15, .dead_s = 0.08}});
  options_.fits = {"valve.lift.conductance_m3_per_s_sqrtPa=2e-7,1e-7,6e-7",
                   "log.delay_s.lift=0.05,-0.1,0.5", "log.offset.lift_length_m=0,-0.02,0.02",
                   "log.lag_s.lift_length_m=0.05,0,0.5",
                   "log.dead_time_s.lift_length_m=0.02,0,0.3"};
  options_.assignments.push_back("actuator.lift.friction.viscous_N_s_per_m=9e4");
  ASSERT_EQ(identify(options_), kSuccess);
  EXPECT_NEAR(number("valve.lift.conductance_m3_per_s_sqrtPa", "value") / 3e-7, 1.0, 2e-3);
  EXPECT_NEAR(number("log.delay_s.lift", "value"), 0.2, 2e-3);
  EXPECT_NEAR(number("log.lag_s.lift_length_m", "value"), 0.15, 0.01);
  EXPECT_NEAR(number("log.dead_time_s.lift_length_m", "value"), 0.08, 0.01);
}

// The logger was switched on while the boom was on its way.
TEST_F(Identify, TakesALogThatBeginsInMotion) {
  make({.offset_m = 0.0, .from_s = 3.0, .lead_s = 0.0});
  options_.rest_s = 0.05;
  options_.assignments.push_back("actuator.lift.friction.viscous_N_s_per_m=9e4");
  options_.fits = {"valve.lift.conductance_m3_per_s_sqrtPa=2e-7,1e-7,6e-7",
                   "log.speed.lift=0,-0.5,0.5"};
  ASSERT_EQ(identify(options_), kSuccess);
  EXPECT_NEAR(number("valve.lift.conductance_m3_per_s_sqrtPa", "value") / 3e-7, 1.0, 5e-3);
  EXPECT_GT(std::fabs(speed_), 0.005);
  EXPECT_NEAR(number("log.speed.lift", "value"), speed_, 0.1 * std::fabs(speed_));
  EXPECT_LT(number("lift_length_m", "after"), 5e-4);
}

// Two mornings: the sensor hangs elsewhere and the load starts at another height; the machine is the same.
TEST_F(Identify, LogsShareTheMachineAndKeepWhatIsTheirs) {
  make({.name = "other.csv", .starts_m = 1.1, .amplitude_V = 2.0, .offset_m = -3e-3});
  make({.name = "third.csv", .starts_m = 1.05, .amplitude_V = 2.5, .offset_m = 0.0});
  options_.logs.push_back((folder_.path() / "other.csv").string());
  options_.logs.push_back((folder_.path() / "third.csv").string());
  options_.fits = {"valve.lift.conductance_m3_per_s_sqrtPa=2e-7,1e-7,6e-7",
                   "actuator.lift.friction.viscous_N_s_per_m=3e4,0,3e5",
                   "log.delay_s.lift=0.05,0,0.5", "log1.offset.lift_length_m=0,-0.02,0.02",
                   "log2.offset.lift_length_m=0,-0.02,0.02"};
  options_.hold_out = {"3", "2:9-12"};
  options_.weights = {"2:0.5"};
  ASSERT_EQ(identify(options_), kSuccess);
  EXPECT_NEAR(number("valve.lift.conductance_m3_per_s_sqrtPa", "value") / 3e-7, 1.0, 2e-3);
  EXPECT_NEAR(number("actuator.lift.friction.viscous_N_s_per_m", "value") / 9e4, 1.0, 0.02);
  EXPECT_NEAR(number("log.delay_s.lift", "value"), 0.2, 2e-3);
  EXPECT_NEAR(number("log1.offset.lift_length_m", "value"), 5e-3, 5e-5);
  EXPECT_NEAR(number("log2.offset.lift_length_m", "value"), -3e-3, 5e-5);
  EXPECT_LT(number("lift_length_m", "held_out_after", "third.csv"), 2e-4);
}

// With 1 % of noise, in the start as well: the 95 % interval holds the truth. 200 fits by KNUCKLEBOOM_LONG.
TEST_F(Identify, IntervalsHoldTheTruth) {
  const bool all = std::getenv("KNUCKLEBOOM_LONG") != nullptr;
  options_.fits = {"valve.lift.conductance_m3_per_s_sqrtPa=2e-7,1e-7,6e-7",
                   "actuator.lift.friction.viscous_N_s_per_m=3e4,0,3e5",
                   "log.delay_s.lift=0.15,0,0.5", "log.offset.lift_length_m=0,-0.02,0.02"};
  const double truth[] = {3e-7, 9e4, 0.2, 5e-3};
  const char* names[] = {"valve.lift.conductance_m3_per_s_sqrtPa",
                         "actuator.lift.friction.viscous_N_s_per_m", "log.delay_s.lift",
                         "log.offset.lift_length_m"};
  for (const double rate : {100.0, 1000.0}) {
    if (rate > 100.0 && !all) continue;
    const int fits = all ? 200 : 10;
    int inside[4] = {};
    for (int run = 0; run < fits; ++run) {
      make({.rate_Hz = rate, .noise = 0.01, .seed = 100u + static_cast<unsigned>(run)});
      ASSERT_EQ(identify(options_), kSuccess);
      for (int i = 0; i < 4; ++i)
        if (std::fabs(number(names[i], "value") - truth[i]) < 1.96 * number(names[i], "sd"))
          ++inside[i];
    }
    const int pooled = inside[0] + inside[1] + inside[2] + inside[3];
    std::printf("at %.0f Hz, %d fits: %d %d %d %d inside, pooled %.1f %%\n", rate, fits, inside[0],
                inside[1], inside[2], inside[3], 100.0 * pooled / (4.0 * fits));
    // Ten fits tell a fault of kind from luck, no more.
    EXPECT_GE(pooled, (all ? 0.92 : 0.80) * 4 * fits);
    for (const int one : inside) EXPECT_GE(one, (all ? 0.90 : 0.6) * fits);
    if (!all) continue;
    EXPECT_LE(pooled, 0.98 * 4 * fits);
    for (const int one : inside) EXPECT_LE(one, 0.99 * fits);
  }
}

TEST_F(Identify, SaysWhatIsWrong) {
  const auto complaint = [&](std::vector<std::string> fits) {
    IdentifyOptions o = options_;
    o.fits = std::move(fits);
    try {
      identify(o);
    } catch (const UserError& error) {
      return std::string(error.what());
    } catch (const io::FileError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(complaint({"oil.bulk_modulus_MPa=900"}), HasSubstr("expected KEY=START,LOW,HIGH"));
  EXPECT_THAT(complaint({"oil.bulk_modulus_MPa=900,1000,2000"}),
              HasSubstr("start must lie between"));
  EXPECT_THAT(complaint({"oil.bulk_modulus_MPa=900,x,2000"}), HasSubstr("oil.bulk_modulus_MPa"));
  EXPECT_THAT(complaint({"oil.bulk_modulos_MPa=900,1,2000"}), HasSubstr("bulk_modul"));
  EXPECT_THAT(complaint({"log.delay_s.boom=0,0,1"}), HasSubstr("the log drives no joint 'boom'"));
  EXPECT_THAT(complaint({"log.offset.lift=0,-1,1"}), HasSubstr("the log has no column 'lift'"));
  EXPECT_THAT(complaint({"log.lag=0,0,1"}), HasSubstr("log.delay_s.JOINT"));
  EXPECT_THAT(complaint({"log.lag=0,0,1"}), HasSubstr("log.dead_band.COLUMN"));
  EXPECT_THAT(complaint({"log.lag_s.lift_valve_V=0,0,1"}),
              HasSubstr("the log is not compared by a column 'lift_valve_V'"));
  EXPECT_THAT(complaint({"log.speed.boom=0,0,1"}), HasSubstr("the log drives no joint 'boom'"));
  options_.hold_out = {"30-40"};
  EXPECT_THAT(complaint({"oil.bulk_modulus_MPa=900,300,2000"}),
              HasSubstr("--hold-out 30-40: the log has no rows there; it goes from 0 to 12 s"));
  options_.hold_out.clear();
  options_.from_to = {"20-25"};
  EXPECT_THAT(complaint({"oil.bulk_modulus_MPa=900,300,2000"}),
              HasSubstr("--range 20-25: the log has no rows there; it goes from 0 to 12 s"));
  options_.from_to.clear();
  options_.spreads = {"lift_lenght_m=0.01"};
  EXPECT_THAT(
      complaint({"oil.bulk_modulus_MPa=900,300,2000"}),
      HasSubstr("no column 'lift_lenght_m' to compare with; did you mean 'lift_length_m'?"));
  options_.spreads.clear();
  options_.hold_out = {"2"};
  EXPECT_THAT(complaint({"oil.bulk_modulus_MPa=900,300,2000"}), HasSubstr("such as 12-27"));
  options_.hold_out.clear();
  EXPECT_THAT(complaint({"log2.offset.lift_length_m=0,-1,1"}),
              HasSubstr("there is no log 2; they are numbered from 1 to 1"));
  EXPECT_THAT(complaint({"log.start.lift_rad=0,-1,1"}),
              HasSubstr("gives no start by a column 'lift_rad'"));
  options_.logs.push_back(options_.logs.front());
  options_.hold_out = {"3"};
  EXPECT_THAT(complaint({"oil.bulk_modulus_MPa=900,300,2000"}),
              HasSubstr("--hold-out 3: there is no log 3; they are numbered from 1 to 2"));
  options_.hold_out = {"1", "2"};
  EXPECT_THAT(complaint({"oil.bulk_modulus_MPa=900,300,2000"}), HasSubstr("give it more"));
  options_.hold_out.clear();
  options_.weights = {"0.5"};
  EXPECT_THAT(complaint({"oil.bulk_modulus_MPa=900,300,2000"}), HasSubstr("expected N:NUMBER"));
  options_.weights.clear();
  options_.logs.back() = "nowhere.csv";
  EXPECT_THAT(complaint({"oil.bulk_modulus_MPa=900,300,2000"}),
              HasSubstr("nowhere.csv: there is no such file or folder"));
  options_.maps = {"a.toml", "b.toml", "c.toml"};
  EXPECT_THAT(complaint({"oil.bulk_modulus_MPa=900,300,2000"}),
              HasSubstr("3 --map for 2 logs: give one for all, or one for each"));
  options_.logs.pop_back();
  options_.maps.clear();
  EXPECT_THAT(complaint({"oil.bulk_modulus_MPa=900,300,2000"}), HasSubstr("--map FILE"));
}

// A straight line through each part of a logger, by its formula.
TEST(Logger, PassesAStraightLineAsItsPartsSay) {
  std::vector<double> t, line;
  for (int i = 0; i <= 100; ++i) {
    t.push_back(5.0 + 0.01 * i);
    line.push_back(2.0 * 0.01 * i);
  }
  const auto passed = [&](const analysis::Logger& logger) {
    std::vector<double> y = line;
    analysis::pass_through(logger, t, y);
    return y;
  };
  EXPECT_EQ(passed({}), line);
  EXPECT_NEAR(passed({.lag_s = 0.2})[50], 2.0 * (0.5 - 0.2 + 0.2 * std::exp(-2.5)), 1e-12);
  EXPECT_NEAR(passed({.dead_s = 0.125})[50], 2.0 * 0.375, 1e-12);
  EXPECT_EQ(passed({.dead_s = 0.125})[12], 0.0);
  const std::vector<double> held = passed({.hold_s = 0.1});
  EXPECT_NEAR(held[40], 0.8, 1e-12);
  EXPECT_NEAR(held[49], 0.8, 1e-12);
  EXPECT_NEAR(held[50], 1.0, 1e-12);
  const std::vector<double> coarse = passed({.dead_band = 0.05});  // rows rise by 0.02
  EXPECT_EQ(coarse[2], 0.0);
  EXPECT_NEAR(coarse[3], 0.06, 1e-12);
  EXPECT_NEAR(coarse[5], 0.06, 1e-12);
  EXPECT_NEAR(coarse[6], 0.12, 1e-12);
}

// Degrees under the name of radians.
TEST(LogScenario, RefusesAStartFarOutsideTheRange) {
  const machine::MachineModel model = io::read_machine(machine_file()).model;
  const io::Trace log{
      {}, {"t_s", "lift_valve_V", "lift_rad"}, {{0, 1}, {0, 0}, {17.2, 17.2}}, "made"};
  try {
    analysis::log_scenario(model, log, {});
    FAIL();
  } catch (const UserError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("the log has joint 'lift' at 17.2 rad at rest, outside its range"));
  }
}

}  // namespace
}  // namespace knuckleboom::app
