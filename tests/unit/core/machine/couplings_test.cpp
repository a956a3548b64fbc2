// Joints that follow others: masses, forces and energies in closed form.
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/sim/channels.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "support/mechanisms.hpp"
#include "support/telescope.hpp"

namespace knuckleboom::couplings_test {
namespace {

using machine::Fidelity;
using machine::MachineModel;
using sim::SimState;
using sim::Simulation;

constexpr Fidelity kAll[] = {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper};
constexpr double kGravity = 9.81;

command::Scenario scenario_of(double duration_s, std::vector<command::InitialJoint> initial = {}) {
  command::Scenario scenario;
  scenario.name = "coupled";
  scenario.duration_s = duration_s;
  scenario.initial = std::move(initial);
  return scenario;
}
command::InitialJoint at(const std::string& joint, double position) {
  return {joint, position, false, false, 0.0, 0.0};
}

// The machine's objection to it; empty if there is none.
std::string fault_of(MachineModel model) {
  const std::vector<std::string> faults = finish(model);
  return faults.empty() ? std::string() : faults.front();
}

MachineModel slides(double m1, double m2, double ratio, double offset) {
  MachineModel model;
  model.tree.gravity_W.setZero();
  model.tree.add_body(test::sliding("a", multibody::kBase, m1));
  model.tree.add_body(test::sliding("b", multibody::kBase, m2));
  model.couplings.push_back({1, 0, ratio, offset});
  EXPECT_EQ(fault_of(model), "");
  finish(model);
  return model;
}

TEST(Couplings, ReflectTheMassAndShareTheForce) {
  constexpr double m1 = 3.0, m2 = 5.0, r = -2.0, c = 0.3, F = 7.0;
  command::Scenario scenario = scenario_of(2.0, {at("a", 0.1)});
  command::JointProgram push;
  push.joint = "a";
  push.mode = command::JointMode::kTorque;
  push.signal.terms = {test::constant(F)};
  scenario.programs.push_back(push);
  const Simulation simulation(slides(m1, m2, r, c), scenario);
  const double a = F / (m1 + r * r * m2);
  for (const Fidelity fidelity : kAll) {
    SimState state = simulation.initial_state(fidelity);
    EXPECT_NEAR(state.machine.q[1], r * 0.1 + c, 1e-15);
    for (int k = 0; k < 1000; ++k) simulation.step(state);
    const machine::MachineState& m = state.machine;
    EXPECT_NEAR(m.a[0], a, 1e-12);
    EXPECT_NEAR(m.q[0], 0.1 + 0.5 * a, 1e-3 * a);  // a half tick of speed is missing at the start
    EXPECT_EQ(m.q[1], r * m.q[0] + c);
    EXPECT_EQ(m.v[1], r * m.v[0]);
    EXPECT_NEAR(m.coupling_force[1], m2 * r * a, 1e-12);
    EXPECT_NEAR(m.energy.external, F * (m.q[0] - 0.1), 1e-12);
    EXPECT_LT(std::fabs(simulation.energy_residual(state)), 1e-3 * m.energy.external);
  }
}

// The same wheels with the force on the one that follows: it does not matter which is called which.
TEST(Couplings, AreTheSameSeenFromTheOtherJoint) {
  constexpr double m1 = 3.0, m2 = 5.0, r = -2.0, F = 7.0;
  command::Scenario scenario = scenario_of(2.0);
  command::JointProgram push;
  push.joint = "b";
  push.mode = command::JointMode::kTorque;
  push.signal.terms = {test::constant(F)};
  scenario.programs.push_back(push);
  const Simulation simulation(slides(m1, m2, r, 0.0), scenario);
  SimState state = simulation.initial_state(Fidelity::kReduced);
  for (int k = 0; k < 500; ++k) simulation.step(state);
  const double a = r * F / (m1 + r * r * m2);  // of joint a
  EXPECT_NEAR(state.machine.a[0], a, 1e-12);
  EXPECT_NEAR(state.machine.a[1], r * a, 1e-12);
  EXPECT_NEAR(state.machine.coupling_force[1], m2 * r * a - F, 1e-12);
}

// An unbalanced wheel and a heavy one in mesh: a pendulum with the second inertia times the ratio squared.
TEST(Couplings, AGearPairSwingsForAMinute) {
  constexpr double kMass = 2.0, kArm = 0.4, kWheel = 0.05, kOther = 0.02, kRatio = -3.0;
  MachineModel model;
  multibody::Body wheel = test::bar("wheel", multibody::kBase, Vec3::Zero(), 1.0, 1.0);
  wheel.inertia = {kMass, Vec3(0.0, 0.0, -kArm), Vec3(kWheel, kWheel, kWheel).asDiagonal()};
  model.tree.add_body(wheel);
  wheel.name = wheel.joint_name = "other";
  wheel.inertia = {1.0, Vec3::Zero(), Vec3(kOther, kOther, kOther).asDiagonal()};
  model.tree.add_body(wheel);
  model.couplings.push_back({1, 0, kRatio, 0.5});
  ASSERT_EQ(fault_of(model), "");
  finish(model);
  constexpr double kStart = 0.02;
  const double I = kWheel + kMass * kArm * kArm + kRatio * kRatio * kOther;
  const double omega = std::sqrt(kMass * kGravity * kArm / I) * (1.0 - kStart * kStart / 16.0);
  const Simulation simulation(model, scenario_of(60.0, {at("wheel", kStart)}));
  for (const Fidelity fidelity : kAll) {
    SimState state = simulation.initial_state(fidelity);
    double worst = 0.0, off = 0.0;
    for (int k = 0; k < 60000; ++k) {
      simulation.step(state);
      off = std::max(off, std::fabs(simulation.energy_residual(state)));
      worst = std::max(worst, model.loop_system.gap(model.tree, state.machine.q));
    }
    EXPECT_NEAR(state.machine.q[0], kStart * std::cos(omega * 60.0), 2e-3 * kStart);
    EXPECT_LT(off, 1e-6 * kMass * kGravity * kArm * kStart * kStart);
    EXPECT_LE(worst, 1e-16);
    EXPECT_EQ(state.machine.health.singular_ticks, 0);
    EXPECT_EQ(state.machine.health.open_loop_ticks, 0);
  }
}

// Upright, the cylinder carries the second stage twice, and the chain once.
TEST(Couplings, AChainCarriesTheSecondStage) {
  constexpr double m1 = 200.0, m2 = 150.0;
  const MachineModel model = test::telescope(m1, m2, Vec3::UnitZ());
  ASSERT_EQ(fault_of(model), "");
  const Simulation simulation(model, scenario_of(3.0, {at("stage1", 0.4)}));
  for (const Fidelity fidelity : kAll) {
    SimState state = simulation.initial_state(fidelity);
    EXPECT_EQ(state.machine.q[1], 0.4);
    double force[kMaxActuators], load[kMaxLinks];
    machine::static_loads(model, state.machine.inertia, state.machine.q, state.machine.dependent,
                          force, load);
    EXPECT_NEAR(force[0], (m1 + 2.0 * m2) * kGravity, 1e-8);
    for (int k = 0; k < 300; ++k) simulation.step(state);
    EXPECT_NEAR(state.machine.q[0], 0.4, 1e-9);
    EXPECT_NEAR(state.machine.coupling_force[1], m2 * kGravity, 1e-3);
    // Opened, it moves, both stages alike, and balances its energy.
    sim::TickInput input{};
    input.actuator[0] = {4.0, sim::ActuatorMode::kVoltage, 0, 0.0};
    for (int k = 0; k < 1000; ++k) simulation.step(state, input);
    EXPECT_GT(state.machine.q[0], 0.5);
    EXPECT_EQ(state.machine.q[1], state.machine.q[0]);
    EXPECT_LT(std::fabs(simulation.energy_residual(state)), 1e-3 * state.machine.energy.pump);
    EXPECT_EQ(state.machine.health.newton_unconverged, 0);
  }
}

// Level, the telescope is one slide of the mass m1 + 4 m2.
TEST(Couplings, ATelescopeIsOneSlideOfTheReflectedMass) {
  constexpr double m1 = 200.0, m2 = 150.0;
  const MachineModel two = test::telescope(m1, m2, Vec3::UnitX());
  MachineModel one;
  one.tree.add_body(test::sliding("stage1", multibody::kBase, m1 + 4.0 * m2));
  test::add_cylinder(one, 0);
  finish(one);
  const auto scenario = scenario_of(3.0, {at("stage1", 0.4)});
  const Simulation a(two, scenario), b(one, scenario);
  for (const Fidelity fidelity : kAll) {
    SimState sa = a.initial_state(fidelity), sb = b.initial_state(fidelity);
    sim::TickInput input{};
    for (int k = 0; k < 2000; ++k) {
      input.actuator[0] = {5.0 * std::sin(0.006 * k), sim::ActuatorMode::kVoltage, 0, 0.0};
      a.step(sa, input);
      b.step(sb, input);
    }
    EXPECT_GT(std::fabs(sa.machine.q[0] - 0.4), 0.05);
    EXPECT_NEAR(sa.machine.q[0], sb.machine.q[0], 1e-9);
    EXPECT_NEAR(sa.machine.actuator[0].p[0], sb.machine.actuator[0].p[0], 1e-2);
    EXPECT_NEAR(sa.machine.energy.pump, sb.machine.energy.pump, 1e-6 * sb.machine.energy.pump);
  }
}

// A cylinder on each of two joints that follow each other: equal ones carry half each.
TEST(Couplings, TwoActuatorsShareTheLoad) {
  MachineModel model;
  model.tree.add_body(test::sliding("left", multibody::kBase, 300.0, Vec3::UnitZ()));
  model.tree.add_body(test::sliding("right", multibody::kBase, 100.0, Vec3::UnitZ()));
  model.couplings.push_back({1, 0, 1.0, 0.05});
  test::add_cylinder(model, 0);
  test::add_cylinder(model, 1);
  ASSERT_EQ(fault_of(model), "");
  finish(model);
  const Simulation simulation(model, scenario_of(3.0, {at("right", 0.5)}));
  for (const Fidelity fidelity : kAll) {
    SimState state = simulation.initial_state(fidelity);
    EXPECT_NEAR(state.machine.q[0], 0.45, 1e-15);
    double force[kMaxActuators], load[kMaxLinks];
    machine::static_loads(model, state.machine.inertia, state.machine.q, state.machine.dependent,
                          force, load);
    EXPECT_NEAR(force[0], 200.0 * kGravity, 1e-3);
    EXPECT_NEAR(force[1], 200.0 * kGravity, 1e-3);
    for (int k = 0; k < 500; ++k) simulation.step(state);
    EXPECT_NEAR(state.machine.q[0], 0.45, 1e-8);
    EXPECT_NEAR(state.machine.coupling_force[1], -100.0 * kGravity, 0.1);
    // With only one valve open the other's oil holds both.
    sim::TickInput input{};
    for (sim::ActuatorCommand& command : input.actuator) command.mode = sim::ActuatorMode::kVoltage;
    input.actuator[0].value = 4.0;
    for (int k = 0; k < 500; ++k) simulation.step(state, input);
    EXPECT_NEAR(state.machine.q[0], 0.45, 0.03);  // by as much as it gives
    EXPECT_NEAR(state.machine.v[0], 0.0, 1e-3);
    input.actuator[1].value = 4.0;
    for (int k = 0; k < 500; ++k) simulation.step(state, input);
    EXPECT_GT(state.machine.q[0], 0.5);
    EXPECT_EQ(state.machine.q[1], state.machine.q[0] + 0.05);
    EXPECT_LT(std::fabs(simulation.energy_residual(state)), 1e-3 * state.machine.energy.pump);
  }
}

// Three in a row; the last is the one that starts somewhere.
TEST(Couplings, FollowAlongARow) {
  MachineModel model;
  model.tree.gravity_W.setZero();
  for (const char* name : {"a", "b", "c"})
    model.tree.add_body(test::sliding(name, multibody::kBase, 1.0));
  model.couplings = {{2, 1, 2.0, 0.1}, {1, 0, 3.0, -0.2}};
  ASSERT_EQ(fault_of(model), "");
  finish(model);
  const Simulation simulation(model, scenario_of(1.0, {at("c", 0.9)}));
  SimState state = simulation.initial_state(Fidelity::kReduced);
  EXPECT_NEAR(state.machine.q[1], 0.4, 1e-15);
  EXPECT_NEAR(state.machine.q[0], 0.2, 1e-15);
  EXPECT_EQ(model.loop_system.choose(model.tree, state.machine.q, nullptr), 0b110);
  double force[kMaxLinks] = {};
  force[0] = 46.0;  // 1 + 9 + 36
  for (int k = 0; k < 100; ++k) simulation.step(state, simulation.scenario_input(state), force);
  EXPECT_NEAR(state.machine.a[0], 1.0, 1e-12);
  EXPECT_NEAR(state.machine.a[2], 6.0, 1e-12);
  EXPECT_NEAR(state.machine.coupling_force[2], 6.0, 1e-12);
  EXPECT_NEAR(state.machine.coupling_force[1], 3.0 + 2.0 * 6.0, 1e-12);
}

// A loop's joint may follow as well: a rack on the crank of a four-bar.
TEST(Couplings, JoinALoop) {
  MachineModel model;
  model.loops.push_back(test::add_four_bar(model.tree, {}));
  model.tree.add_body(test::sliding("rack", multibody::kBase, 4.0, Vec3::UnitY()));
  model.couplings.push_back({3, 0, 0.05, 1.0});
  model.drives.push_back({0, 0.0, 0.0});
  ASSERT_EQ(fault_of(model), "");
  finish(model);
  ASSERT_EQ(model.loop_system.group_count(), 1);
  command::Scenario scenario = test::four_bar_start(0.5, 10.0);
  for (command::InitialJoint& joint : scenario.initial) joint.joint.pop_back();
  const Simulation simulation(model, scenario);
  SimState state = simulation.initial_state(Fidelity::kReduced);
  EXPECT_NEAR(state.machine.q[3], 1.025, 1e-12);
  double off = 0.0, gap = 0.0;
  for (int k = 0; k < 10000; ++k) {
    simulation.step(state);
    off = std::max(off, std::fabs(simulation.energy_residual(state)));
    gap = std::max(gap, model.loop_system.gap(model.tree, state.machine.q));
  }
  EXPECT_GT(std::fabs(state.machine.v[3]), 0.0);
  EXPECT_LT(off, 1e-4);
  EXPECT_LT(gap, 1e-12);
}

TEST(Couplings, StartsThatDoNotFitAreRefused) {
  const MachineModel model = slides(1.0, 1.0, 2.0, 0.1);
  try {
    const Simulation simulation(model, scenario_of(1.0, {at("a", 0.3), at("b", 0.4)}));
    FAIL() << "not refused";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(
        error.what(),
        "joint 'b' starts at 0.400000, but by its coupling it is at 0.700000 when joint 'a' "
        "is at 0.300000; start one of the two, and the other follows");
  }
  // Written to four digits it fits.
  const Simulation simulation(model, scenario_of(1.0, {at("a", 1.0 / 3.0), at("b", 0.7667)}));
  EXPECT_EQ(simulation.initial_state(Fidelity::kFull).machine.q[1], 2.0 * (1.0 / 3.0) + 0.1);
}

TEST(Couplings, ImpossibleOnesAreRefused) {
  const auto refused = [](std::vector<multibody::Coupling> couplings) {
    MachineModel model;
    for (const char* name : {"a", "b", "c"})
      model.tree.add_body(test::sliding(name, multibody::kBase, 1.0));
    model.couplings = std::move(couplings);
    return fault_of(model);
  };
  EXPECT_EQ(refused({{0, 0, 1.0, 0.0}}), "coupling 'a': it follows itself; name another joint");
  EXPECT_EQ(refused({{0, 1, 1.0, 0.0}, {1, 2, 1.0, 0.0}, {2, 0, 1.0, 0.0}}),
            "coupling 'c': it follows 'a', which in turn follows it; take one coupling out of the "
            "circle");
  EXPECT_EQ(refused({{0, 1, 1.0, 0.0}, {0, 2, 1.0, 0.0}}),
            "coupling 'a': it follows both 'b' and 'c'; keep one");
  EXPECT_EQ(refused({{0, 1, 0.0, 0.0}}),
            "coupling 'a': a ratio of zero lets it stand still; fix its body instead");
  EXPECT_EQ(refused({{0, 1, std::nan(""), 0.0}}), "coupling 'a': its numbers are not finite");
  EXPECT_EQ(refused({{0, 3, 1.0, 0.0}}), "a coupling's joint does not exist");
  EXPECT_EQ(refused(std::vector<multibody::Coupling>(17, {0, 1, 1.0, 0.0})),
            "a machine has at most 16 couplings");
  EXPECT_EQ(refused({{0, 2, 1.0, 0.0}, {1, 2, 1.0, 0.0}}), "");
}

TEST(Couplings, TheirForceIsAChannel) {
  const MachineModel model = slides(1.0, 1.0, 2.0, 0.0);
  int found = 0;
  for (const sim::Channel& channel : sim::channels(model)) found += channel.name == "b_coupling_N";
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace knuckleboom::couplings_test
