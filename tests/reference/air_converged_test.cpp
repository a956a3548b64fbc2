// Machines on air against the converged solution of the same equations.
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "reference/converged.hpp"
#include "support/paths.hpp"

namespace knuckleboom::air_converged_test {
namespace {

struct Errors {
  double q = 0.0, p = 0.0;                   // largest [rad, Pa]
  double residual, residual_converged, air;  // of the energy, and that of the air that came in [J]
};

Errors errors(const char* tick_ms) {
  const io::LoadedCase loaded =
      io::load_case(std::string(KNUCKLEBOOM_SOURCE_DIR) + "/config/scenarios/leg_square.toml", "",
                    {std::string("tick_ms=") + tick_ms, "duration_s=0.4"});
  const sim::Simulation simulation(loaded.machine.model, loaded.scenario.scenario);
  sim::SimState step = simulation.initial_state(machine::Fidelity::kFull), converged = step;
  reference::ConvergedSolver solver(simulation, {});
  Errors out;
  while (step.tick < simulation.tick_count()) {
    simulation.step(step);
    solver.step(converged);
    for (int k = 0; k < 3; ++k) {
      const machine::ActuatorState &a = step.machine.actuator[k],
                                   &b = converged.machine.actuator[k];
      out.q = std::max(out.q, std::fabs(step.machine.q[k] - converged.machine.q[k]));
      out.p = std::max(out.p, std::fabs(a.p[0] - b.p[0]));
      EXPECT_NEAR(a.air.m_in, b.air.m_in, 5e-8);
    }
  }
  out.residual = std::fabs(simulation.energy_residual(step));
  out.residual_converged = std::fabs(simulation.energy_residual(converged));
  out.air = step.machine.energy.air;
  return out;
}

// Open loop into a stop: joints within 0.2 mrad, chambers within 1 kPa, and better with half the step; energy
// from nothing below 1e-5 of the air's.
TEST(AirConverged, LegFollowsIt) {
  const Errors coarse = errors("1"), fine = errors("0.5");
  EXPECT_LT(coarse.q, 2e-4);
  EXPECT_LT(coarse.p, 1e3);
  EXPECT_LT(fine.q, 0.8 * coarse.q);
  EXPECT_LT(coarse.residual, 1e-5 * coarse.air);
  EXPECT_LT(fine.residual, 0.7 * coarse.residual);
  EXPECT_LT(coarse.residual_converged, 1e-7 * coarse.air);
}

}  // namespace
}  // namespace knuckleboom::air_converged_test
