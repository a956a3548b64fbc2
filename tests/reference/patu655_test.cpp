// The measured crane where no trace is published, only figures.
#include <cmath>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/scenario_file.hpp"
#include "support/paths.hpp"

namespace knuckleboom {
namespace {

// Lowered at 6.6 V: 1207.3 to 953.8 mm in 5.28 s, 48.0 mm/s, with port B near cavitation (DeepMechDyn,
// rigidMBD-PVG32). With the published valve it takes longer, docs/validation.md.
TEST(Patu655, ComesDownAtTheSpeedOfItsThrottledPort) {
  const std::filesystem::path config = std::filesystem::path(KNUCKLEBOOM_SOURCE_DIR) / "config";
  const machine::MachineModel model =
      io::read_machine(config / "machines" / "patu655" / "machine.toml").model;
  const command::Scenario scenario =
      io::read_scenario(config / "scenarios" / "patu655_lower.toml").scenario;
  const sim::Simulation simulation(model, scenario);
  sim::SimState state = simulation.initial_state(machine::Fidelity::kFull);
  const auto length = [&] { return machine::displacement(model, 0, state.machine.q).x; };
  EXPECT_NEAR(length(), 1.2073, 1e-4);
  double from = 0.0;
  double to = 0.0;
  double lowest = 1e9;
  while (state.tick < simulation.tick_count() && to == 0.0) {
    simulation.step(state);
    if (from == 0.0 && length() < 1.16) from = simulation.time(state);
    if (from > 0.0) lowest = std::fmin(lowest, state.machine.actuator[0].p[1]);
    if (length() < 0.9538) to = simulation.time(state);
  }
  const double speed = (0.9538 - 1.16) / (to - from);
  RecordProperty("mm_per_s", std::to_string(1e3 * speed));
  EXPECT_NEAR(speed, -0.048, 0.08 * 0.048);
  EXPECT_LT(lowest, 0.0);
  EXPECT_EQ(state.machine.health.non_finite, 0);
}

}  // namespace
}  // namespace knuckleboom
