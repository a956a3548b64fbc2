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

namespace knuckleboom {
namespace {

TEST(LoopsAgainstConverged, ShippedMechanisms) {
  const std::filesystem::path config = std::filesystem::path(KNUCKLEBOOM_SOURCE_DIR) / "config";
  const char* const cases[2][2] = {{"four_bar", "four_bar_torque"},
                                   {"crank_slider", "crank_slider_torque"}};
  for (const auto& names : cases) {
    SCOPED_TRACE(names[0]);
    const sim::Simulation simulation(
        io::read_machine(config / "machines" / names[0] / "machine.toml").model,
        io::read_scenario(config / "scenarios" / (std::string(names[1]) + ".toml")).scenario);
    reference::ConvergedSolver converged(simulation, {1e-10, true});
    sim::SimState real_time = simulation.initial_state(machine::Fidelity::kReduced);
    sim::SimState exact = real_time;
    double worst = 0.0;
    for (int tick = 0; tick < 4000; ++tick) {
      simulation.step(real_time);
      converged.step(exact);
      for (int i = 0; i < 3; ++i)
        worst = std::max(worst, std::fabs(real_time.machine.q[i] - exact.machine.q[i]));
    }
    std::printf("%s: real time within %.1e rad of the converged solution over 4 s\n", names[0],
                worst);
    EXPECT_LT(worst, 1e-3);
    EXPECT_LT(simulation.model().loop_system.gap(simulation.model().tree, exact.machine.q), 1e-12);
    EXPECT_LT(std::fabs(simulation.energy_residual(exact)), 1e-5);
  }
}

}  // namespace
}  // namespace knuckleboom
