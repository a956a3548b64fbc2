#include "knuckleboom/core/sim/snapshot.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/actuator.hpp"
#include "support/machines.hpp"
#include "support/same_bytes.hpp"

namespace knuckleboom {
namespace {

using machine::Fidelity;

TEST(Snapshot, ShowsTheActuators) {
  const machine::MachineModel model = test::reference_machine();
  const sim::Simulation simulation(model, test::boom_pulse());
  sim::SimState state = simulation.initial_state(Fidelity::kReduced);
  for (int k = 0; k < 2000; ++k) simulation.step(state);
  const sim::Snapshot s = sim::take_snapshot(simulation, state);
  EXPECT_EQ(s.tick, 2000);
  EXPECT_EQ(s.joint_count, 3);
  EXPECT_EQ(s.actuator_count, 3);
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(s.actuator_of_joint[k], k);
    const hydraulics::Circuit& c = model.actuators[static_cast<std::size_t>(k)].circuit;
    const machine::ActuatorState& a = state.machine.actuator[k];
    EXPECT_DOUBLE_EQ(s.actuator[k].force,
                     hydraulics::area1(c) * a.p[0] - hydraulics::area2(c) * a.p[1]);
  }
  EXPECT_EQ(s.actuator[1].open, 1);
  EXPECT_EQ(s.actuator[2].open, 0);
  EXPECT_GT(s.actuator[1].displacement, 1.0);  // a cylinder's length
  EXPECT_EQ(s.health.ticks, 2000);
}

// Readers compare and hash snapshots: no byte of them is left to chance.
TEST(Snapshot, OfTheSameStateHasTheSameBytes) {
  const sim::Simulation simulation(test::reference_machine(), test::stick_sine());
  sim::SimState state = simulation.initial_state(Fidelity::kFull);
  for (int k = 0; k < 100; ++k) simulation.step(state);
  const sim::Snapshot one = sim::take_snapshot(simulation, state);
  const sim::Snapshot other = sim::take_snapshot(simulation, state);
  EXPECT_TRUE(test::same_bytes(one, other));
}

TEST(Snapshot, TakingOneLeavesTheStateAlone) {
  const sim::Simulation simulation(test::reference_machine(), test::tip_circle());
  sim::SimState state = simulation.initial_state(Fidelity::kFull);
  for (int k = 0; k < 100; ++k) simulation.step(state);
  const sim::SimState before = state;
  sim::take_snapshot(simulation, state);
  EXPECT_TRUE(test::same_bytes(before, state));
}

TEST(Snapshot, ShowsStopsAndProtection) {
  // The boom runs into its upper end at full speed.
  command::Scenario scenario = test::locked(6.0);
  scenario.programs[1].signal = {{test::constant(10.0)}};
  const sim::Simulation simulation(test::reference_machine(), scenario);
  sim::SimState state = simulation.initial_state(Fidelity::kReduced);
  bool stopped = false;
  for (int k = 0; k < 6000; ++k) {
    simulation.step(state);
    stopped = stopped || sim::take_snapshot(simulation, state).actuator[1].at_stop == 1;
  }
  EXPECT_TRUE(stopped);
  EXPECT_GE(state.machine.health.stop_hits, 1);
}

// A small machine: copying leaves what lies beyond it as it was.
TEST(Snapshot, CopiesWhatTheMachineHas) {
  const sim::Simulation simulation(test::reference_machine(), test::boom_pulse());
  sim::SimState state = simulation.initial_state(Fidelity::kFull);
  for (int k = 0; k < 3000; ++k) simulation.step(state);
  const sim::Snapshot from = sim::take_snapshot(simulation, state);
  sim::Snapshot to{};
  to.joint[3].position = to.actuator[3].force = 7.0;
  sim::copy_used(from, to);
  EXPECT_EQ(to.joint[3].position, 7.0);
  EXPECT_EQ(to.actuator[3].force, 7.0);
  to.joint[3] = {};
  to.actuator[3] = {};
  EXPECT_TRUE(test::same_bytes(from, to));
}

// As many bodies and actuators as there is room for: a chain of hinges about slanted axes, motors on the first.
TEST(Capacity, AFullMachineRuns) {
  machine::MachineModel model;
  for (int i = 0; i < kMaxLinks; ++i) {
    multibody::Body body;
    body.name = body.joint_name = "part" + std::to_string(i);
    body.parent = i - 1;
    body.type = multibody::JointType::kRevolute;
    body.in_parent.p = Vec3(i == 0 ? 0.0 : 0.2, 0.0, 0.0);
    body.axis_B = Vec3(0.3 * (i % 3), 1.0, 0.5 * (i % 2)).normalized();
    body.inertia.mass = 5.0;
    body.inertia.com = Vec3(0.1, 0.0, 0.0);
    body.inertia.about_com = Vec3(0.1, 0.2, 0.2).asDiagonal();
    body.damping = 20.0;
    model.tree.add_body(body);
    if (i >= kMaxActuators) continue;
    machine::Actuator actuator;
    actuator.link = i;
    actuator.name = body.name;
    actuator.circuit = test::reference_motor();
    model.actuators.push_back(actuator);
    model.controllers.push_back({});
  }
  model.tree.gravity_W = Vec3(0.0, 0.0, -0.3);  // what such motors hold
  model.tip_body = kMaxLinks - 1;
  const std::vector<std::string> faults = machine::finish(model);
  ASSERT_TRUE(faults.empty()) << faults.front();
  command::Scenario scenario;
  scenario.name = "full";
  scenario.duration_s = 1.0;
  for (int i = 0; i < kMaxLinks; ++i)
    scenario.initial.push_back({model.joint_name(i), 0.0, false, i < kMaxActuators, 0.0, 8e6});
  for (const int k : {0, 7, kMaxActuators - 1})
    scenario.programs.push_back({model.joint_name(k),
                                 command::JointMode::kVoltage,
                                 {{test::constant(k == 0 ? 4.0 : -3.0)}}});
  const sim::Simulation simulation(model, scenario);
  for (const Fidelity fidelity : {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper}) {
    sim::SimState state = simulation.initial_state(fidelity);
    for (int k = 0; k < 500; ++k) simulation.step(state);
    EXPECT_EQ(state.machine.health.non_finite, 0);
    EXPECT_EQ(state.machine.health.newton_unconverged, 0);
    EXPECT_GT(std::fabs(state.machine.v[39]), 0.0);  // without a motor it falls
    EXPECT_GT(std::fabs(state.machine.actuator[kMaxActuators - 1].Q[0]), 0.0);
    EXPECT_EQ(sim::take_snapshot(simulation, state).actuator_of_joint[kMaxLinks - 1], -1);
    const machine::EnergyLedger& e = state.machine.energy;
    EXPECT_LT(std::fabs(simulation.energy_residual(state)),
              0.02 * (e.friction + e.valve + std::fabs(e.pump)));
  }
}

}  // namespace
}  // namespace knuckleboom
