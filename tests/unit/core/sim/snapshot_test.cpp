#include "knuckleboom/core/sim/snapshot.hpp"

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

}  // namespace
}  // namespace knuckleboom
