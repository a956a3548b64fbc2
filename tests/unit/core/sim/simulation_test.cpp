#include "knuckleboom/core/sim/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "knuckleboom/core/multibody/kinematics.hpp"
#include "support/error_norm.hpp"
#include "support/machines.hpp"
#include "support/variants.hpp"

namespace knuckleboom {
namespace {

using command::Event;
using command::EventKind;
using command::JointMode;
using command::Scenario;
using machine::ClosedValveModel;
using machine::Fidelity;
using machine::MachineModel;
using sim::ActuatorMode;
using sim::SimState;
using sim::Simulation;

void run(const Simulation& simulation, SimState& state, int ticks) {
  for (int k = 0; k < ticks; ++k) simulation.step(state);
}

// --- Start --------------------------------------------------------------------------------------

TEST(Simulation, StartsInEquilibrium) {
  for (const test::Variant& variant : test::kVariants) {
    SCOPED_TRACE(variant.name);
    for (const Scenario& scenario : {test::locked(1.0), test::standstill(1.0)}) {
      const Simulation simulation(test::reference_machine(variant), scenario);
      const SimState start = simulation.initial_state(variant.fidelity);
      SimState state = start;
      for (int k = 0; k < 1000; ++k) {
        simulation.step(state);
        for (int i = 0; i < 3; ++i) {
          ASSERT_NEAR(state.machine.q[i], start.machine.q[i], 1e-9) << k;
          ASSERT_NEAR(state.machine.v[i], 0.0, 1e-9) << k;
        }
      }
      for (const int k : {1, 2})
        for (const int s : {0, 1})
          EXPECT_NEAR(state.machine.actuator[k].p[s], start.machine.actuator[k].p[s], 1.0);
      // The motor's ports drain through its leakage, both alike: P = P_0 exp(-t / (C R_e)).
      for (const int s : {0, 1})
        EXPECT_NEAR(state.machine.actuator[0].p[s], 5e6 * std::exp(-1.0 / 16.0), 2e3);
      EXPECT_EQ(state.machine.health.valve_switches, 0);
      EXPECT_EQ(state.machine.health.non_finite, 0);
    }
  }
}

TEST(Simulation, StartsWithThePressuresAskedFor) {
  const MachineModel model = test::reference_machine();
  const SimState state = Simulation(model, test::stick_sine()).initial_state(Fidelity::kFull);
  const machine::ActuatorState *swing = state.machine.actuator, *boom = swing + 1,
                               *stick = swing + 2;
  EXPECT_EQ(swing->p[0], 5e6);
  EXPECT_EQ(swing->p[1], 5e6);
  EXPECT_EQ(boom->p[1], 3e6);
  EXPECT_EQ(stick->p[0], 1e6);
  // Force times lever is the weight's torque.
  double load[kMaxLinks];
  const double rest[kMaxLinks] = {};
  multibody::inverse_dynamics(model.tree, state.machine.inertia, state.machine.q, rest, rest, load);
  for (const int k : {1, 2}) {
    const hydraulics::Circuit& c = model.actuators[static_cast<std::size_t>(k)].circuit;
    const double force =
        c.A1 * state.machine.actuator[k].p[0] - c.A2 * state.machine.actuator[k].p[1];
    EXPECT_NEAR(force * machine::displacement(model, k, state.machine.q[k]).J, load[k], 1e-7);
  }
  // Flow states stand at their residual values (eq. 14): the pump behind port 1, the tank behind 2.
  EXPECT_NEAR(boom->Q[0], 3e-10 * std::sqrt(20e6 - boom->P_C[0]), 1e-18);
  EXPECT_NEAR(boom->Q[1], -3e-10 * std::sqrt(boom->P_C[1]), 1e-18);
}

TEST(Simulation, WithoutAPressureTheUnloadedSideIsAtTank) {
  Scenario scenario = test::locked(1.0);
  for (command::InitialJoint& joint : scenario.initial)
    joint.port_a_given = joint.port_b_given = false;
  const SimState state =
      Simulation(test::reference_machine(), scenario).initial_state(Fidelity::kReduced);
  EXPECT_EQ(state.machine.actuator[1].p[1], 0.0);  // the boom pushes
  EXPECT_GT(state.machine.actuator[1].p[0], 1e6);
  EXPECT_EQ(state.machine.actuator[0].p[0], 0.0);  // the swing carries nothing
}

TEST(Simulation, RefusesScenariosThatDoNotFit) {
  const MachineModel model = test::reference_machine();
  const auto refused = [&](const std::function<void(Scenario&)>& change, const std::string& word) {
    Scenario scenario = test::stick_sine();
    change(scenario);
    try {
      const Simulation simulation(model, scenario);
      ADD_FAILURE() << "accepted: " << word;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  refused([](Scenario& s) { s.initial[0].joint = "jib"; }, "'jib'");
  refused([](Scenario& s) { s.programs[0].joint = "jib"; }, "'jib'");
  Event event;
  event.target = "jib";
  for (const EventKind kind : {EventKind::kAttach, EventKind::kJointMode, EventKind::kGain}) {
    event.kind = kind;
    refused([&](Scenario& s) { s.events = {event}; }, "'jib'");
  }
}

TEST(Simulation, RefusesStartsThatOilCannotHold) {
  const auto refused = [](bool protection, double port_b_Pa, const char* words) {
    Scenario scenario = test::stick_sine();
    scenario.initial[1].port_b_Pa = port_b_Pa;
    try {
      const Simulation simulation(test::reference_machine(protection), scenario);
      ADD_FAILURE() << "accepted: " << port_b_Pa;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("'boom'"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused(true, 26e6, "beyond its relief setting");
  refused(true, -2e4, "which oil cannot have");
  refused(false, -1.1e5, "which oil cannot have");
  // Without protective valves there is no upper end, and the vacuum may be deeper.
  Scenario scenario = test::stick_sine();
  for (const double port_b_Pa : {26e6, -2e4}) {
    scenario.initial[1].port_b_Pa = port_b_Pa;
    const Simulation simulation(test::reference_machine(false), scenario);
    EXPECT_EQ(simulation.initial_state(Fidelity::kFull).machine.actuator[1].p[1], port_b_Pa);
  }
}

TEST(Simulation, CountsTicks) {
  Scenario scenario = test::locked(0.35);
  scenario.tick_s = 2e-3;
  const Simulation simulation(test::reference_machine(), scenario);
  EXPECT_EQ(simulation.tick_count(), 175);
  EXPECT_EQ(simulation.tick_s(), 2e-3);
  SimState state = simulation.initial_state(Fidelity::kReduced);
  EXPECT_EQ(simulation.time(state), 0.0);
  run(simulation, state, 175);
  EXPECT_EQ(state.tick, 175);
  EXPECT_EQ(state.machine.health.ticks, 175);
  EXPECT_DOUBLE_EQ(simulation.time(state), 0.35);
}

// --- Commands -----------------------------------------------------------------------------------

TEST(Simulation, ControllersSampleAtTheirTicks) {
  // u = sign(J) (Kp e_k + Ki sum of e_j dt, j < k), e_k from the reference and the joint of t_k.
  const Simulation simulation(test::reference_machine(), test::stick_sine());
  SimState state = simulation.initial_state(Fidelity::kFull);
  double sum = 0.0;
  for (int k = 0; k < 1500; ++k) {
    const double t = 1e-3 * k;
    const double reference = -1.3 + 0.35 * std::min(1.0, t / 2.0) * std::sin(0.2 * M_PI * t);
    const double error = reference - state.machine.q[2];
    simulation.step(state);
    ASSERT_NEAR(state.machine.actuator[2].command_V, -(40.0 * error + 10.0 * sum), 1e-11) << k;
    ASSERT_NEAR(state.reference[2], reference, 1e-14);
    ASSERT_EQ(state.reference[0], 0.0);  // held at the start
    sum += 1e-3 * error;
  }
  EXPECT_GT(std::fabs(state.machine.q[2] + 1.3), 0.1);
}

TEST(Simulation, OutputIsHeldBetweenSamples) {
  MachineModel model = test::reference_machine();
  model.controllers[2].period_ticks = 10;
  const Simulation simulation(model, test::stick_sine());
  SimState state = simulation.initial_state(Fidelity::kReduced);
  double held = 0.0;
  int changes = 0;
  for (int k = 0; k < 2000; ++k) {
    simulation.step(state);
    const double command = state.machine.actuator[2].command_V;
    if (k % 10 != 0) {
      ASSERT_EQ(command, held) << k;
    } else if (command != held) {
      ++changes;
    }
    held = command;
  }
  EXPECT_GT(changes, 190);
}

TEST(Simulation, OpenLoopVoltsGoToTheValve) {
  Scenario scenario = test::locked(1.0);
  scenario.programs[1].signal = {{test::pulse(4.0, 0.1, 0.2), test::pulse(-30.0, 0.3, 0.4)}};
  const Simulation simulation(test::reference_machine(), scenario);
  SimState state = simulation.initial_state(Fidelity::kFull);
  const auto command_at = [&](int tick) {
    run(simulation, state, tick - static_cast<int>(state.tick) + 1);
    return state.machine.actuator[1].command_V;
  };
  EXPECT_EQ(command_at(99), 0.0);
  EXPECT_EQ(command_at(100), 4.0);
  EXPECT_EQ(state.machine.actuator[1].open, 1);
  EXPECT_EQ(command_at(199), 4.0);
  EXPECT_EQ(command_at(200), 0.0);
  EXPECT_EQ(state.machine.actuator[1].open, 0);
  EXPECT_EQ(command_at(350), -10.0);  // what the valve takes
  EXPECT_EQ(state.machine.health.valve_switches, 3);
}

TEST(Simulation, SpoolLagsBehindItsCommand) {
  MachineModel model = test::reference_machine();
  model.actuators[1].circuit.valve.spool_time_constant_s = 0.05;
  Scenario scenario = test::locked(1.0);
  scenario.programs[1].signal = {{test::constant(6.0)}};
  const Simulation simulation(model, scenario);
  SimState state = simulation.initial_state(Fidelity::kReduced);
  for (int k = 1; k <= 300; ++k) {
    simulation.step(state);
    ASSERT_NEAR(state.machine.actuator[1].spool_V, 6.0 * (1.0 - std::exp(-1e-3 * k / 0.05)), 1e-12);
  }
  EXPECT_EQ(state.machine.actuator[1].command_V, 6.0);
  EXPECT_EQ(state.machine.actuator[2].spool_V, 0.0);
}

TEST(Simulation, InputsFromElsewhereTakeThePlaceOfTheScenario) {
  const Simulation simulation(test::reference_machine(), test::stick_sine());
  SimState state = simulation.initial_state(Fidelity::kReduced);
  sim::TickInput input{};
  input.actuator[0] = {1.0, ActuatorMode::kVoltage, 0, 0.0};
  input.actuator[1] = {0.5, ActuatorMode::kPosition, 0, 0.0};
  input.actuator[2] = {-1.31, ActuatorMode::kPosition, 0, 0.0};
  simulation.step(state, input);
  EXPECT_EQ(state.machine.actuator[0].command_V, 1.0);
  EXPECT_NEAR(state.machine.actuator[2].command_V, -40.0 * -0.01, 1e-12);
  EXPECT_EQ(state.reference[2], -1.31);
  EXPECT_EQ(state.input.actuator[0].value, 1.0);
}

// --- Events -------------------------------------------------------------------------------------

Event attach_log(double at_s) {
  Event event;
  event.kind = EventKind::kAttach;
  event.at_s = at_s;
  event.name = "log";
  event.target = "head";
  event.mass_kg = 500.0;
  event.com_B = Vec3(0.1, -0.2, -0.8);
  event.about_com = Vec3(20.0, 150.0, 160.0).asDiagonal();
  return event;
}

Event detach_log(double at_s) {
  Event event;
  event.kind = EventKind::kDetach;
  event.at_s = at_s;
  event.name = "log";
  return event;
}

// The swing turns and the boom drops while the log is taken up.
Scenario moving() {
  Scenario scenario = test::locked(3.0);
  scenario.programs[0].signal = {{test::smooth(1.5, 0.0, 1.0)}};
  scenario.programs[1].signal = {{test::constant(-1.5)}};
  return scenario;
}

TEST(Simulation, AttachesAndDetaches) {
  for (const test::Variant& variant : test::kVariants) {
    SCOPED_TRACE(variant.name);
    Scenario scenario = moving();
    scenario.events = {attach_log(1.0), detach_log(2.0)};
    const MachineModel model = test::reference_machine(variant);
    const Simulation simulation(model, scenario);
    SimState state = simulation.initial_state(variant.fidelity);
    const auto* bare = model.tree.link_inertias().data();
    run(simulation, state, 1000);
    EXPECT_GT(std::fabs(state.machine.v[0]), 0.05);
    EXPECT_GT(std::fabs(state.machine.v[1]), 0.01);
    EXPECT_EQ(state.next_event, 0);
    EXPECT_EQ(state.machine.inertia[2].mass, bare[2].mass);

    // Picked up at rest: the machine shares its momentum, M_new v_new = M_old v_old.
    multibody::MassAndBias before, after;
    const double* q = state.machine.q;
    multibody::mass_and_bias(model.tree, state.machine.inertia, q, state.machine.v, before);
    const test::Vector momentum =
        test::to_matrix(before.M, 3) * test::to_vector(state.machine.v, 3);
    simulation.begin_tick(state);
    multibody::mass_and_bias(model.tree, state.machine.inertia, q, state.machine.v, after);
    EXPECT_LT(test::relative_error(
                  test::to_matrix(after.M, 3) * test::to_vector(state.machine.v, 3), momentum),
              1e-12);
    EXPECT_NEAR(state.machine.inertia[2].mass, bare[2].mass + 500.0, 1e-9);
    EXPECT_NEAR(state.machine.inertia[2].mc[0], bare[2].mc[0] + 500.0 * 3.3,
                1e-9);  // along the stick
    EXPECT_EQ(state.payload[0].event, 0);

    // A tick was begun above; go on from a copy that has not.
    state = simulation.initial_state(variant.fidelity);
    run(simulation, state, 2000);
    const SimState carrying = state;
    EXPECT_EQ(state.next_event, 1);
    simulation.begin_tick(state);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(state.machine.v[i], carrying.machine.v[i]);
      EXPECT_NEAR(state.machine.inertia[i].mass, bare[i].mass, 1e-9);
      for (int k = 0; k < 6; ++k) EXPECT_NEAR(state.machine.inertia[i].I[k], bare[i].I[k], 1e-8);
    }
    EXPECT_EQ(state.payload[0].event, -1);
    EXPECT_NE(state.machine.energy.events, 0.0);
    state = simulation.initial_state(variant.fidelity);
    run(simulation, state, 3000);
    const double share = variant.closed == ClosedValveModel::kQuasiStatic ? 5e-3 : 1e-3;
    EXPECT_LT(std::fabs(simulation.energy_residual(state)), share * state.machine.energy.pump);
    EXPECT_EQ(state.machine.health.newton_unconverged, 0);
  }
}

TEST(Simulation, EventsHappenInTheTickThatStartsThen) {
  Scenario scenario = test::locked(1.0);
  Event pump;
  pump.kind = EventKind::kPumpPressure;
  pump.at_s = 0.3;  // 300 ticks of a millisecond add up to a little less
  pump.value = 15e6;
  scenario.events = {pump};
  const Simulation simulation(test::reference_machine(), scenario);
  SimState state = simulation.initial_state(Fidelity::kReduced);
  run(simulation, state, 300);
  EXPECT_EQ(state.machine.pump_Pa, 20e6);
  simulation.step(state);
  EXPECT_EQ(state.machine.pump_Pa, 15e6);
}

TEST(Simulation, PumpPressureReachesTheOpenValve) {
  Scenario scenario = test::locked(3.0);
  scenario.programs[1].signal = {{test::constant(5.0)}};
  Event pump;
  pump.kind = EventKind::kPumpPressure;
  pump.at_s = 1.0;
  pump.value = 14e6;
  const auto speed = [&](bool with_event) {
    Scenario s = scenario;
    if (with_event) s.events = {pump};
    const Simulation simulation(test::reference_machine(), s);
    SimState state = simulation.initial_state(Fidelity::kReduced);
    run(simulation, state, 1500);
    return state.machine.v[1];
  };
  EXPECT_GT(speed(false), 1.3 * speed(true));
  EXPECT_GT(speed(true), 0.0);
}

TEST(Simulation, GainEventsReachOneController) {
  const struct {
    const char* key;
    double control::PidGains::*field;
  } keys[] = {{"kp", &control::PidGains::Kp},
              {"ki", &control::PidGains::Ki},
              {"kd", &control::PidGains::Kd},
              {"feed_forward", &control::PidGains::feed_forward},
              {"overlap_compensation", &control::PidGains::overlap_compensation_V}};
  for (const auto& k : keys) {
    SCOPED_TRACE(k.key);
    Scenario scenario = test::stick_sine();
    Event event;
    event.kind = EventKind::kGain;
    event.at_s = 0.1;
    event.target = "stick";
    event.key = k.key;
    event.value = 0.37;
    scenario.events = {event};
    const Simulation simulation(test::reference_machine(), scenario);
    SimState state = simulation.initial_state(Fidelity::kReduced);
    const control::PidGains before = state.gains[2];
    run(simulation, state, 100);
    EXPECT_EQ(state.gains[2].*k.field, before.*k.field);
    simulation.step(state);
    for (const auto& other : keys)
      EXPECT_EQ(state.gains[2].*other.field, &other == &k ? 0.37 : before.*other.field)
          << other.key;
    EXPECT_EQ(state.gains[1].*k.field, before.*k.field);
    run(simulation, state, 500);
  }
}

Event mode_event(double at_s, JointMode mode, double volts) {
  Event event;
  event.kind = EventKind::kJointMode;
  event.at_s = at_s;
  event.target = "stick";
  event.mode = mode;
  event.value = volts;
  return event;
}

TEST(Simulation, SwitchesBetweenOpenLoopAndTrackingWithoutABump) {
  for (const double compensation : {0.0, 0.5})
    for (const double volts : {-2.5, 0.0, 0.2}) {
      MachineModel model = test::reference_machine();
      model.controllers[2].overlap_compensation_V = compensation;
      Scenario scenario = test::stick_sine();
      scenario.events = {mode_event(2.0, JointMode::kVoltage, volts),
                         mode_event(2.4, JointMode::kTrack, 0.0)};
      const Simulation simulation(model, scenario);
      SimState state = simulation.initial_state(Fidelity::kFull);
      run(simulation, state, 2000);
      EXPECT_NE(state.machine.actuator[2].command_V, volts);
      for (int k = 0; k < 400; ++k) {
        simulation.step(state);
        ASSERT_EQ(state.machine.actuator[2].command_V, volts);
      }
      // Back: the first sample repeats the volts that stood, and it goes on smoothly from there.
      double last = volts;
      const double jump = compensation > 0.0 ? 0.6 : 0.05;
      simulation.step(state);
      ASSERT_NEAR(state.machine.actuator[2].command_V, volts, 1e-9);
      for (int k = 0; k < 200; ++k) {
        simulation.step(state);
        const double command = state.machine.actuator[2].command_V;
        ASSERT_NEAR(command, last, jump) << k;
        last = command;
      }
    }
}

// --- Energy -------------------------------------------------------------------------------------

TEST(Simulation, TheLedgerStartsAtTheStoredEnergy) {
  const Simulation simulation(test::reference_machine(), test::stick_sine());
  for (const Fidelity fidelity : {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper}) {
    const SimState state = simulation.initial_state(fidelity);
    EXPECT_EQ(simulation.energy_residual(state), 0.0);
    EXPECT_GT(state.machine.energy.start, 0.0);
  }
}

}  // namespace
}  // namespace knuckleboom
