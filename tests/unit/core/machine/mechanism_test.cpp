#include "knuckleboom/core/machine/mechanism.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/math/cholesky.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "support/machines.hpp"
#include "support/mechanisms.hpp"

namespace knuckleboom {
namespace {

using machine::Fidelity;
using machine::MachineModel;
using sim::SimState;
using sim::Simulation;

// Torque at the crank for given motions, against the power of all bars in closed form.
TEST(Mechanism, InverseDynamicsOfTheFourBar) {
  const test::FourBar bars;
  const MachineModel model = test::four_bar_machine(bars);
  const Simulation simulation(model, test::four_bar_start(0.3, 1.0));
  SimState state = simulation.initial_state(Fidelity::kReduced);
  for (int step = 0; step < 100; ++step) {
    machine::MachineState& m = state.machine;
    m.q[0] = 0.3 + 0.063 * step;
    m.v[0] = 2.0 + 0.1 * step;
    double q[kMaxLinks];
    multibody::MassAndBias body;
    machine::Mechanism mechanism;
    machine::middle_of_mechanism(model, m, 0.0, nullptr, false, q, body, mechanism);
    std::copy(q, q + 3, m.q);
    ASSERT_EQ(mechanism.count, 1);
    double bias;
    machine::to_independent(mechanism, body.bias, &bias);
    double kinetic;
    const double acceleration = -7.0 + step;
    const double want = test::four_bar_torque(bars, m.q[0], m.v[0], acceleration, kinetic);
    EXPECT_NEAR(mechanism.M[0][0] * acceleration + bias, want, 1e-10 * (1.0 + std::fabs(want)));
    EXPECT_NEAR(multibody::energy(model.tree, m.inertia, m.q, m.v).kinetic, kinetic,
                1e-12 * kinetic);
  }
}

// Gravity alone: an oscillation does not decay.
TEST(Mechanism, KeepsItsEnergyAndStaysClosed) {
  for (const Fidelity fidelity : {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper}) {
    const MachineModel model = test::four_bar_machine();
    const Simulation simulation(model, test::four_bar_start(0.5, 60.0));
    SimState state = simulation.initial_state(fidelity);
    double early = 0.0, late = 0.0, gap = 0.0;
    double reach = 0.0;
    for (int k = 0; k < 60000; ++k) {
      simulation.step(state);
      const double off = std::fabs(simulation.energy_residual(state));
      (k < 10000 ? early : late) = std::max(k < 10000 ? early : late, off);
      gap = std::max(gap, model.loop_system.gap(model.tree, state.machine.q));
      reach = std::max(reach, std::fabs(state.machine.v[0]));
    }
    EXPECT_GT(reach, 1.0);   // it does swing
    EXPECT_LT(early, 1e-4);  // J, of some 10: near standstill only
    EXPECT_LT(late, 1e-4);   // and it does not grow
    EXPECT_LT(gap, 1e-14);
    EXPECT_EQ(state.machine.health.newton_unconverged, 0);
    EXPECT_EQ(state.machine.health.open_loop_ticks, 0);
    EXPECT_EQ(state.machine.health.singular_ticks, 0);
  }
}

// The same double pendulum twice: as a tree, and with the second bar on slides of its own, pinned by a loop.
TEST(Mechanism, ALoopIsAsGoodAsAJoint) {
  MachineModel tree, looped;
  for (MachineModel* model : {&tree, &looped})
    model->tree.add_body(test::bar("first", multibody::kBase, Vec3::Zero(), 0.8, 2.0));
  tree.tree.add_body(test::bar("second", 0, Vec3(0.8, 0.0, 0.0), 0.6, 1.0));
  ASSERT_TRUE(finish(tree).empty());
  multibody::Body slide;
  slide.type = multibody::JointType::kPrismatic;
  slide.name = slide.joint_name = "x";
  slide.axis_B = Vec3::UnitX();
  looped.tree.add_body(slide);
  slide.name = slide.joint_name = "z";
  slide.axis_B = Vec3::UnitZ();
  slide.parent = 1;
  looped.tree.add_body(slide);
  looped.tree.add_body(test::bar("second", 2, Vec3::Zero(), 0.6, 1.0));
  multibody::Loop pin;
  pin.name = "pin";
  pin.body_a = 3;
  pin.body_b = 0;
  pin.point_b = Vec3(0.8, 0.0, 0.0);
  looped.loops.push_back(pin);
  ASSERT_TRUE(finish(looped).empty());

  command::Scenario scenario;
  scenario.name = "swing";
  scenario.tick_s = 1e-4;
  scenario.duration_s = 5.0;
  scenario.initial = {{"first", 0.2, false, false, 0.0, 0.0},
                      {"second", 0.9, false, false, 0.0, 0.0}};
  const Simulation a(tree, scenario);
  // From the loop's side the second bar's angle is absolute.
  scenario.initial[1].position = 1.1;
  const Simulation b(looped, scenario);
  SimState sa = a.initial_state(Fidelity::kFull), sb = b.initial_state(Fidelity::kFull);
  for (int k = 0; k < 20000; ++k) {
    a.step(sa);
    b.step(sb);
  }
  // The tree extrapolates its middle, the loop finds it: both are of second order.
  EXPECT_NEAR(sb.machine.q[0], sa.machine.q[0], 2e-5);
  EXPECT_NEAR(sb.machine.q[3], sa.machine.q[0] + sa.machine.q[1], 2e-5);
  // The pin's force: what accelerates the second bar.
  const double pin_a[2] = {sb.machine.a[1], sb.machine.a[2]};
  const double angle = sb.machine.q[3], w = sb.machine.v[3], al = sb.machine.a[3];
  const double ax = pin_a[0] - 0.3 * (std::sin(angle) * al + std::cos(angle) * w * w);
  const double az = pin_a[1] + 0.3 * (std::cos(angle) * al - std::sin(angle) * w * w);
  EXPECT_NEAR(sb.machine.loop_force_W[0][0], ax, 0.05);
  EXPECT_NEAR(sb.machine.loop_force_W[0][2], az + 9.81, 0.05);
}

// A cylinder given by pins on any bodies is the same as one given by its triangle.
TEST(Mechanism, PinsOnAnyBodiesAreTheTriangleTheyMake) {
  for (const Fidelity fidelity : {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper}) {
    MachineModel model = test::reference_machine();
    MachineModel pins = model;
    for (const int k : {1, 2}) {
      machine::Linkage& l = pins.actuators[static_cast<std::size_t>(k)].linkage;
      const multibody::Body& body = pins.tree.body(pins.tree.link(k).body);
      l.kind = machine::LinkageKind::kPins;
      l.base_body = body.parent;
      l.rod_body = pins.tree.link(k).body;
      l.base_pin = body.in_parent.R * l.base_pin + body.in_parent.p;
    }
    ASSERT_TRUE(finish(pins).empty());
    EXPECT_EQ(pins.actuators[2].linkage.sign, -1.0);
    const Simulation a(model, test::boom_pulse()), b(pins, test::boom_pulse());
    SimState sa = a.initial_state(fidelity), sb = b.initial_state(fidelity);
    for (int s = 0; s < 2; ++s)
      EXPECT_NEAR(sb.machine.actuator[1].P_C[s], sa.machine.actuator[1].P_C[s], 1e-6);
    for (int k = 0; k < 8000; ++k) {
      a.step(sa);
      b.step(sb);
    }
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(sb.machine.q[i], sa.machine.q[i], 1e-9) << i;
    EXPECT_NEAR(sb.machine.actuator[1].p[0], sa.machine.actuator[1].p[0], 1.0);
    EXPECT_NEAR(sb.machine.energy.pump, sa.machine.energy.pump,
                1e-6 * std::fabs(sa.machine.energy.pump));
  }
}

// A crane whose stick is turned by its cylinder through a four-bar, as on real cranes.
MachineModel four_bar_crane() {
  MachineModel model = test::reference_machine();
  const int boom = model.tree.find_body("boom");
  const int stick = model.tree.find_body("stick");
  multibody::Body bracket = test::bar("bracket", boom, Vec3(4.6, 0.0, 0.15), 0.6, 20.0);
  bracket.lower = 0.0;
  bracket.upper = 2.6;
  const int index = model.tree.add_body(bracket);
  multibody::Body link = test::bar("link", index, Vec3(0.6, 0.0, 0.0), 0.7, 15.0);
  const int link_index = model.tree.add_body(link);
  multibody::Loop loop;
  loop.name = "stick_pin";
  loop.body_a = link_index;
  loop.point_a = Vec3(0.7, 0.0, 0.0);
  loop.body_b = stick;
  loop.point_b = Vec3(-0.3, 0.0, 0.35);
  model.loops.push_back(loop);
  machine::Actuator& actuator = model.actuators[2];
  actuator.link = model.tree.find_joint("bracket");
  actuator.linkage = {};
  actuator.linkage.kind = machine::LinkageKind::kPins;
  actuator.linkage.base_body = boom;
  actuator.linkage.base_pin = Vec3(3.0, 0.0, 0.3);
  actuator.linkage.rod_body = index;
  actuator.linkage.rod_pin = Vec3(0.55, 0.0, 0.05);
  actuator.stops.enabled = false;
  return model;
}

TEST(Mechanism, ACylinderTurnsAJointThroughAFourBar) {
  MachineModel model = four_bar_crane();
  const std::vector<std::string> faults = finish(model);
  ASSERT_TRUE(faults.empty()) << faults.front();
  command::Scenario scenario;
  scenario.name = "hold";
  scenario.duration_s = 3.0;
  scenario.initial = {{"boom", 0.4, false, false, 0.0, 0.0},
                      {"bracket", 1.5, false, false, 0.0, 0.0},
                      {"stick", -1.2, false, false, 0.0, 0.0}};
  const Simulation simulation(model, scenario);
  const SimState start = simulation.initial_state(Fidelity::kFull);
  const int bracket = model.actuators[2].link;
  const int stick = model.tree.find_joint("stick");
  // Lever arm: the length against differences along the mechanism.
  const double d = 1e-5;
  const auto at = [&](double angle) {
    machine::MachineState m = start.machine;
    m.q[bracket] = angle;
    multibody::Embedding e;
    model.loop_system.embed(model.tree, m.dependent, m.v, m.q, e);
    EXPECT_EQ(e.gap, 0.0);
    return std::pair(machine::displacement_row(model, 2, m.q, nullptr),
                     multibody::energy(model.tree, m.inertia, m.q, m.v).potential);
  };
  const double q0 = start.machine.q[bracket];
  const auto up = at(q0 + d), down = at(q0 - d);
  const double J = machine::displacement(model, 2, start.machine.q).J;
  EXPECT_NEAR(J, (up.first - down.first) / (2.0 * d), 1e-8);
  // Virtual work: the cylinder's force holds what the whole mechanism weighs.
  double force[kMaxActuators], load[kMaxLinks];
  machine::static_loads(model, start.machine.inertia, start.machine.q, start.machine.dependent,
                        force, load);
  const double pull = (up.second - down.second) / (2.0 * d);
  EXPECT_NEAR(force[2] * J, pull, 1e-4 * std::fabs(pull));
  EXPECT_EQ(start.machine.dependent >> bracket & 1, 0);
  EXPECT_EQ(start.machine.dependent >> stick & 1, 1);
  for (const Fidelity fidelity : {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper}) {
    // With shut valves it stays; opened, it moves and balances its energy.
    SimState state = simulation.initial_state(fidelity);
    for (int k = 0; k < 500; ++k) simulation.step(state);
    EXPECT_NEAR(state.machine.q[stick], start.machine.q[stick], 1e-6);
    sim::TickInput input{};
    input.actuator[0].mode = input.actuator[1].mode = input.actuator[2].mode =
        sim::ActuatorMode::kVoltage;
    input.actuator[2].value = 4.0;
    for (int k = 0; k < 1000; ++k) simulation.step(state, input);
    EXPECT_GT(std::fabs(state.machine.q[stick] - start.machine.q[stick]), 0.05);
    EXPECT_LT(model.loop_system.gap(model.tree, state.machine.q), 1e-13);
    EXPECT_LT(std::fabs(simulation.energy_residual(state)), 1e-3 * state.machine.energy.pump);
    EXPECT_EQ(state.machine.health.newton_unconverged, 0);
  }
}

// All bars in one line, at speed: the parallelogram goes on as one.
TEST(Mechanism, PassesASingularPosition) {
  test::FourBar bars;
  bars.crank = bars.rocker = 0.4;
  bars.coupler = bars.ground = 1.0;
  const MachineModel model = test::four_bar_machine(bars);
  command::Scenario scenario = test::four_bar_start(0.9, 10.0);
  scenario.initial[1].position = -0.9;
  scenario.initial[2].position = 0.9;
  const Simulation simulation(model, scenario);
  SimState state = simulation.initial_state(Fidelity::kReduced);
  const double start = simulation.energy_residual(state);
  int crossings = 0;
  for (int k = 0; k < 10000; ++k) {
    const double before = std::sin(state.machine.q[0]);
    simulation.step(state);
    if (before * std::sin(state.machine.q[0]) < 0.0) ++crossings;
    ASSERT_TRUE(std::isfinite(state.machine.v[1]));
    ASSERT_LT(model.loop_system.gap(model.tree, state.machine.q), 1e-9);
  }
  EXPECT_GT(crossings, 2);
  EXPECT_GE(state.machine.health.singular_ticks, crossings);
  EXPECT_EQ(state.machine.health.non_finite, 0);
  EXPECT_NEAR(std::remainder(state.machine.q[2] - state.machine.q[0], 2.0 * std::numbers::pi), 0.0,
              1e-6);
  EXPECT_NEAR(simulation.energy_residual(state), start, 1e-2);
  EXPECT_NE(machine::singular_sentence(model, 0, state.machine.q).find("loop 'pin0'"),
            std::string::npos);
}

// Driven by a joint that reaches the end of its swing: another takes over, and the mechanism goes on.
TEST(Mechanism, GoesThroughADeadCentreOfItsDrivenJoint) {
  MachineModel model = test::four_bar_machine();
  model.drives[0].link = 2;  // the rocker
  ASSERT_TRUE(finish(model).empty());
  command::Scenario scenario = test::four_bar_start(1.0, 20.0);
  scenario.initial[2].position = 2.2;
  const Simulation simulation(model, scenario);
  SimState state = simulation.initial_state(Fidelity::kReduced);
  state.machine.v[2] = 8.0;  // enough to go round and round
  machine::choose_independent(model, state.machine);
  const double stored = simulation.energy_residual(state);
  std::int64_t choices = 0;
  for (int k = 0; k < 5000; ++k) {
    const std::int64_t before = state.machine.dependent;
    simulation.step(state);
    choices += before != state.machine.dependent ? 1 : 0;
    ASSERT_LT(model.loop_system.gap(model.tree, state.machine.q), 1e-12);
  }
  EXPECT_GT(choices, 0);
  EXPECT_EQ(state.machine.health.open_loop_ticks, 0);
  EXPECT_GT(std::fabs(state.machine.q[0]), 2.0 * std::numbers::pi);
  EXPECT_NEAR(simulation.energy_residual(state), stored, 0.05);
}

// A torque at the crank: its work is what the bars gain.
TEST(Mechanism, ATorqueFromTheScenario) {
  const MachineModel model = test::four_bar_machine();
  command::Scenario scenario = test::four_bar_start(0.5, 2.0);
  command::JointProgram program;
  program.joint = "crank0";
  program.mode = command::JointMode::kTorque;
  program.signal.terms = {test::constant(6.0)};
  scenario.programs.push_back(program);
  const Simulation simulation(model, scenario);
  SimState state = simulation.initial_state(Fidelity::kReduced);
  for (int k = 0; k < 500; ++k) simulation.step(state);
  EXPECT_NEAR(state.machine.energy.external, 6.0 * (state.machine.q[0] - 0.5), 1e-9);
  EXPECT_LT(std::fabs(simulation.energy_residual(state)),
            1e-4 * std::fabs(state.machine.energy.external));
}

TEST(Mechanism, ASpeedThatADriveHolds) {
  MachineModel model = test::four_bar_machine();
  model.drives[0] = {0, 0.0, 500.0};
  ASSERT_TRUE(finish(model).empty());
  command::Scenario scenario = test::four_bar_start(0.5, 5.0);
  command::JointProgram program;
  program.joint = "crank0";
  program.mode = command::JointMode::kSpeed;
  program.signal.terms = {test::smooth(3.0, 0.0, 0.5)};
  scenario.programs.push_back(program);
  for (const Fidelity fidelity : {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper}) {
    const Simulation simulation(model, scenario);
    SimState state = simulation.initial_state(fidelity);
    for (int k = 0; k < 3000; ++k) {
      simulation.step(state);
      if (k > 600) {
        ASSERT_NEAR(state.machine.v[0], 3.0, 0.1);
      }
    }
    EXPECT_LT(std::fabs(simulation.energy_residual(state)), 0.05);
  }
}

TEST(Mechanism, ABodyJoinsWhileTheMachineRuns) {
  MachineModel model;
  model.tree.add_body(test::bar("first", multibody::kBase, Vec3::Zero(), 0.8, 2.0));
  model.tree.add_body(test::bar("second", 0, Vec3(0.8, 0.0, 0.0), 0.6, 1.0));
  ASSERT_TRUE(finish(model).empty());
  command::Scenario scenario;
  scenario.name = "joins";
  scenario.duration_s = 5.0;
  scenario.initial = {{"first", 0.2, false, false, 0.0, 0.0},
                      {"second", -0.7, false, false, 0.0, 0.0}};
  command::Event event;
  event.kind = command::EventKind::kAssemble;
  event.at_s = 0.25;
  event.target = "second";
  scenario.events.push_back(event);
  const Simulation simulation(model, scenario);
  SimState state = simulation.initial_state(Fidelity::kReduced);
  for (int k = 0; k < 250; ++k) simulation.step(state);
  EXPECT_EQ(state.machine.q[1], -0.7);
  // A bar alone: the pendulum's energy.
  const double I = 2.0 * 0.64 / 3.0;
  EXPECT_NEAR(0.5 * I * state.machine.v[0] * state.machine.v[0],
              2.0 * 9.81 * 0.4 * (std::sin(0.2) - std::sin(state.machine.q[0])), 1e-5);
  const double q0 = state.machine.q[0], v0 = state.machine.v[0];
  // Free at its end, pinned to what moves: its angular momentum about the pin stays, and so does that of
  // both about the base.
  sim::SimState joined = state;
  machine::assemble_body(model, joined.machine, 1);
  EXPECT_EQ(joined.machine.q[0], q0);
  double momentum[2] = {};
  multibody::MassAndBias body;
  multibody::mass_and_bias(model.tree, joined.machine.inertia, joined.machine.q, joined.machine.v,
                           body);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) momentum[i] += body.M[i][j] * joined.machine.v[j];
  EXPECT_NEAR(momentum[0], I * v0, 1e-12);
  EXPECT_NEAR(momentum[1], 0.0, 1e-12);
  for (int k = 0; k < 1000; ++k) simulation.step(state);
  EXPECT_EQ(state.machine.absent, 0);
  EXPECT_NE(state.machine.q[1], -0.7);
  EXPECT_LT(std::fabs(simulation.energy_residual(state)), 1e-3);
}

TEST(Mechanism, WhatCannotBeAssembledIsSaid) {
  MachineModel model = test::four_bar_machine();
  command::Scenario scenario = test::four_bar_start(0.5, 1.0);
  model.drives.push_back({2, 0.0, 0.0});
  ASSERT_TRUE(finish(model).empty());
  scenario.initial[2].position = -2.0;
  try {
    const Simulation simulation(model, scenario);
    FAIL();
  } catch (const std::invalid_argument& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("loop 'pin0' cannot be closed with crank0 0.5"), std::string::npos) << text;
    EXPECT_NE(text.find("gap of"), std::string::npos);
  }
}

TEST(Mechanism, FinishRefusesWhatNoMachineCanBe) {
  test::FourBar bars;
  bars.ground = 3.0;
  MachineModel model = test::four_bar_machine(bars);
  std::vector<std::string> faults = finish(model);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults[0].find("no position of its joints closes it"), std::string::npos);

  model = test::four_bar_machine();
  model.closed_valve = machine::ClosedValveModel::kQuasiStatic;
  faults = finish(model);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_NE(faults[0].find("quasi-static"), std::string::npos);
}

}  // namespace
}  // namespace knuckleboom
