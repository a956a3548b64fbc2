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
#include "support/machines.hpp"
#include "support/paths.hpp"
#include "support/telescope.hpp"

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

// A telescope whose chain moves the second stage, upright and with its valve opened to and fro.
double worst_of_telescope(double tick_s) {
  command::Scenario program;
  program.name = "telescope";
  program.tick_s = tick_s;
  program.duration_s = 3.0;
  program.initial = {{"stage1", 0.5, false, false, 0.0, 0.0}};
  program.programs.push_back(
      {"stage1", command::JointMode::kVoltage, {{test::sine(4.0, 1.0, 0.5)}}});
  const sim::Simulation simulation(test::telescope(200.0, 150.0, Vec3::UnitZ()), program);
  reference::ConvergedSolver converged(simulation, {1e-10, true});
  sim::SimState real_time = simulation.initial_state(machine::Fidelity::kFull);
  sim::SimState exact = real_time;
  double worst = 0.0, least = 1.0, most = 0.0;
  while (simulation.time(exact) < 2.0) {
    simulation.step(real_time);
    converged.step(exact);
    worst = std::max(worst, std::fabs(real_time.machine.q[1] - exact.machine.q[1]));
    least = std::min(least, exact.machine.q[1]);
    most = std::max(most, exact.machine.q[1]);
    EXPECT_NEAR(exact.machine.q[1], exact.machine.q[0], 1e-15);
  }
  std::printf("telescope, ticks of %g ms: within %.1e m of the converged solution, %.3f m on\n",
              1e3 * tick_s, worst, most - least);
  EXPECT_GT(most - least, 0.05);
  EXPECT_NEAR(real_time.machine.coupling_force[1], exact.machine.coupling_force[1], 20.0);
  EXPECT_LT(std::fabs(simulation.energy_residual(exact)), 1e-3);
  return worst;
}

TEST(CouplingsAgainstConverged, ATelescope) {
  const double coarse = worst_of_telescope(1e-3);
  EXPECT_LT(coarse, 1e-4);
  EXPECT_LT(worst_of_telescope(5e-4), coarse);
}

}  // namespace
}  // namespace knuckleboom
