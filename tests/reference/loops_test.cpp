// Mechanisms with loops: the real-time step against CVODE on the same equations.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/scenario_file.hpp"
#include "reference/converged.hpp"
#include "support/paths.hpp"

namespace knuckleboom {
namespace {

// Largest distance of the joints from the converged solution over four seconds of free turning [rad].
double worst_distance(const std::string& machine, const std::string& scenario, double tick_s) {
  const std::filesystem::path config = std::filesystem::path(KNUCKLEBOOM_SOURCE_DIR) / "config";
  command::Scenario program =
      io::read_scenario(config / "scenarios" / (scenario + ".toml")).scenario;
  program.tick_s = tick_s;
  const sim::Simulation simulation(
      io::read_machine(config / "machines" / machine / "machine.toml").model, program);
  reference::ConvergedSolver converged(simulation, {1e-10, true});
  sim::SimState real_time = simulation.initial_state(machine::Fidelity::kReduced);
  sim::SimState exact = real_time;
  double worst = 0.0;
  while (simulation.time(exact) < 4.0) {
    simulation.step(real_time);
    converged.step(exact);
    for (int i = 0; i < 3; ++i)
      worst = std::max(worst, std::fabs(real_time.machine.q[i] - exact.machine.q[i]));
  }
  // The loops' forces: at the middle of the last tick, and at its end.
  for (int c = 0; c < 3; ++c)
    EXPECT_NEAR(real_time.machine.loop_force_W[0][c], exact.machine.loop_force_W[0][c], 3.0);
  std::printf(
      "%s, ticks of %g ms: real time within %.1e rad of the converged solution, %.1f rad on\n",
      machine.c_str(), 1e3 * tick_s, worst, exact.machine.q[0]);
  EXPECT_LT(simulation.model().loop_system.gap(simulation.model().tree, exact.machine.q), 1e-12);
  EXPECT_LT(std::fabs(simulation.energy_residual(exact)), 1e-3);
  return worst;
}

TEST(LoopsAgainstConverged, ShippedMechanisms) {
  const char* const cases[2][2] = {{"four_bar", "four_bar_torque"},
                                   {"crank_slider", "crank_slider_torque"}};
  for (const auto& names : cases) {
    SCOPED_TRACE(names[0]);
    const double coarse = worst_distance(names[0], names[1], 1e-3);
    const double fine = worst_distance(names[0], names[1], 5e-4);
    EXPECT_LT(coarse, 1e-2);
    // Second order.
    EXPECT_GT(coarse / fine, 3.5);
    EXPECT_LT(coarse / fine, 5.0);
  }
}

}  // namespace
}  // namespace knuckleboom
