// One actuator or one load alone: closed forms of the rig's parts.
#include "knuckleboom/core/machine/bench.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "support/machines.hpp"

namespace knuckleboom {
namespace {

using command::JointMode;
using machine::Bench;
using machine::Fidelity;

machine::MachineModel rig(const Bench& bench) {
  std::vector<std::string> faults;
  machine::MachineModel model = machine::make_bench(test::reference_machine(false), bench, faults);
  EXPECT_TRUE(faults.empty()) << faults.front();
  return model;
}

command::Scenario scenario(double start, double duration_s) {
  command::Scenario s;
  s.name = "bench";
  s.duration_s = duration_s;
  s.initial = {{machine::kBenchJoint, start, false, true, 0.0, 8e6}};
  return s;
}

class BenchOf : public ::testing::TestWithParam<Fidelity> {};
INSTANTIATE_TEST_SUITE_P(Both, BenchOf,
                         ::testing::Values(Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper),
                         [](const auto& info) { return machine::word_of(info.param); });

// Weight M g sin(slope) on the head side, over the rod side's pressure.
TEST(Bench, StandsUnderTheWeightOfItsSlope) {
  Bench bench;
  bench.actuator = "boom";
  bench.load = 3000.0;
  bench.slope = 0.5;
  const machine::MachineModel model = rig(bench);
  const sim::Simulation simulation(model, scenario(2.0, 1.0));
  const sim::SimState state = simulation.initial_state(Fidelity::kFull);
  const hydraulics::Circuit& c = model.actuators[0].circuit;
  EXPECT_NEAR(c.A1 * state.machine.actuator[0].p[0] - c.A2 * 8e6, 3000.0 * 9.81 * std::sin(0.5),
              1e-6);
}

// Behind a closed valve the load swings on the oil: eq. 23 over the mass.
TEST_P(BenchOf, LoadSwingsOnTheOilOfAClosedValve) {
  Bench bench;
  bench.actuator = "boom";
  bench.load = 3000.0;
  machine::MachineModel model = rig(bench);
  model.actuators[0].circuit.B = 0.0;
  command::Scenario s = scenario(2.0, 4.0);
  s.programs = {{machine::kBenchJoint, JointMode::kTorque, {{test::constant(5000.0)}}}};
  const double K = hydraulics::closed_stiffness(model.actuators[0].circuit);
  const sim::Simulation simulation(model, s);
  sim::SimState state = simulation.initial_state(GetParam());
  int turns = 0;
  double first = 0.0, last = 0.0, highest = 0.0, v_before = 0.0;
  while (state.tick < simulation.tick_count()) {
    simulation.step(state);
    const double v = state.machine.v[0];
    if (v_before > 0.0 && v <= 0.0) {  // outermost; time by a straight line between the ticks
      last = simulation.time(state) - 1e-3 * v / (v - v_before);
      if (turns++ == 0) first = last;
    }
    v_before = v;
    highest = std::fmax(highest, state.machine.q[0]);
  }
  ASSERT_GT(turns, 10);
  const double period = 2.0 * std::numbers::pi / std::sqrt(K / 3000.0);
  EXPECT_NEAR((last - first) / (turns - 1) / period, 1.0, 3e-3);
  EXPECT_NEAR(highest - 2.0, 2.0 * 5000.0 / K, 0.02 * 5000.0 / K);
  EXPECT_NEAR(simulation.energy_residual(state), 0.0, 0.05 * 5000.0 * 5000.0 / K);
}

// Without friction a load between spring and force swings about F / k as long as it runs.
TEST_P(BenchOf, LoadSwingsOnItsSpring) {
  Bench bench;
  bench.load = 10.0;
  bench.spring = 1000.0;
  bench.spring_rest = 0.3;
  command::Scenario s = scenario(0.4, 20.0 * std::numbers::pi / 10.0);  // ten periods
  const sim::Simulation simulation(rig(bench), s);
  sim::SimState state = simulation.initial_state(GetParam());
  while (state.tick < simulation.tick_count()) simulation.step(state);
  const double t = simulation.time(state);
  EXPECT_NEAR(state.machine.q[0], 0.3 + 0.1 * std::cos(10.0 * t), 1e-4);
  EXPECT_NEAR(simulation.energy_residual(state), 0.0, 1e-4 * 0.5 * 1000.0 * 0.01);
}

// A weight let go falls freely and comes to rest on the wall, W / k deep.
TEST_P(BenchOf, LoadRestsOnTheWall) {
  Bench bench;
  bench.load = 50.0;
  bench.slope = -0.5 * std::numbers::pi;
  bench.wall = true;
  bench.wall_position = 0.5;
  bench.wall_stiffness = 1e5;
  bench.wall_damping = 2e3;
  const sim::Simulation simulation(rig(bench), scenario(0.0, 5.0));
  sim::SimState state = simulation.initial_state(GetParam());
  while (simulation.time(state) < 0.3) simulation.step(state);
  EXPECT_NEAR(state.machine.q[0], 0.5 * 9.81 * 0.09, 1e-9);
  while (state.tick < simulation.tick_count()) simulation.step(state);
  EXPECT_NEAR(state.machine.q[0], 0.5 + 50.0 * 9.81 / 1e5, 1e-6);
  EXPECT_NEAR(simulation.energy_residual(state), 0.0, 0.02 * 50.0 * 9.81 * 0.5);
}

TEST(Bench, MotorTurnsItsLoad) {
  Bench bench;
  bench.actuator = "swing";
  bench.turning = true;
  bench.load = 20000.0;
  command::Scenario s = scenario(0.0, 10.0);
  s.programs = {{machine::kBenchJoint, JointMode::kVoltage, {{test::constant(2.0)}}}};
  const sim::Simulation simulation(rig(bench), s);
  sim::SimState state = simulation.initial_state(Fidelity::kReduced);
  while (state.tick < simulation.tick_count()) simulation.step(state);
  EXPECT_GT(state.machine.q[0], 0.1);
}

TEST(Bench, SaysWhatDoesNotGoTogether) {
  const machine::MachineModel machine = test::reference_machine(false);
  const auto fault = [&](const char* actuator, bool turning) {
    Bench bench;
    bench.actuator = actuator;
    bench.turning = turning;
    bench.load = 1.0;
    std::vector<std::string> faults;
    machine::make_bench(machine, bench, faults);
    return faults.empty() ? std::string() : faults.front();
  };
  EXPECT_NE(fault("bom", false).find("has no actuator 'bom'"), std::string::npos);
  EXPECT_NE(fault("swing", false).find("give the load's inertia"), std::string::npos);
  EXPECT_NE(fault("boom", true).find("give the load's mass"), std::string::npos);
}

// A hose without inertance on a piston that is held: C dP/dt = sqrt((P_S - P)/C_R), so that the root of the pressure
// drop falls straight.
TEST(Bench, AHoseWithoutInertanceFillsAtOnce) {
  machine::MachineModel machine = test::reference_machine(false);
  hydraulics::Circuit& circuit = machine.actuators[1].circuit;
  circuit.line1.I = circuit.line2.I = 0.0;
  circuit.protection.enabled = false;
  Bench bench;
  bench.actuator = "boom";
  bench.load = 1e9;  // kg
  std::vector<std::string> faults;
  const machine::MachineModel model = machine::make_bench(machine, bench, faults);
  ASSERT_TRUE(faults.empty()) << faults.front();
  const hydraulics::Valve& valve = circuit.valve;
  constexpr double kOpening = 0.1;
  const double volts = valve.overlap_V + kOpening * (valve.full_V - valve.overlap_V);
  command::Scenario s = scenario(2.0, 0.2);
  s.programs = {{machine::kBenchJoint, JointMode::kVoltage, {{test::constant(volts)}}}};
  const sim::Simulation simulation(model, s);
  sim::SimState state = simulation.initial_state(Fidelity::kFull);
  const double C_R = hydraulics::resistance(valve, hydraulics::Edge::kPumpToA, kOpening);
  const double P_S = machine.supply.pump_Pa;
  const double start = std::sqrt(P_S - state.machine.actuator[0].P_C[0]);
  const double rate = 0.5 / (circuit.line1.C * std::sqrt(C_R));
  ASSERT_GT(start / rate, 0.02);
  while (state.tick < simulation.tick_count()) {
    simulation.step(state);
    const double left = start - rate * simulation.time(state);
    if (left < 0.05 * start) break;
    EXPECT_NEAR(state.machine.actuator[0].P_C[0], P_S - left * left, 1e-3 * P_S)
        << simulation.time(state);
  }
}

// Without any resistance in its lines a motor turns as its valve's edges let: P_S - 2 C_R Q^2 = B w/(D N), Q = D N w.
TEST_P(BenchOf, MotorTurnsWithoutLineResistance) {
  machine::MachineModel machine = test::reference_machine(false);
  hydraulics::Circuit& circuit = machine.actuators[0].circuit;
  circuit.line1.R = circuit.line2.R = 0.0;
  circuit.leak_internal = circuit.leak_external1 = circuit.leak_external2 = 0.0;
  circuit.protection.enabled = false;
  circuit.B = 5e3;
  Bench bench;
  bench.actuator = "swing";
  bench.turning = true;
  bench.load = 2000.0;
  std::vector<std::string> faults;
  const machine::MachineModel model = machine::make_bench(machine, bench, faults);
  ASSERT_TRUE(faults.empty()) << faults.front();
  constexpr double kVolts = 3.0;
  command::Scenario s = scenario(0.0, 30.0);
  s.programs = {{machine::kBenchJoint, JointMode::kVoltage, {{test::constant(kVolts)}}}};
  const sim::Simulation simulation(model, s);
  sim::SimState state = simulation.initial_state(GetParam());
  while (state.tick < simulation.tick_count()) simulation.step(state);
  const hydraulics::Valve& valve = circuit.valve;
  const double opening = (kVolts - valve.overlap_V) / (valve.full_V - valve.overlap_V);
  const double C_R = hydraulics::resistance(valve, hydraulics::Edge::kPumpToA, opening);
  const double a = hydraulics::area1(circuit), P_S = machine.supply.pump_Pa;
  const double p = circuit.B / (a * a) / (4.0 * C_R);
  const double Q = std::sqrt(p * p + P_S / (2.0 * C_R)) - p;
  EXPECT_NEAR(std::fabs(state.machine.v[0]), Q / a, 1e-5 * Q / a);
}

// A cylinder without end stops has its stroke all the same, which its machine's joint gives it: the pump's pressure
// on its piston drives it to the end and holds it there, a millimetre of yield beyond.
TEST_P(BenchOf, CylinderStaysWithinItsStroke) {
  const machine::MachineModel machine = test::reference_machine(false);
  ASSERT_FALSE(machine.actuators[1].stops.enabled);
  Bench bench;
  bench.actuator = "boom";
  bench.load = 300.0;
  const machine::MachineModel model = rig(bench);
  const multibody::Body& load = model.tree.body(0);
  const multibody::Body& joint = machine.tree.body(1);
  EXPECT_NEAR(load.lower, machine::displacement(machine, 1, joint.lower).x, 1e-12);
  EXPECT_NEAR(load.upper, machine::displacement(machine, 1, joint.upper).x, 1e-12);
  for (const double volts : {5.0, -5.0}) {
    command::Scenario s = scenario(2.0, 20.0);
    s.programs = {{machine::kBenchJoint, JointMode::kVoltage, {{test::constant(volts)}}}};
    const sim::Simulation simulation(model, s);
    sim::SimState state = simulation.initial_state(GetParam());
    double furthest = 2.0;
    while (state.tick < simulation.tick_count()) {
      simulation.step(state);
      const double x = state.machine.q[0];
      if ((x - furthest) * volts > 0.0) furthest = x;
    }
    const double end = volts > 0.0 ? load.upper : load.lower;
    EXPECT_NEAR(state.machine.q[0], end, 1.1e-3) << volts;
    EXPECT_GT((state.machine.q[0] - end) * volts, 0.0);
    EXPECT_NEAR(furthest, end, 5e-3) << volts;
  }
}

// One friction at the actuator, one at the guide: both hold.
TEST_P(BenchOf, FrictionOfActuatorAndGuideAddUp) {
  machine::MachineModel machine = test::reference_machine(false);
  machine.actuators[1].friction.kind = friction::Kind::kCoulomb;
  machine.actuators[1].friction.F_c = 2000.0;
  machine.actuators[1].friction.F_s = 3000.0;
  Bench bench;
  bench.actuator = "boom";
  bench.load = 3000.0;
  bench.friction = machine.actuators[1].friction;
  std::vector<std::string> faults;
  const machine::MachineModel model = machine::make_bench(machine, bench, faults);
  ASSERT_TRUE(faults.empty());
  command::Scenario s = scenario(2.0, 8.0);
  command::Term ramp = test::smooth(8000.0, 0.0, 8.0);
  ramp.kind = command::TermKind::kRamp;
  s.programs = {{machine::kBenchJoint, JointMode::kTorque, {{ramp}}}};
  const sim::Simulation simulation(model, s);
  sim::SimState state = simulation.initial_state(GetParam());
  while (state.machine.v[0] == 0.0 && state.tick < simulation.tick_count()) simulation.step(state);
  EXPECT_NEAR(simulation.time(state) * 1000.0, 6000.0, 2.1);  // the tick after the next
  EXPECT_EQ(state.machine.health.friction_unsettled, 0);
}

}  // namespace
}  // namespace knuckleboom
