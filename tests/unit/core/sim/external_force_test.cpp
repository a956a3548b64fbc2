// External forces on the joints: their effect, and their work in the ledger.
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/equations.hpp"
#include "support/machines.hpp"
#include "support/same_bytes.hpp"
#include "support/variants.hpp"

namespace knuckleboom {
namespace {

using machine::Fidelity;
using sim::SimState;
using sim::Simulation;

sim::TickInput volts(double swing, double boom, double stick) {
  sim::TickInput input{};
  const double value[3] = {swing, boom, stick};
  for (int k = 0; k < 3; ++k) input.actuator[k] = {value[k], sim::ActuatorMode::kVoltage, 0, 0.0};
  return input;
}

// A wheel about a vertical axis without any actuator: omega = torque t / I.
TEST(ExternalForce, TurnsAFreeWheel) {
  machine::MachineModel model;
  multibody::Body wheel;
  wheel.name = wheel.joint_name = "wheel";
  wheel.type = multibody::JointType::kRevolute;
  wheel.inertia = {80.0, Vec3::Zero(), Vec3(20.0, 20.0, 40.0).asDiagonal()};
  model.tree.add_body(wheel);
  ASSERT_TRUE(machine::finish(model).empty());
  const Simulation simulation(model, command::Scenario{});
  const double torque[kMaxLinks] = {12.0};
  for (const Fidelity fidelity : {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper}) {
    SimState state = simulation.initial_state(fidelity);
    for (int k = 0; k < 1000; ++k) simulation.step(state, sim::TickInput{}, torque);
    EXPECT_NEAR(state.machine.v[0], 12.0 / 40.0, 1e-9);
    // The first tick extrapolates from no acceleration at all; no trace of it may stay.
    EXPECT_NEAR(state.machine.q[0], 0.5 * 12.0 / 40.0, 1e-9);
    EXPECT_NEAR(state.machine.energy.external, 0.5 * 40.0 * 0.3 * 0.3, 1e-9);
    EXPECT_NEAR(simulation.energy_residual(state), 0.0, 1e-9);
  }
}

TEST(ExternalForce, NoneAndZeroAreTheSame) {
  const double none[kMaxLinks] = {};
  for (const test::Variant& variant : test::kVariants) {
    const Simulation simulation(test::reference_machine(variant), test::locked(1.0));
    SimState a = simulation.initial_state(variant.fidelity), b = a, c = a;
    for (int k = 0; k < 1000; ++k) {
      const sim::TickInput input = k < 500 ? volts(2.0, 1.5, -1.0) : volts(0.0, 0.0, 0.0);
      simulation.step(a, input);
      simulation.step(b, input, nullptr);
      simulation.step(c, input, none);
    }
    EXPECT_TRUE(test::same_bytes(a, b));
    EXPECT_TRUE(test::same_bytes(a, c));
  }
}

// The locked boom carries what pulls at its joint: A1 dP1 - A2 dP4 = -f / J.
TEST(ExternalForce, ShowsInTheLockedBoomsPressures) {
  for (const test::Variant& variant : test::kVariants) {
    SCOPED_TRACE(variant.name);
    machine::MachineModel model = test::reference_machine(variant);
    for (const int k : {1, 2})
      model.actuators[static_cast<std::size_t>(k)].circuit.B = 3e6;  // so that the bounce dies away
    const Simulation simulation(model, test::locked(1.0));
    SimState state = simulation.initial_state(variant.fidelity);
    const machine::ActuatorState start = state.machine.actuator[1];
    const double q0 = state.machine.q[1];
    const double force[kMaxLinks] = {0.0, -20e3};
    for (int k = 0; k < 20000; ++k) simulation.step(state, volts(0.0, 0.0, 0.0), force);
    const hydraulics::Circuit& c = model.actuators[1].circuit;
    const machine::ActuatorState& a = state.machine.actuator[1];
    const double dF = c.A1 * (a.p[0] - start.p[0]) - c.A2 * (a.p[1] - start.p[1]);
    const double J = machine::displacement(model, 1, state.machine.q[1]).J;
    EXPECT_NEAR(dF, 20e3 / J, 0.02 * 20e3 / J);  // the lever and gravity's part change by a little
    EXPECT_NEAR(state.machine.v[1], 0.0, 1e-6);
    EXPECT_LT(state.machine.q[1], q0);
  }
}

// Pushed while it moves, opening and closing valves: the ledger stays closed.
TEST(ExternalForce, WorkIsBooked) {
  for (const test::Variant& variant : test::kVariants) {
    const Simulation simulation(test::reference_machine(variant), test::locked(1.0));
    SimState state = simulation.initial_state(variant.fidelity);
    const double force[kMaxLinks] = {4e3, 10e3, -5e3};
    for (int k = 0; k < 6000; ++k) {
      const bool open = k % 2000 < 1000;
      simulation.step(state, open ? volts(2.0, 1.5, -1.5) : volts(0.0, 0.0, 0.0), force);
    }
    const double work = state.machine.energy.external;
    const double residual = simulation.energy_residual(state);
    std::printf("%-22s external %8.1f J, residual %9.3g J (%.1e)\n", variant.name, work, residual,
                std::fabs(residual / work));
    EXPECT_GT(work, 2e3);
    EXPECT_LT(std::fabs(residual), 1e-3 * work);
    EXPECT_EQ(state.machine.health.newton_unconverged, 0);
  }
}

}  // namespace
}  // namespace knuckleboom
