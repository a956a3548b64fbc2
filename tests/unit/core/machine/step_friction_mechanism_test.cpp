// Dry friction where joints depend on each other: pins of loops, cylinders between pins.
#include <cmath>

#include <gtest/gtest.h>

#include "knuckleboom/core/friction/friction.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "support/machines.hpp"
#include "support/mechanisms.hpp"

namespace knuckleboom {
namespace {

using friction::FrictionModel;
using friction::Kind;
using machine::Fidelity;
using machine::MachineModel;
using sim::SimState;
using sim::Simulation;

FrictionModel dry(Kind kind, double F_c, double F_s) {
  FrictionModel m;
  m.kind = kind;
  m.F_c = F_c;
  m.F_s = F_s;
  m.v_s = 0.02;
  m.v_min = 0.005;
  m.n = 4.0;
  m.sigma_0 = 1e3 * F_s;
  m.sigma_1 = F_s;
  return m;
}

class FrictionOfMechanisms : public ::testing::TestWithParam<Fidelity> {};
INSTANTIATE_TEST_SUITE_P(Both, FrictionOfMechanisms,
                         ::testing::Values(Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper),
                         [](const auto& info) { return machine::word_of(info.param); });

// A four-bar whose rocker's pin sticks, with the crank pushed harder and harder: it holds to the bit until
// what gravity and the push put on that pin, through the closed form's ratio of rates, is F_s.
TEST_P(FrictionOfMechanisms, PinOfALoopHoldsAndBreaksAwayByItsRatio) {
  const test::FourBar bars;
  const double crank = 0.9, static_torque = 40.0;
  for (const Kind kind : {Kind::kCoulomb, Kind::kStribeck}) {
    MachineModel model = test::four_bar_machine(bars);
    model.joint_friction.assign(3, FrictionModel{});
    model.joint_friction[2] = dry(kind, 30.0, static_torque);
    ASSERT_TRUE(machine::finish(model).empty());
    command::Scenario scenario = test::four_bar_start(crank, 60.0);
    command::Term ramp = test::smooth(120.0, 0.0, 60.0);
    ramp.kind = command::TermKind::kRamp;
    scenario.programs = {{"crank0", command::JointMode::kTorque, {{ramp}}}};
    const Simulation simulation(model, scenario);
    SimState state = simulation.initial_state(GetParam());
    const double q_start = state.machine.q[0];
    // The tick before has moved nothing: held to the bit.
    while (state.machine.v[0] == 0.0 && state.tick < simulation.tick_count()) {
      ASSERT_EQ(state.machine.q[0], q_start);
      simulation.step(state);
    }
    double kinetic;
    const double gravity = test::four_bar_torque(bars, crank, 1e-6, 0.0, kinetic);
    const double ratio = test::four_bar_motion(bars, crank, 1.0, 0.0).rate[2];
    const double push = 2.0 * simulation.time(state);
    EXPECT_NEAR(push, gravity + std::fabs(ratio) * static_torque, 0.01);
    EXPECT_GT(state.machine.v[0], 0.0);
    EXPECT_EQ(state.machine.health.friction_unsettled, 0);
  }
}

// It falls, with friction in all pins, and comes to rest permanently; the ledger closes.
TEST_P(FrictionOfMechanisms, FourBarComesToRest) {
  for (const Kind kind : {Kind::kCoulomb, Kind::kStribeck, Kind::kContinuous, Kind::kLuGre}) {
    MachineModel model = test::four_bar_machine();
    model.joint_friction.assign(3, dry(kind, 0.2, 0.3));
    ASSERT_TRUE(machine::finish(model).empty());
    const Simulation simulation(model, test::four_bar_start(0.9, 20.0));
    SimState state = simulation.initial_state(GetParam());
    double turned_over = 0.0;
    double worst = 0.0;
    while (simulation.time(state) < 15.0) {
      simulation.step(state);
      turned_over = std::fmax(turned_over, std::fabs(state.machine.energy.friction));
      worst = std::fmax(worst, std::fabs(simulation.energy_residual(state)));
    }
    EXPECT_GT(turned_over, 1.0);
    EXPECT_LT(worst, 3e-3 * turned_over) << static_cast<int>(kind);
    EXPECT_EQ(state.machine.health.newton_unconverged, 0);
    EXPECT_EQ(state.machine.health.friction_unsettled, 0);
    EXPECT_EQ(state.machine.health.open_loop_ticks, 0);
    if (!friction::sticks(kind)) continue;
    const double q = state.machine.q[0];
    while (state.tick < simulation.tick_count()) simulation.step(state);
    EXPECT_EQ(state.machine.q[0], q);
    EXPECT_EQ(state.machine.v[2], 0.0);
  }
}

// Cylinders given by pins go through the mechanism's solver, triangles do not; the machine is the same.
TEST_P(FrictionOfMechanisms, CylinderBetweenPinsRubsLikeItsTriangle) {
  for (const Kind kind : {Kind::kCoulomb, Kind::kContinuous, Kind::kStribeck, Kind::kLuGre}) {
    MachineModel triangle = test::reference_machine();
    FrictionModel rub = dry(kind, 3e3, 5e3);
    for (machine::Actuator& actuator : triangle.actuators) actuator.friction = rub;
    MachineModel pins = triangle;
    for (const int k : {1, 2}) {
      machine::Linkage& l = pins.actuators[static_cast<std::size_t>(k)].linkage;
      const multibody::Body& body = pins.tree.body(pins.tree.link(k).body);
      l.kind = machine::LinkageKind::kPins;
      l.base_body = body.parent;
      l.rod_body = pins.tree.link(k).body;
      l.base_pin = body.in_parent.R * l.base_pin + body.in_parent.p;
    }
    ASSERT_TRUE(machine::finish(pins).empty());
    const Simulation a(triangle, test::boom_pulse()), b(pins, test::boom_pulse());
    SimState sa = a.initial_state(GetParam()), sb = b.initial_state(GetParam());
    double apart = 0.0;
    for (int k = 0; k < 8000; ++k) {
      a.step(sa);
      b.step(sb);
      for (int i = 0; i < 3; ++i)
        apart = std::fmax(apart, std::fabs(sa.machine.q[i] - sb.machine.q[i]));
    }
    EXPECT_LT(apart, 2e-5) << static_cast<int>(kind);
    EXPECT_NEAR(sb.machine.energy.friction / sa.machine.energy.friction, 1.0, 1e-4);
    EXPECT_EQ(sb.machine.health.friction_unsettled, 0);
    EXPECT_EQ(sb.machine.health.newton_unconverged, 0);
  }
}

TEST(FrictionOfMechanism, RefusesWhatSeveralFreeJointsMove) {
  MachineModel model = test::reference_machine();
  machine::Actuator& stick = model.actuators[2];
  stick.friction = dry(Kind::kCoulomb, 3e3, 5e3);
  stick.stops.enabled = false;
  // From the swing structure over two joints to the stick.
  machine::Linkage& l = stick.linkage;
  l.kind = machine::LinkageKind::kPins;
  l.base_body = model.tree.find_body("swing_structure");
  l.rod_body = model.tree.link(2).body;
  l.base_pin = Vec3(0.4, 0.0, -3.0);
  l.rod_pin = Vec3(0.5, 0.0, 0.0);
  if (l.base_body == multibody::kBase) l.base_body = model.tree.link(0).body;
  const std::vector<std::string> faults = machine::finish(model);
  ASSERT_FALSE(faults.empty());
  bool told = false;
  for (const std::string& fault : faults)
    told =
        told || fault.find("actuator 'stick': its friction truly sticks, but several joints") == 0;
  EXPECT_TRUE(told) << faults.front();
}

}  // namespace
}  // namespace knuckleboom
