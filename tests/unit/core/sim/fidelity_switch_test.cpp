// From the full model to another and back while the machine moves: nothing jumps.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"
#include "support/error_norm.hpp"
#include "support/machines.hpp"
#include "support/same_bytes.hpp"
#include "support/variants.hpp"

namespace knuckleboom {
namespace {

using machine::Fidelity;
using sim::SimState;
using sim::Simulation;

Fidelity other(Fidelity f, Fidelity partner) {
  return f == Fidelity::kFull ? partner : Fidelity::kFull;
}

struct Change {
  double force[3];
};
// Change of the actuators' forces over one tick.
Change one_tick(const Simulation& simulation, SimState& state) {
  const sim::Snapshot before = sim::take_snapshot(simulation, state);
  simulation.step(state);
  const sim::Snapshot after = sim::take_snapshot(simulation, state);
  Change out{};
  for (int k = 0; k < 3; ++k)
    out.force[k] = std::fabs(after.actuator[k].force - before.actuator[k].force);
  return out;
}

struct Ride {
  double usual[3] = {0.0, 0.0, 0.0};      // largest change of a force in a tick without a switch
  double at_switch[3] = {0.0, 0.0, 0.0};  // in the tick after one
  double excess =
      0.0;             // of that over the tick before and over the same tick without the switch [N]
  double apart = 0.0;  // tip, from the unswitched run in the full model [m]
  double drift = 0.0;  // the unswitched run of the other model from that
  double residual = 0.0;  // J
};

void check(const command::Scenario& scenario, Fidelity partner, bool quasi_static, bool protection,
           int every, Ride& ride) {
  machine::MachineModel model = test::reference_machine(protection);
  if (quasi_static) model.closed_valve = machine::ClosedValveModel::kQuasiStatic;
  const Simulation simulation(model, scenario);
  SimState plain = simulation.initial_state(Fidelity::kFull), switched = plain;
  SimState alone = simulation.initial_state(partner);
  Change last{};
  for (std::int64_t k = 0; k < simulation.tick_count(); ++k) {
    const bool now = k > 0 && k % every == 0;
    if (now) {
      const SimState before = switched;
      const double residual = simulation.energy_residual(before);
      simulation.set_fidelity(switched, other(switched.fidelity, partner));
      // At the switch itself: the same positions, speeds and ports, and the ledger agrees.
      for (int i = 0; i < 3; ++i) {
        ASSERT_EQ(switched.machine.q[i], before.machine.q[i]);
        ASSERT_EQ(switched.machine.v[i], before.machine.v[i]);
        for (int s = 0; s < 2; ++s)
          ASSERT_EQ(switched.machine.actuator[i].p[s], before.machine.actuator[i].p[s]);
      }
      ASSERT_NEAR(simulation.energy_residual(switched), residual, 1e-6);
    }
    const SimState before = switched;
    const Change change = one_tick(simulation, switched);
    Change unswitched{};
    if (now) {  // what this tick would have done without
      SimState stays = before;
      simulation.set_fidelity(stays, other(before.fidelity, partner));
      unswitched = one_tick(simulation, stays);
    }
    const Change of_full = one_tick(simulation, plain);
    simulation.step(alone);
    for (int j = 0; j < 3; ++j) {
      ride.usual[j] = std::max({ride.usual[j], of_full.force[j], unswitched.force[j]});
      if (!now) continue;
      ride.at_switch[j] = std::max(ride.at_switch[j], change.force[j]);
      ride.excess =
          std::max(ride.excess, change.force[j] - std::max(last.force[j], unswitched.force[j]));
    }
    last = change;
    const Vec3 tip = machine::tip_position(model, plain.machine.q);
    test::keep_worst(ride.apart, (machine::tip_position(model, switched.machine.q) - tip).norm());
    test::keep_worst(ride.drift, (machine::tip_position(model, alone.machine.q) - tip).norm());
    test::keep_worst(ride.residual, std::fabs(simulation.energy_residual(switched)));
  }
  std::printf(
      "%-11s %s%s: force in a tick %6.0f %6.0f %6.0f, after a switch %6.0f %6.0f %6.0f, %.0f N "
      "more than its neighbours; tip apart %.2f mm (%s alone %.2f mm), residual %.2g J of %.3g J\n",
      scenario.name.c_str(), quasi_static ? "quasi-static" : "dynamic", protection ? "" : ", bare",
      ride.usual[0], ride.usual[1], ride.usual[2], ride.at_switch[0], ride.at_switch[1],
      ride.at_switch[2], ride.excess, 1e3 * ride.apart, machine::word_of(partner), 1e3 * ride.drift,
      ride.residual, switched.machine.energy.pump);
  EXPECT_EQ(switched.machine.health.newton_unconverged, 0);
  EXPECT_EQ(switched.machine.health.non_finite, 0);
  EXPECT_LT(ride.residual, 1e-3 * switched.machine.energy.pump);
}

// allowed: distance from the full model, over that of the other model alone.
void nothing_jumps(const command::Scenario& scenario, int every, double allowed) {
  for (const bool quasi_static : {false, true})
    for (const bool protection : {true, false}) {
      Ride ride;
      check(scenario, Fidelity::kPaper, quasi_static, protection, every, ride);
      for (int k = 0; k < 3; ++k) EXPECT_LE(ride.at_switch[k], ride.usual[k] + 1.0) << k;
      EXPECT_LT(ride.excess, 200.0);  // the cylinders carry some 100 kN
      EXPECT_LT(ride.apart, allowed * ride.drift);
    }
  // The reduced model needs no hand-over: only the momentum of the hoses' oil goes.
  for (const bool protection : {true, false}) {
    Ride ride;
    check(scenario, Fidelity::kReduced, false, protection, every, ride);
    for (int k = 0; k < 3; ++k) EXPECT_LE(ride.at_switch[k], ride.usual[k] + 1.0) << k;
    EXPECT_LT(ride.excess, 200.0);
    EXPECT_LT(ride.apart, allowed * ride.drift);
  }
}

TEST(FidelitySwitch, NothingJumpsUnderControl) { nothing_jumps(test::stick_sine(), 300, 1.1); }
TEST(FidelitySwitch, NothingJumpsOpenLoop) { nothing_jumps(test::boom_pulse(), 300, 1.1); }
// Sooner than a hand-over ends.
TEST(FidelitySwitch, NothingJumpsAllTheTime) { nothing_jumps(test::boom_pulse(), 37, 2.0); }

TEST(FidelitySwitch, ToTheSameModelIsNothing) {
  const Simulation simulation(test::reference_machine(), test::boom_pulse());
  for (const Fidelity fidelity : {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper}) {
    SimState state = simulation.initial_state(fidelity);
    for (int k = 0; k < 1500; ++k) simulation.step(state);
    const SimState before = state;
    simulation.set_fidelity(state, fidelity);
    EXPECT_TRUE(test::same_bytes(state, before));
  }
}

// An open valve lets through what its piston takes, in both models; a closed one nothing.
TEST(FidelitySwitch, FlowsGoOn) {
  const machine::MachineModel model = test::reference_machine();
  const Simulation simulation(model, test::boom_pulse());
  for (const Fidelity from : {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper}) {
    SimState state = simulation.initial_state(from);
    for (int k = 0; k < 2200; ++k) simulation.step(state);
    for (int tick = 0; tick < 200; ++tick) {
      if (tick == 50)
        simulation.set_fidelity(state,
                                from == Fidelity::kFull ? Fidelity::kReduced : Fidelity::kFull);
      simulation.step(state);
      const sim::Snapshot s = sim::take_snapshot(simulation, state);
      const double speed =
          machine::displacement(model, 1, state.machine.q[1]).J * state.machine.v[1];
      const hydraulics::Circuit& c = model.actuators[1].circuit;
      EXPECT_NEAR(s.actuator[1].flow_a_m3_per_s, c.A1 * speed, 0.1 * c.A1 * speed) << tick;
      EXPECT_NEAR(s.actuator[1].flow_b_m3_per_s, -c.A2 * speed, 0.1 * c.A2 * speed) << tick;
      EXPECT_EQ(s.actuator[2].flow_a_m3_per_s, 0.0);
      EXPECT_EQ(s.actuator[1].spool_V, 4.0);
      EXPECT_EQ(s.pump_Pa, 20e6);
    }
  }
}

}  // namespace
}  // namespace knuckleboom
