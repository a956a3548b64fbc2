// Rigid bodies on pneumatic cylinders: closed forms, balances that close, and the effect of delayed exchange.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include <gtest/gtest.h>

#include "knuckleboom/core/emulation/air_exchange.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "knuckleboom/core/sim/check_state.hpp"
#include "knuckleboom/core/sim/simulation.hpp"

namespace knuckleboom::air_cylinder_test {
namespace {

using command::JointMode;
using command::Term;
using command::TermKind;
using emulation::AirExchange;
using machine::Fidelity;
using sim::SimState;
using sim::Simulation;

constexpr double kArea = 1.14e-3, kStroke = 0.04, kMass = 2.0;

// A weightless slide on a cylinder without a rod, its valve shut.
struct Rig {
  machine::MachineModel model;
  command::Scenario scenario;

  explicit Rig(double gravity = 0.0) {
    multibody::Body body;
    body.name = "piston";
    body.joint_name = "slide";
    body.type = multibody::JointType::kPrismatic;
    body.axis_B = -Vec3::UnitZ();
    body.inertia.mass = kMass;
    model.name = "slide";
    model.tree.add_body(body);
    model.tree.gravity_W = Vec3(0.0, 0.0, -gravity);
    machine::Actuator actuator;
    actuator.name = "cylinder";
    actuator.air.emplace();
    actuator.air->cylinder = {kArea, kArea, kStroke, 2e-6, 2e-6};
    actuator.air->valve.gain = 1e-6;
    actuator.air->valve.area_max = 2e-6;
    actuator.air->P_start[0] = actuator.air->P_start[1] = 4e5;
    actuator.circuit.valve.overlap_V = 0.1;
    actuator.circuit.valve.full_V = 5.0;
    actuator.stops.stiffness = 2e5;
    actuator.stops.damping = 300.0;
    model.actuators.push_back(actuator);
    control::PidGains gains;
    gains.output_limit_V = 5.0;
    model.controllers.push_back(gains);
    scenario.tick_s = 1e-3;
    scenario.duration_s = 10.0;
    scenario.initial.push_back({});
    scenario.initial[0].joint = "slide";
    scenario.initial[0].position = 0.5 * kStroke;
  }
  machine::Actuator& actuator() { return model.actuators[0]; }
  machine::AirCylinder& air() { return *model.actuators[0].air; }
  void move(JointMode mode, std::vector<Term> terms) {
    scenario.programs.push_back({"slide", mode, {std::move(terms)}});
  }
  Simulation simulation() {
    EXPECT_TRUE(machine::finish(model).empty());
    return Simulation(model, scenario);
  }
};

double air_energy(const SimState& state) {
  const machine::AirState& a = state.machine.actuator[0].air;
  return a.U[0] + a.U[1];
}
double absolute(const Simulation& simulation, const SimState& state, int side) {
  return simulation.model().air.P_ambient + state.machine.actuator[0].p[side];
}
double temperature(const Simulation& simulation, const SimState& state, int side) {
  const machine::AirState& a = state.machine.actuator[0].air;
  return pneumatics::temperature(simulation.model().air.gas, {a.m[side], a.U[side]});
}

// Both chambers shut: for small motions a spring of k P A^2 (1/V_c + 1/V_r).
TEST(AirCylinder, RingsOnShutAir) {
  Rig rig;
  rig.scenario.tick_s = 2e-4;
  const Simulation simulation = rig.simulation();
  SimState state = simulation.initial_state(Fidelity::kFull);
  state.machine.v[0] = 0.005;
  const double V = kArea * 0.5 * kStroke + 2e-6;
  const double omega = std::sqrt(1.4 * 4e5 * kArea * kArea * 2.0 / V / kMass);
  int turns = 0;
  double first = 0.0, last = 0.0, before = state.machine.v[0];
  for (int k = 0; k < 20000; ++k) {
    simulation.step(state);
    const double v = state.machine.v[0];
    if (before < 0.0 && v >= 0.0) {
      last = rig.scenario.tick_s * (k + 1 - v / (v - before));
      if (turns++ == 0) first = last;
    }
    before = v;
  }
  ASSERT_GT(turns, 10);
  EXPECT_NEAR((turns - 1) * 2.0 * std::numbers::pi / (last - first) / omega, 1.0, 1e-3);
  EXPECT_EQ(state.machine.health.newton_unconverged, 0);
}

// Mass to rounding, and energy of air, bodies and friction to the error of the step, over a square wave with
// stops, weight and sticking; the states pass their check and every model takes the same step.
TEST(AirCylinder, BooksClose) {
  for (const friction::Kind kind : {friction::Kind::kNone, friction::Kind::kCoulomb,
                                    friction::Kind::kContinuous, friction::Kind::kLuGre}) {
    Rig rig(9.81);
    rig.actuator().circuit.B = 30.0;
    rig.actuator().friction = {kind, 15.0, 24.0, 0.005, 0.001, 5.0, 2e5, 300.0};
    rig.move(JointMode::kVoltage, {{TermKind::kConstant, -2.5, 0, 0, 0, 0, 0, {}},
                                   {TermKind::kPulse, 5.0, 0.7, 1.4, 0, 0, 0, {}}});
    const Simulation simulation = rig.simulation();
    SimState state = simulation.initial_state(Fidelity::kFull);
    SimState other = simulation.initial_state(Fidelity::kPaper);
    const machine::AirState& a = state.machine.actuator[0].air;
    const double m_0 = a.m[0] + a.m[1];
    for (int k = 0; k < 2000; ++k) {
      simulation.step(state);
      simulation.step(other);
    }
    const machine::EnergyLedger& e = state.machine.energy;
    EXPECT_NEAR(a.m[0] + a.m[1] - m_0, a.m_in, 1e-12);
    EXPECT_GT(std::fabs(e.air), 0.1);
    EXPECT_GT(e.stops, 0.01);
    EXPECT_NEAR(simulation.energy_residual(state), 0.0, 5e-3 * std::fabs(e.air));
    EXPECT_EQ(state.machine.q[0], other.machine.q[0]);
    EXPECT_EQ(sim::check_state(simulation, state), "");
    EXPECT_EQ(state.machine.health.newton_unconverged, 0);
    EXPECT_EQ(state.machine.health.friction_unsettled, 0);
    EXPECT_EQ(state.machine.health.non_finite, 0);
  }
}

// Sticking holds a weight on vented chambers to the bit; viscous friction lets it sink at W / C_V.
TEST(AirCylinder, WhatHoldsAndWhatSinks) {
  Rig rig(9.81);
  rig.air().P_start[0] = rig.air().P_start[1] = rig.model.air.P_ambient;
  rig.air().valve.leakage = 1e-4;  // wide open to the air
  rig.model.air.P_supply = 1.001 * rig.model.air.P_ambient;
  rig.actuator().friction = {friction::Kind::kCoulomb, 15.0, 24.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  {
    const Simulation simulation = rig.simulation();
    SimState state = simulation.initial_state(Fidelity::kFull);
    for (int k = 0; k < 5000; ++k) simulation.step(state);
    EXPECT_EQ(state.machine.q[0], 0.5 * kStroke);
  }
  rig.actuator().friction = {};
  rig.actuator().circuit.B = 2e4;
  const Simulation simulation = rig.simulation();
  SimState state = simulation.initial_state(Fidelity::kFull);
  for (int k = 0; k < 5000; ++k) simulation.step(state);
  EXPECT_NEAR(state.machine.v[0], kMass * 9.81 / 2e4, 1e-6);
}

// A force that is late by T takes k T from the damping: the shut cylinder, which rings undamped in
// one program, grows at omega^2 T / 2 where two programs exchange force and motion.
TEST(AirCylinder, LateExchangeMakesEnergy) {
  const double V = kArea * 0.5 * kStroke + 2e-6;
  const double omega_2 = 1.4 * 4e5 * kArea * kArea * 2.0 / V / kMass;
  const auto grown = [omega_2](int late) {
    Rig rig;
    rig.scenario.tick_s = 2.5e-4;
    const Simulation simulation = rig.simulation();
    const AirExchange exchange(simulation, std::max(0, late));
    AirExchange::State state = exchange.start();
    state.sim.machine.v[0] = 0.002;
    double energy[2] = {};  // means over a turn early and 0.1 s later, to a factor
    for (int k = 0; k < 600; ++k) {
      late < 0 ? simulation.step(state.sim) : exchange.step(state);
      const double v = state.sim.machine.v[0];
      const double shift = std::sqrt(omega_2) * (state.sim.machine.q[0] - 0.5 * kStroke);
      const double e = v * v + shift * shift;
      if (k < 148) energy[0] += e;
      if (k >= 400 && k < 548) energy[1] += e;
    }
    return 0.5 * std::log(energy[1] / energy[0]) / 0.1;  // 1/s
  };
  EXPECT_NEAR(grown(-1), 0.0, 0.02);
  // A force holds for a tick, half of which the air makes up for along the last speed.
  for (const int late : {3, 5, 8}) {
    const double T = (late - 0.5) * 2.5e-4;
    EXPECT_NEAR(grown(late) / (0.5 * omega_2 * T), 1.0, 0.12) << late;
  }
}

// In one program nothing is made of nothing: with the valve shut the energy of bodies and air does not rise by
// more than the error of the step, of second order. The same with late exchange grows.
TEST(AirCylinder, GainsNoEnergyInOneProgram) {
  struct Energies {
    double highest, last, made;  // over the start [J]
  };
  const auto energies = [](double h, int late) {
    Rig rig(9.81);
    rig.scenario.tick_s = h;
    const Simulation simulation = rig.simulation();
    const AirExchange exchange(simulation, std::max(0, late));
    AirExchange::State state = exchange.start();
    const auto energy = [&] {
      const machine::MachineState& m = state.sim.machine;
      const multibody::Energy e = multibody::energy(simulation.model().tree, m.inertia, m.q, m.v);
      return e.kinetic + e.potential + air_energy(state.sim);
    };
    const double before = energy();
    Energies out{0.0, 0.0, 0.0};
    for (int k = 0; k < std::lround(0.2 / h); ++k) {
      late < 0 ? simulation.step(state.sim) : exchange.step(state);
      out.last = energy() - before;
      out.highest = std::max(out.highest, out.last);
    }
    out.made = state.made;
    return out;
  };
  // The weight swings by 2 m g / k = 0.7 mm: 6 mJ go to and fro.
  const Energies coarse = energies(1e-3, -1), fine = energies(2.5e-4, -1);
  EXPECT_LT(coarse.highest, 1e-5);
  EXPECT_LT(fine.highest, coarse.highest / 10.0);
  EXPECT_LT(coarse.last, 0.0);
  EXPECT_EQ(coarse.made, 0.0);
  const Energies late = energies(1e-3, 1);
  EXPECT_GT(late.last, 0.02);
  EXPECT_GT(late.made, 0.02);
}

// A weight on shut air comes to rest where both chambers, along their adiabats P V^k, carry it.
TEST(AirCylinder, ShutAirFollowsItsAdiabat) {
  Rig rig(98.1);  // that it goes far
  rig.actuator().circuit.B = 300.0;
  const Simulation simulation = rig.simulation();
  SimState state = simulation.initial_state(Fidelity::kFull);
  for (int k = 0; k < 4000; ++k) simulation.step(state);
  const double x = state.machine.q[0];
  const double V_0 = kArea * 0.5 * kStroke + 2e-6;
  const double V_cap = kArea * x + 2e-6, V_rod = kArea * (kStroke - x) + 2e-6;
  const double P[2] = {absolute(simulation, state, 0), absolute(simulation, state, 1)};
  EXPECT_GT(x, 0.5 * kStroke + 1e-3);
  EXPECT_NEAR(P[0] / (4e5 * std::pow(V_0 / V_cap, 1.4)), 1.0, 1e-6);
  EXPECT_NEAR(P[1] / (4e5 * std::pow(V_0 / V_rod, 1.4)), 1.0, 1e-6);
  EXPECT_NEAR(temperature(simulation, state, 0) /
                  (simulation.model().air.T_ambient * std::pow(V_0 / V_cap, 0.4)),
              1.0, 1e-6);
  EXPECT_NEAR((P[1] - P[0]) * kArea, kMass * 98.1, 1e-6);
}

// Driven into its end, the piston rests where the stop's spring takes the whole force, and bounces less high
// each time.
TEST(AirCylinder, EndStopTakesTheForce) {
  Rig rig;
  rig.actuator().stops.stiffness = 5e6;
  rig.move(JointMode::kVoltage, {{TermKind::kConstant, 5.0, 0, 0, 0, 0, 0, {}}});
  const Simulation simulation = rig.simulation();
  SimState state = simulation.initial_state(Fidelity::kFull);
  double farthest = 0.0;
  for (int k = 0; k < 5000; ++k) {
    simulation.step(state);
    farthest = std::max(farthest, state.machine.q[0]);
  }
  const pneumatics::Air& air = simulation.model().air;
  const double force = (air.P_supply - air.P_ambient) * kArea;
  EXPECT_NEAR(absolute(simulation, state, 0), air.P_supply, 1.0);
  EXPECT_NEAR(absolute(simulation, state, 1), air.P_ambient, 1.0);
  EXPECT_NEAR(state.machine.q[0], kStroke + force / 5e6, 1e-9);
  EXPECT_NEAR(state.machine.v[0], 0.0, 1e-9);
  EXPECT_LT(farthest, kStroke + 1e-3);
  EXPECT_GT(state.machine.health.stop_hits, 0);
  EXPECT_EQ(state.machine.health.newton_unconverged, 0);
}

TEST(AirCylinder, SameBitsTwice) {
  Rig rig(9.81);
  rig.actuator().circuit.B = 400.0;
  rig.model.controllers[0].Kp = 300.0;
  rig.move(JointMode::kTrack, {{TermKind::kConstant, 0.02, 0, 0, 0, 0, 0, {}},
                               {TermKind::kSine, 0.01, 0, 0, 0.16, 0, 0, {}}});
  const Simulation simulation = rig.simulation();
  SimState a = simulation.initial_state(Fidelity::kFull);
  SimState b = simulation.initial_state(Fidelity::kFull);
  for (int k = 0; k < 3000; ++k) simulation.step(a);
  for (int k = 0; k < 3000; ++k) simulation.step(b);
  EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0);
  EXPECT_NEAR(a.machine.q[0], a.reference[0], 2e-3);
}

TEST(AirCylinder, RefusesWhatCannotBe) {
  const auto fault_of = [](auto make) -> std::string {
    try {
      make();
    } catch (const std::invalid_argument& fault) {
      return fault.what();
    }
    return "";
  };
  Rig rig;
  rig.scenario.initial[0].position = 1.0;
  EXPECT_NE(fault_of([&] { rig.simulation(); }).find("beyond its stroke"), std::string::npos);
  rig = Rig();
  rig.scenario.faults.push_back({});
  rig.scenario.faults[0].kind = command::FaultKind::kAirInOil;
  EXPECT_NE(fault_of([&] { rig.simulation(); }).find("is on air"), std::string::npos);
  rig = Rig();
  const Simulation simulation = rig.simulation();
  EXPECT_NE(fault_of([&] { AirExchange(simulation, 64); }).find("63 ticks"), std::string::npos);
  rig.actuator().friction = {friction::Kind::kCoulomb, 15.0, 24.0, 0.0, 0.0, 0.0, 0.0, 0.0};
  const Simulation sticking = rig.simulation();
  EXPECT_NE(fault_of([&] { AirExchange(sticking, 4); }).find("at one time"), std::string::npos);
  rig = Rig();
  multibody::Body body = rig.model.tree.body(0);
  body.name = body.joint_name = "other";
  rig.model.tree.add_body(body);
  machine::Actuator on_oil;
  on_oil.name = "on_oil";
  on_oil.link = 1;
  rig.model.actuators.push_back(on_oil);
  rig.model.controllers.push_back(rig.model.controllers[0]);
  const std::vector<std::string> faults = machine::finish(rig.model);
  EXPECT_TRUE(std::any_of(faults.begin(), faults.end(), [](const std::string& fault) {
    return fault.find("on oil and others are on air") != std::string::npos;
  }));
}

}  // namespace
}  // namespace knuckleboom::air_cylinder_test
