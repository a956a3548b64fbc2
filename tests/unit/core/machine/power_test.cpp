// Functions that share a pump, through compensated valves and holding valves.
#include "knuckleboom/core/machine/power.hpp"

#include <cmath>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"
#include "support/machines.hpp"

namespace knuckleboom {
namespace {

using hydraulics::CompensatorKind;
using hydraulics::HoldingKind;
using machine::Fidelity;
using machine::MachineModel;
using sim::SimState;
using sim::Simulation;

constexpr int kSwing = 0, kBoom = 1, kStick = 2;

// Constant volts at each valve from a moment on.
command::Scenario volts(double swing, double boom, double stick, double duration_s = 2.0) {
  command::Scenario scenario = test::locked(duration_s);
  const double u[3] = {swing, boom, stick};
  for (std::size_t i = 0; i < 3; ++i)
    if (u[i] != 0.0) scenario.programs[i].signal = {{test::pulse(u[i], 0.2, duration_s)}};
  return scenario;
}

command::Event payload(double mass_kg) {
  command::Event event;
  event.at_s = 0.0;
  event.name = "log";
  event.target = "head";
  event.mass_kg = mass_kg;
  return event;
}

class Power : public testing::TestWithParam<Fidelity> {
 protected:
  SimState run(const Simulation& simulation, double seconds) const {
    SimState state = simulation.initial_state(GetParam());
    go_on(simulation, seconds, state);
    return state;
  }
  static void go_on(const Simulation& simulation, double seconds, SimState& state) {
    for (int i = 0; i < std::lround(seconds / simulation.tick_s()); ++i) simulation.step(state);
  }
  // Flow through the inlet edge, mean over some bounces of the oil.
  static double flow(const Simulation& simulation, int actuator, SimState& state,
                     int ticks = 1600) {
    double sum = 0.0;
    for (int i = 0; i < ticks; ++i) {
      simulation.step(state);
      const machine::ActuatorState& a = state.machine.actuator[actuator];
      sum += a.Q[machine::pump_side(a.spool_V)];
    }
    return sum / ticks;
  }
};
INSTANTIATE_TEST_SUITE_P(Fidelities, Power,
                         testing::Values(Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper),
                         [](const auto& info) { return machine::word_of(info.param); });

TEST_P(Power, CompensatedFlowDoesNotDependOnTheLoad) {
  const auto speed = [&](bool compensated, double mass_kg) {
    MachineModel model = test::pump_machine();
    if (!compensated)
      for (machine::Actuator& a : model.actuators) {
        a.circuit.valve.compensator = {};
        a.circuit.valve.load_check = true;
      }
    // Without compensators the margin is the pump's, whatever the load; a constant pressure is not.
    if (!compensated) model.supply.pump.control = hydraulics::PumpControl::kPressure;
    command::Scenario scenario = volts(0.0, 3.0, 0.0, 4.0);
    if (mass_kg > 0.0) scenario.events = {payload(mass_kg)};
    const Simulation simulation(model, scenario);
    SimState state = run(simulation, 2.0);
    return flow(simulation, kBoom, state);
  };
  const double plain = speed(true, 0.0);
  EXPECT_NEAR(speed(true, 600.0), plain, 0.02 * plain);
  EXPECT_LT(speed(false, 600.0), 0.95 * speed(false, 0.0));
  // Q = g(s) sqrt(margin), holding valve in series.
  const MachineModel model = test::pump_machine();
  const hydraulics::Valve& valve = model.actuators[kBoom].circuit.valve;
  const double g = hydraulics::conductance(valve.edge[hydraulics::kPumpToA], 2.5 / 9.5);
  EXPECT_NEAR(plain, g * std::sqrt(1e6), 0.02 * plain);
}

// A load that pulls has emptied its port to 0.3 bar below the air, the return stands at 4 bar: the compensator gives
// 9.7 bar, 10 over the edge, not 14. Flow by hand: g(s) sqrt(10 bar).
TEST(Compensator, GivesAPullingLoadNoMoreThanAnyOther) {
  MachineModel model = test::pump_machine();
  model.supply.tank_Pa = 4e5;
  for (machine::Actuator& a : model.actuators) a.circuit.valve.compensator.lag_s = 0.0;
  const Simulation simulation(model, volts(0.0, 0.0, 0.0));
  machine::MachineState state = simulation.initial_state(Fidelity::kReduced).machine;
  machine::ActuatorState& stick = state.actuator[kStick];
  machine::SectionLags lags[kMaxActuators];
  for (std::size_t k = 0; k < model.actuators.size(); ++k)
    lags[k] = machine::section_lags(model.actuators[k].circuit, 1e-3);
  stick.spool_V = 5.0;
  stick.load_check = 1.0;
  state.pump_Pa = 3e6;
  for (const double port_Pa : {-0.3e5, 12e5}) {
    stick.P_C[0] = port_Pa;
    machine::advance_sections(model, lags, state);
    EXPECT_NEAR(stick.P_compensated - port_Pa, 1e6, 1e-6);
    const hydraulics::Orifices o = machine::section_orifices(
        model.actuators[kStick].circuit, stick, stick.spool_V, state.pump_Pa, state.tank_Pa);
    EXPECT_NEAR(o.P_S1 - port_Pa, 1e6, 1e-6);
  }
}

TEST_P(Power, PumpKeepsItsMarginAboveTheHighestLoad) {
  const Simulation simulation(test::pump_machine(), volts(0.0, 3.0, 0.0, 4.0));
  SimState state = run(simulation, 2.0);
  double worst = 0.0;
  double sum = 0.0;
  for (int i = 0; i < 1000; ++i) {
    simulation.step(state);
    const double load = machine::load_pressure(simulation.model().actuators[kBoom],
                                               state.machine.actuator[kBoom], 0.0);
    const double margin = state.machine.pump_Pa - load;
    sum += margin / 1000.0;
    worst = std::max(worst, std::fabs(margin - 2e6));
  }
  EXPECT_NEAR(sum, 2e6, 0.02 * 2e6);
  EXPECT_LT(worst, 5e5);
  EXPECT_GT(state.machine.pump_Pa, 5e6);
}

TEST_P(Power, TwoFunctionsShareWhatThePumpCanGive) {
  MachineModel model = test::pump_machine();
  model.supply.pump.power_limit_W = 0.0;
  model.supply.pump.engine.inertia = 0.0;
  model.supply.pump.displacement *= 0.6;
  const auto flows = [&](double boom, double stick, double(&out)[2]) {
    const Simulation simulation(model, volts(0.0, boom, stick));
    SimState state = run(simulation, 0.9);
    out[0] = out[1] = 0.0;
    double pump = 0.0;
    for (int i = 0; i < 500; ++i) {
      simulation.step(state);
      out[0] += 0.002 * std::max(0.0, state.machine.actuator[kBoom].Q[0]);
      out[1] += 0.002 * std::max(0.0, state.machine.actuator[kStick].Q[0]);
      pump += 0.002 * state.machine.supply.flow;
    }
    return pump;
  };
  const double most = model.supply.pump.displacement * model.supply.pump.engine.speed;
  double alone[2], together[2];
  flows(6.0, 0.0, alone);
  const double boom_alone = alone[0];
  flows(0.0, 6.0, alone);
  const double stick_alone = alone[1];
  const double pump = flows(6.0, 6.0, together);
  EXPECT_LT(boom_alone, 0.95 * most);
  EXPECT_LT(stick_alone, 0.95 * most);
  EXPECT_GT(boom_alone + stick_alone, 1.2 * most);
  EXPECT_NEAR(pump, most, 0.02 * most);
  EXPECT_NEAR(together[0] + together[1], most, 0.03 * most);
  // The heavier one starves; the lighter one has all it asks for.
  EXPECT_LT(together[0], 0.8 * boom_alone);
}

TEST_P(Power, FlowSharingSlowsBothInTheSameProportion) {
  MachineModel model = test::pump_machine();
  model.supply.pump.power_limit_W = 0.0;
  model.supply.pump.engine.inertia = 0.0;
  model.supply.pump.displacement *= 0.35;
  model.supply.pump.margin_Pa = model.supply.pump.standby_Pa = 1e6;
  for (machine::Actuator& a : model.actuators)
    a.circuit.valve.compensator.kind = CompensatorKind::kFlowSharing;
  const auto mean = [&](double boom, double stick, int actuator) {
    const Simulation simulation(model, volts(0.0, boom, stick, 4.0));
    SimState state = run(simulation, 1.2);
    return flow(simulation, actuator, state, 1500);
  };
  const double share_boom = mean(4.0, 4.0, kBoom) / mean(4.0, 0.0, kBoom);
  const double share_stick = mean(4.0, 4.0, kStick) / mean(0.0, 4.0, kStick);
  EXPECT_LT(share_boom, 0.85);
  EXPECT_NEAR(share_boom, share_stick, 0.06);
}

// A counterbalance valve lets the load down as fast as the pump pushes; without it the load runs ahead.
TEST_P(Power, CounterbalanceLowersWithoutRunningAway) {
  struct Result {
    double inlet = 0.0, outlet = 0.0, low = 1e9;
    std::int64_t cavitation = 0;
  };
  const auto lower = [&](bool held) {
    MachineModel model = test::pump_machine();
    if (!held) model.actuators[kBoom].circuit.holding[0] = {};
    command::Scenario scenario = volts(0.0, -5.0, 0.0, 3.0);
    scenario.events = {payload(500.0)};
    const Simulation simulation(model, scenario);
    SimState state = run(simulation, 1.0);
    Result out;
    const std::int64_t before = state.machine.health.cavitation_ticks;
    for (int i = 0; i < 800; ++i) {
      simulation.step(state);
      const machine::ActuatorState& a = state.machine.actuator[kBoom];
      out.inlet += a.Q[1] / 800.0;
      out.outlet -= a.Q[0] / 800.0;
      out.low = std::min(out.low, a.p[1]);
    }
    out.cavitation = state.machine.health.cavitation_ticks - before;
    return out;
  };
  const Result held = lower(true);
  const Result loose = lower(false);
  std::printf(
      "lowering: with counterbalance %.3g l/min in, %.3g out, least rod pressure %.3g bar;"
      " without %.3g in, %.3g out, %.3g bar\n",
      6e4 * held.inlet, 6e4 * held.outlet, 1e-5 * held.low, 6e4 * loose.inlet, 6e4 * loose.outlet,
      1e-5 * loose.low);
  const hydraulics::Circuit c = test::pump_machine().actuators[kBoom].circuit;
  const double metered =
      hydraulics::conductance(c.valve.edge[hydraulics::kPumpToB], 4.5 / 9.5) * 1e3;
  EXPECT_NEAR(held.inlet, metered, 0.05 * metered);
  EXPECT_NEAR(held.outlet / held.inlet, c.A1 / c.A2, 0.05 * c.A1 / c.A2);
  EXPECT_EQ(held.cavitation, 0);
  EXPECT_GT(loose.outlet, 1.3 * held.outlet);
  EXPECT_GT(loose.cavitation, 0);
}

TEST_P(Power, HoldingValvesKeepTheLoadWhereNoPilotOpensThem) {
  for (const HoldingKind kind : {HoldingKind::kCounterbalance, HoldingKind::kPilotCheck}) {
    MachineModel model = test::pump_machine();
    model.actuators[kBoom].circuit.holding[0].kind = kind;
    model.actuators[kBoom].circuit.holding[0].range_Pa = 2e6;
    // No pump: the stand-by pressure is next to nothing, and the spool stands wide open downwards.
    model.supply.pump.control = hydraulics::PumpControl::kPressure;
    model.supply.pump_Pa = 2e5;
    EXPECT_TRUE(machine::finish(model).empty());
    const Simulation simulation(model, volts(0.0, -10.0, 0.0, 4.0));
    SimState state = run(simulation, 0.2);
    const double before = machine::displacement(model, kBoom, state.machine.q[1]).x;
    go_on(simulation, 3.0, state);
    const double after = machine::displacement(model, kBoom, state.machine.q[1]).x;
    EXPECT_NEAR(after, before, 2e-3);
    machine::LinkageState at{};
    MachineModel loose = model;
    loose.actuators[kBoom].circuit.holding[0] = {};
    const Simulation without(loose, volts(0.0, -10.0, 0.0, 4.0));
    SimState falling = run(without, 1.2);
    at = machine::displacement(loose, kBoom, falling.machine.q[1]);
    EXPECT_LT(at.x, before - 0.05);
  }
}

TEST_P(Power, ABurstHoseBehindAHoldingValveDropsNothing) {
  const auto sunk = [&](bool held) {
    MachineModel model = test::pump_machine();
    if (!held) model.actuators[kBoom].circuit.holding[0] = {};
    command::Scenario scenario = volts(0.0, 0.0, 0.0, 3.0);
    command::Fault burst;
    burst.name = "burst";
    burst.kind = command::FaultKind::kHoseLeak;
    burst.function = "boom";
    burst.size = 600.0 / (6e4 * 1e7);
    scenario.faults = {burst};
    const Simulation simulation(model, scenario);
    SimState state = run(simulation, 0.5);
    const double before = state.machine.q[1];
    simulation.set_fault(state, 0, true);
    go_on(simulation, 1.0, state);
    return before - state.machine.q[1];
  };
  EXPECT_NEAR(sunk(true), 0.0, 1e-3);
  EXPECT_GT(sunk(false), 0.1);
}

// The load check: a spool that opens before the pump is there does not let the load sink.
TEST_P(Power, NoOilGoesBackToThePump) {
  for (const bool check : {false, true}) {
    MachineModel model = test::pump_machine();
    model.actuators[kBoom].circuit.holding[0] = {};
    model.actuators[kBoom].circuit.valve.compensator = {};
    model.actuators[kBoom].circuit.valve.load_check = check;
    command::Scenario scenario = volts(0.0, 3.0, 0.0);
    scenario.events = {payload(800.0)};
    const Simulation simulation(model, scenario);
    SimState state = simulation.initial_state(GetParam());
    double back = 0.0;
    for (int i = 0; i < 600; ++i) {
      simulation.step(state);
      const machine::ActuatorState& a = state.machine.actuator[kBoom];
      if (a.open != 0) back += std::max(0.0, -a.Q[0]) * 1e-3;
    }
    if (check)
      EXPECT_LT(back, 2e-6);
    else
      EXPECT_GT(back, 5e-6);
  }
}

TEST_P(Power, EnergyIsAccountedFor) {
  command::Scenario scenario = volts(0.0, 0.0, 0.0, 8.0);
  for (std::size_t i = 0; i < 3; ++i)
    scenario.programs[i].signal = {{test::pulse(5.0, 0.2, 1.5),
                                    test::pulse(-5.0, 2.0 + 0.3 * static_cast<double>(i), 4.0),
                                    test::pulse(3.0, 5.0, 6.5)}};
  MachineModel model = test::pump_machine();
  model.supply.pump.accumulators = {{10e6, 1e-3, 1.3}};
  const Simulation simulation(model, scenario);
  const SimState state = run(simulation, 8.0);
  const hydraulics::SupplyLedger& e = state.machine.supply_energy;
  const double residual = simulation.energy_residual(state);
  std::printf("engine %.4g J, residual %.3g of it, held pressure %.3g\n", e.engine,
              std::fabs(residual) / e.engine, std::fabs(e.coupling) / e.engine);
  EXPECT_LT(std::fabs(residual), 2e-4 * e.engine);
  EXPECT_LT(std::fabs(machine::supply_residual(model, state.machine)), 1e-9 * e.engine);
  EXPECT_LT(std::fabs(e.coupling), 1e-3 * e.engine);
  EXPECT_NEAR(machine::pump_work(state.machine), e.delivered, 1e-6 * e.delivered);
  EXPECT_GT(e.compensator, 0.0);
  EXPECT_EQ(state.machine.health.newton_unconverged, 0);
}

TEST_P(Power, HeavyLoadSlowsTheEngine) {
  MachineModel model = test::pump_machine();
  model.supply.pump.engine.torque_max = 250.0;
  const Simulation simulation(model, volts(0.0, 7.0, 0.0));
  SimState state = run(simulation, 1.2);
  const hydraulics::Engine& engine = model.supply.pump.engine;
  const double droop = 1.0 - state.machine.supply.engine_speed / engine.speed;
  EXPECT_GT(droop, 0.01);
  EXPECT_LT(droop, 0.06);
}

TEST_P(Power, AWornPumpAndALowMainReliefAreFelt) {
  const auto at = [&](const command::Fault* fault) {
    command::Scenario scenario = volts(0.0, 8.0, 0.0);
    scenario.events = {payload(600.0)};
    if (fault != nullptr) scenario.faults = {*fault};
    const Simulation simulation(test::pump_machine(), scenario);
    SimState state = simulation.initial_state(GetParam());
    if (fault != nullptr) simulation.set_fault(state, 0, true);
    go_on(simulation, 1.0, state);
    return sim::take_snapshot(simulation, state);
  };
  const sim::Snapshot sound = at(nullptr);
  command::Fault worn;
  worn.name = "worn";
  worn.kind = command::FaultKind::kWornPump;
  worn.size = 0.3;
  worn.flow_size = 5e8;
  const sim::Snapshot tired = at(&worn);
  EXPECT_LT(tired.pump_flow_m3_per_s, 0.9 * sound.pump_flow_m3_per_s);
  command::Fault relief;
  relief.name = "relief";
  relief.kind = command::FaultKind::kLowRelief;
  relief.size = 5e6;
  const sim::Snapshot leaking = at(&relief);
  EXPECT_EQ(sound.relief_flow_m3_per_s, 0.0);
  EXPECT_GT(leaking.relief_flow_m3_per_s, 1e-4);
  EXPECT_LT(leaking.pump_Pa, sound.pump_Pa);
  EXPECT_GT(sound.engine_rad_per_s, 170.0);
}

TEST_P(Power, PressureEventMovesTheCutOff) {
  command::Scenario scenario = volts(0.0, 0.0, 0.0);
  command::Event event;
  event.kind = command::EventKind::kPumpPressure;
  event.at_s = 0.5;
  event.value = 12e6;
  scenario.events = {event};
  MachineModel model = test::pump_machine();
  model.supply.pump.control = hydraulics::PumpControl::kPressure;
  model.supply.pump.leak = 1e-11;
  const Simulation simulation(model, scenario);
  SimState state = run(simulation, 0.4);
  EXPECT_NEAR(state.machine.pump_Pa, 20e6, 1e3);
  go_on(simulation, 1.5, state);
  EXPECT_NEAR(state.machine.pump_Pa, 12e6, 1e4);
}

// First order of the coupling: against smaller ticks.
TEST_P(Power, HoldingThePressureConvergesWithTheTick) {
  const auto tip = [&](double h) {
    command::Scenario scenario = volts(0.0, 0.0, 0.0);
    scenario.tick_s = h;
    for (std::size_t i = 0; i < 3; ++i)
      scenario.programs[i].signal = {{test::smooth(5.0, 0.2, 1.2), test::smooth(-4.0, 1.3, 2.0)}};
    const Simulation simulation(test::pump_machine(), scenario);
    return run(simulation, 2.0);
  };
  const SimState exact = tip(1.25e-4);
  double error[2];
  for (int i = 0; i < 2; ++i) {
    const SimState at = tip(i == 0 ? 1e-3 : 0.5e-3);
    error[i] = 0.0;
    for (int joint = 0; joint < 3; ++joint)
      error[i] = std::max(error[i], std::fabs(at.machine.q[joint] - exact.machine.q[joint]));
  }
  std::printf("joints off by %.3g mrad with 1 ms, %.3g mrad with 0.5 ms\n", 1e3 * error[0],
              1e3 * error[1]);
  EXPECT_LT(error[0], 5e-3);
  EXPECT_LT(error[1], error[0]);
}

TEST(PowerModel, SaysWhatASupplyCannotBe) {
  MachineModel model = test::pump_machine();
  model.supply.pump.relief_Pa = 15e6;
  model.supply.pump.gallery_volume = 0.0;
  model.supply.pump.engine.droop = 0.0;
  model.actuators[kSwing].circuit.valve.compensator.margin_Pa = 0.0;
  model.actuators[kBoom].circuit.holding[0].pilot_ratio = 0.0;
  EXPECT_EQ(machine::finish(model).size(), 5u);
}

}  // namespace
}  // namespace knuckleboom
