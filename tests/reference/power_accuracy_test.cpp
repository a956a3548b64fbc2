// The circuits' step beside converged solutions of the same circuits, both with the supply held over the same
// ticks: what is left is the step's own error.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "reference/converged.hpp"
#include "support/machines.hpp"

namespace knuckleboom {
namespace {

class PumpAgainstConverged : public testing::TestWithParam<machine::Fidelity> {};
INSTANTIATE_TEST_SUITE_P(Models, PumpAgainstConverged,
                         testing::Values(machine::Fidelity::kFull, machine::Fidelity::kReduced,
                                         machine::Fidelity::kPaper),
                         [](const auto& info) { return machine::word_of(info.param); });

TEST_P(PumpAgainstConverged, StayTogether) {
  command::Scenario scenario = test::locked(2.0);
  for (std::size_t i = 0; i < 3; ++i)
    scenario.programs[i].signal = {{test::smooth(5.0, 0.2, 1.2), test::smooth(-4.0, 1.3, 2.0)}};
  machine::MachineModel model = test::pump_machine();
  // A lagging spool crosses its overlap within a tick, which the step does not see: another error.
  for (machine::Actuator& a : model.actuators) a.circuit.valve.spool_time_constant_s = 0.0;
  const sim::Simulation simulation(model, scenario);
  sim::SimState step = simulation.initial_state(GetParam());
  sim::SimState converged = step;
  reference::ConvergedSolver solver(simulation, {1e-8, true});
  double joint = 0.0;
  double supply = 0.0;
  for (int k = 0; k < 2000; ++k) {
    simulation.step(step);
    solver.step(converged);
    for (int i = 0; i < 3; ++i)
      joint = std::max(joint, std::fabs(step.machine.q[i] - converged.machine.q[i]));
    supply += std::pow(step.machine.pump_Pa - converged.machine.pump_Pa, 2) / 2000.0;
  }
  std::printf(
      "joints within %.2g mrad, supply pressure %.3g bar rms, residual %.2g of the engine's work\n",
      1e3 * joint, 1e-5 * std::sqrt(supply),
      std::fabs(simulation.energy_residual(converged)) / converged.machine.supply_energy.engine);
  // The reduced model's trapezoidal rule does not damp the oil's oscillation and is late in its phase.
  EXPECT_LT(joint, GetParam() == machine::Fidelity::kReduced ? 3e-5 : 2e-5);
  EXPECT_LT(std::sqrt(supply), 5e4);
  EXPECT_LT(std::fabs(simulation.energy_residual(converged)),
            1e-4 * converged.machine.supply_energy.engine);
}

}  // namespace
}  // namespace knuckleboom
