// Identification as a user meets it: a log made with known parameters gives them back.
#include "app/commands/identify.hpp"

#include <cmath>
#include <fstream>
#include <iterator>
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

// Twelve seconds of a lift that goes up and down, as a log with columns of its own.
class Identify : public testing::Test {
 protected:
  void SetUp() override {
    const std::vector<io::Override> made = {{"actuator.lift.friction.model", "viscous"},
                                            {"valve.lift.conductance_m3_per_s_sqrtPa", "3e-7"},
                                            {"actuator.lift.friction.viscous_N_s_per_m", "9e4"}};
    const machine::MachineModel model = io::read_machine(machine_file(), made).model;
    io::Trace log{
        {}, {"t_s", "lift_valve_V", "lift_length_m", "lift_port_b_Pa"}, {{}, {}, {}, {}}, "made"};
    for (int i = 0; i <= 1200; ++i) {
      const double t = 0.01 * i;
      log.data[0].push_back(t);
      log.data[1].push_back(t < 1.2 || t > 11.0 ? 0.0 : 3.0 * std::sin(0.6 * (t - 1.2)));
      log.data[2].push_back(1.0);
      log.data[3].push_back(2e6);
    }
    analysis::FreeRunSetup setup;
    setup.channels = {"lift_length_m", "lift_port_a_Pa", "lift_port_b_Pa"};
    const auto run = analysis::free_run(model, log, setup);
    ASSERT_EQ(run.size(), 3u);
    std::ofstream csv(folder_.path() / "log.csv");
    // The log's command has the opposite sign and precedes the spool by 0.2 s; its length is 5 mm
    // off.
    csv << "time_ms,u,s_mm,pa_bar,pb_bar\n";
    for (std::size_t i = 0; i < log.data[0].size(); ++i) {
      const std::size_t ahead = std::min(i + 20, log.data[0].size() - 1);
      if (i == 600) continue;  // a row is missing
      csv << fmt::format("{},{:.9g},{:.9g},{:.9g},{:.9g}\n", 10 * i, -log.data[1][ahead],
                         run[0][i] * 1e3 + 5.0, run[1][i] / 1e5, run[2][i] / 1e5);
    }
    std::ofstream map(folder_.path() / "map.toml");
    map << "time = \"time_ms\"\ntime_unit = \"ms\"\n"
           "[[column]]\nname = \"lift_valve_V\"\ncolumn = \"u\"\nunit = \"V\"\nscale = -1\n"
           "[[column]]\nname = \"lift_length_m\"\ncolumn = \"s_mm\"\n"
           "[[column]]\nname = \"lift_port_a_Pa\"\ncolumn = \"pa_bar\"\n"
           "[[column]]\nname = \"lift_port_b_Pa\"\ncolumn = \"pb_bar\"\n";
    options_.machine = machine_file();
    options_.assignments = {"actuator.lift.friction.model=viscous"};
    options_.log = (folder_.path() / "log.csv").string();
    options_.map = (folder_.path() / "map.toml").string();
    options_.summary = (folder_.path() / "fit.json").string();
  }

  double number(const std::string& parameter, const std::string& what) const {
    std::ifstream file(folder_.path() / "fit.json");
    const std::string json((std::istreambuf_iterator<char>(file)), {});
    const std::size_t at = json.find('"' + parameter + "\":");
    const std::size_t from = json.find('"' + what + "\":", at) + what.size() + 3;
    return std::stod(json.substr(from, 30));
  }

  test::TemporaryFolder folder_;
  IdentifyOptions options_;
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
  options_.hold_out = {"30-40"};
  EXPECT_THAT(complaint({"oil.bulk_modulus_MPa=900,300,2000"}),
              HasSubstr("--hold-out 30-40: the log has no rows there; it goes from 0 to 12 s"));
  options_.hold_out.clear();
  options_.map.clear();
  EXPECT_THAT(complaint({"oil.bulk_modulus_MPa=900,300,2000"}), HasSubstr("--map FILE"));
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
