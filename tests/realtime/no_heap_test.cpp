// After construction a tick does not use the heap, whatever happens in it.
#include <filesystem>
#include <memory>
#include <vector>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "heap_counter.hpp"
#include "knuckleboom/core/emulation/air_exchange.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"
#include "knuckleboom/io/load_case.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "knuckleboom/io/scenario_file.hpp"
#include "support/machines.hpp"
#include "support/paths.hpp"
#include "support/variants.hpp"

namespace knuckleboom {
namespace {

using command::Event;
using command::EventKind;
using command::Scenario;
using sim::SimState;
using sim::Simulation;

// The counter itself: a test that counts nothing would pass for the wrong reason.
TEST(HeapCounter, SeesEveryWay) {
  std::unique_ptr<int> number;
  std::vector<double> numbers;
  void* volatile block = nullptr;  // or the compiler does without
  long by_new = 0, by_malloc = 0, by_vector = 0, nothing = 0;
  {
    const test::HeapCounter heap;
    nothing = heap.calls();
    number = std::make_unique<int>(3);
    by_new = heap.calls();
    block = std::malloc(64);
    by_malloc = heap.calls();
    numbers.resize(100);
    by_vector = heap.calls();
  }
  std::free(block);
  EXPECT_EQ(nothing, 0);
  EXPECT_EQ(by_new, 1);
  EXPECT_EQ(by_malloc, 2);
  EXPECT_EQ(by_vector, 3);
#ifndef EIGEN_RUNTIME_NO_MALLOC
  Eigen::VectorXd x;
  const test::HeapCounter heap;
  x = Eigen::VectorXd::Ones(50);
  EXPECT_GE(heap.calls(), 1);
#endif
}

Scenario with_events() {
  Scenario scenario = test::stick_sine();
  for (int i = 0; i < 2 * sim::kMaxPayloads; ++i) {
    Event attach;
    attach.kind = i % 2 == 0 ? EventKind::kAttach : EventKind::kDetach;
    attach.at_s = 0.1 * i;
    attach.name = "a payload with a name too long for a short string";
    attach.target = "head";
    attach.mass_kg = 100.0;
    scenario.events.push_back(attach);
  }
  Event event;
  event.at_s = 2.0;
  event.target = "boom";
  event.kind = EventKind::kJointMode;
  event.mode = command::JointMode::kVoltage;
  event.value = -3.0;
  scenario.events.push_back(event);
  event.at_s = 2.2;
  event.mode = command::JointMode::kTrack;
  scenario.events.push_back(event);
  event.kind = EventKind::kGain;
  event.key = "kp";
  event.value = 35.0;
  scenario.events.push_back(event);
  event.kind = EventKind::kPumpPressure;
  event.value = 18e6;
  scenario.events.push_back(event);
  return scenario;
}

// A wild ride: protection, cavitation and end stops.
Scenario violent() {
  Scenario scenario = test::locked(4.0);
  for (command::JointProgram& program : scenario.programs)
    program.signal = {{test::pulse(10.0, 0.0, 1.5), test::pulse(-10.0, 2.0, 3.5)}};
  return scenario;
}

Scenario by_table() {
  Scenario scenario = test::stick_sine();
  command::Term term;
  term.kind = command::TermKind::kTable;
  term.value = 1.0;
  term.table = {{0.0, 1.0, 2.0, 3.0}, {-1.3, -1.2, -1.4, -1.3}};
  scenario.programs[0].signal = {{term}};
  return scenario;
}

TEST(NoHeap, InAnyTick) {
  std::vector<Scenario> scenarios = test::reference_scenarios();
  scenarios.push_back(with_events());
  scenarios.push_back(violent());
  scenarios.push_back(by_table());
  for (const test::Variant& variant : test::kVariants)
    for (const Scenario& scenario : scenarios) {
      SCOPED_TRACE(scenario.name + ", " + variant.name);
      machine::MachineModel model = test::reference_machine(variant);
      // A lagging spool and an edge with a curve go their own ways.
      model.actuators[1].circuit.valve.spool_time_constant_s = 0.03;
      model.actuators[2].circuit.valve.edge[0].table = {{0.0, 0.5, 1.0}, {0.0, 0.4, 1.0}};
      const Simulation simulation(model, scenario);
      SimState state = simulation.initial_state(variant.fidelity);
      long calls = 0;
      {
        const test::HeapCounter heap;
        for (int k = 0; k < 4000; ++k) simulation.step(state);
        calls = heap.calls();
      }
      EXPECT_EQ(calls, 0);
      EXPECT_EQ(state.next_event, static_cast<int>(scenario.events.size()));
    }
}

// A pump with all that belongs to it.
TEST(NoHeap, InATickOfAPump) {
  for (const machine::Fidelity fidelity :
       {machine::Fidelity::kFull, machine::Fidelity::kReduced, machine::Fidelity::kPaper})
    for (const Scenario& scenario : {with_events(), violent()}) {
      machine::MachineModel model = test::pump_machine();
      model.supply.pump.accumulators = {{5e6, 1e-3, 1.3}};
      model.supply.pump.pistons = 9;
      model.supply.pump.ripple = 0.02;
      const Simulation simulation(model, scenario);
      SimState state = simulation.initial_state(fidelity);
      long calls = 0;
      {
        const test::HeapCounter heap;
        for (int k = 0; k < 4000; ++k) simulation.step(state);
        calls = heap.calls();
      }
      EXPECT_EQ(calls, 0);
      EXPECT_EQ(state.machine.health.non_finite, 0);
    }
}

// Balls with springs and dampers, while their turns are exchanged.
TEST(NoHeap, WithSphericalAndFreeJoints) {
  const machine::MachineModel model =
      io::read_machine_text(
          "name = \"m\"\nsource = \"test\"\ngravity_m_per_s2 = 9.81\n"
          "tip = { body = \"a\", position_m = [0, 0, 0] }\n"
          "[[body]]\nname = \"a\"\nposition_m = [0, 0, 0]\nmass_kg = 2\ncom_m = [0.1, 0, 0]\n"
          "inertia_kg_m2 = [0.2, 0.3, 0.4]\n"
          "joint = { name = \"ball\", type = \"free\", turn_spring_N_m_per_rad = [1, 2, 3], "
          "turn_damping_N_m_s_per_rad = [0.1, 0.1, 0.1], z = { spring_N_per_m = 100 }, "
          "x = { spring_N_per_m = 100 }, y = { spring_N_per_m = 100 } }\n",
          "m.toml", {})
          .model;
  Scenario scenario;
  scenario.duration_s = 10.0;
  const Simulation simulation(model, scenario);
  for (const machine::Fidelity fidelity :
       {machine::Fidelity::kFull, machine::Fidelity::kReduced, machine::Fidelity::kPaper}) {
    SimState state = simulation.initial_state(fidelity);
    state.machine.v[5] = 9.0;
    long calls = 0;
    int changes = 0;
    {
      const test::HeapCounter heap;
      for (int k = 0; k < 1000; ++k) {
        const double held = state.machine.q[3];
        simulation.step(state);
        changes += state.machine.q[3] != held ? 1 : 0;
      }
      calls = heap.calls();
    }
    EXPECT_EQ(calls, 0);
    EXPECT_GT(changes, 0);
  }
}

// Every kind of friction, at actuators and at a joint, sticking and moving.
TEST(NoHeap, WithFriction) {
  using friction::Kind;
  for (const test::Variant& variant : test::kVariants)
    for (const Kind kind : {Kind::kCoulomb, Kind::kContinuous, Kind::kStribeck, Kind::kLuGre}) {
      machine::MachineModel model = test::reference_machine(variant);
      const friction::FrictionModel dry{kind, 3e3, 5e3, 0.01, 1e-3, 3.0, 1e8, 1e5};
      for (machine::Actuator& actuator : model.actuators) actuator.friction = dry;
      model.joint_friction.assign(static_cast<std::size_t>(model.joint_count()), dry);
      command::Scenario scenario = test::boom_pulse();
      scenario.programs.push_back(
          {"swing", command::JointMode::kTorque, {{test::constant(100.0)}}});
      const Simulation simulation(model, scenario);
      SimState state = simulation.initial_state(variant.fidelity);
      long calls = 0;
      {
        const test::HeapCounter heap;
        for (int k = 0; k < 6000; ++k) simulation.step(state);
        calls = heap.calls();
      }
      EXPECT_EQ(calls, 0);
      EXPECT_EQ(state.machine.health.non_finite, 0);
    }
}

TEST(NoHeap, InTheStartASnapshotOrAnInput) {
  const Simulation simulation(test::reference_machine(), test::tip_circle());
  SimState state;
  sim::Snapshot snapshot;
  double residual = 0.0;
  long calls = 0;
  {
    const test::HeapCounter heap;
    state = simulation.initial_state(machine::Fidelity::kFull);
    for (int k = 0; k < 500; ++k) {
      const sim::TickInput input = simulation.scenario_input(state);
      simulation.step(state, input);
      snapshot = sim::take_snapshot(simulation, state);
      residual = simulation.energy_residual(state);
    }
    calls = heap.calls();
  }
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(snapshot.tick, 500);
  EXPECT_LT(residual, 1e3);
}

// Actions of the trainer between and in ticks.
TEST(NoHeap, UnderForcesPayloadsAndChangesOfTheModel) {
  for (const test::Variant& variant : test::kVariants) {
    const Simulation simulation(test::reference_machine(variant), test::boom_pulse());
    SimState state = simulation.initial_state(variant.fidelity);
    multibody::LinkInertia log;
    log.mass = 300.0;
    log.mc[0] = 900.0;
    for (double& I : log.I) I = 0.0;
    log.I[1] = log.I[2] = 2800.0;
    const double force[kMaxLinks] = {500.0, -2000.0, 300.0};
    const machine::Fidelity models[] = {machine::Fidelity::kFull, machine::Fidelity::kReduced,
                                        machine::Fidelity::kPaper};
    long calls = 0;
    {
      const test::HeapCounter heap;
      int slot = -1;
      for (int k = 0; k < 3000; ++k) {
        if (k % 200 == 0) slot = simulation.attach(state, 2, log, Vec3::Zero(), Vec3::Zero());
        if (k % 200 == 100) simulation.detach(state, slot);
        if (k % 70 == 0) simulation.set_fidelity(state, models[k / 70 % 3]);
        simulation.step(state, simulation.scenario_input(state), force);
      }
      calls = heap.calls();
    }
    EXPECT_EQ(calls, 0);
    EXPECT_EQ(state.machine.health.non_finite, 0);
  }
}

// Loops, joint drives, and bodies that join.
TEST(NoHeap, WithLoopsAndAssembly) {
  const std::filesystem::path root = std::filesystem::path(KNUCKLEBOOM_SOURCE_DIR) / "config";
  const char* const cases[3][2] = {{"four_bar", "four_bar_torque"},
                                   {"crank_slider", "crank_slider_torque"},
                                   {"puma", "puma_assembly"}};
  for (const auto& names : cases)
    for (const machine::Fidelity fidelity :
         {machine::Fidelity::kFull, machine::Fidelity::kReduced, machine::Fidelity::kPaper}) {
      SCOPED_TRACE(names[0]);
      const Simulation simulation(
          io::read_machine(root / "machines" / names[0] / "machine.toml").model,
          io::read_scenario(root / "scenarios" / (std::string(names[1]) + ".toml")).scenario);
      SimState state;
      sim::Snapshot snapshot;
      long calls = 0;
      {
        const test::HeapCounter heap;
        state = simulation.initial_state(fidelity);
        for (int k = 0; k < 7000; ++k) simulation.step(state);
        snapshot = sim::take_snapshot(simulation, state);
        calls = heap.calls();
      }
      EXPECT_EQ(calls, 0);
      EXPECT_EQ(snapshot.health.non_finite, 0);
      EXPECT_EQ(state.machine.absent, 0);
    }
}

// A leg on air: tip path, inverse kinematics, PID, valves and chambers, in one program and with exchange.
TEST(NoHeap, OnAir) {
  for (const char* name : {"leg_square", "leg_sine", "leg_lever"}) {
    const io::LoadedCase loaded = io::load_case(
        std::string(KNUCKLEBOOM_SOURCE_DIR) + "/config/scenarios/" + name + ".toml", "", {});
    const Simulation simulation(loaded.machine.model, loaded.scenario.scenario);
    const emulation::AirExchange exchange(simulation, 2);
    emulation::AirExchange::State state;
    sim::Snapshot snapshot;
    for (const bool one_program : {true, false}) {
      long calls = 0;
      {
        const test::HeapCounter heap;
        state = exchange.start();
        for (int k = 0; k < 2000; ++k) {
          one_program ? simulation.step(state.sim) : exchange.step(state);
          snapshot = sim::take_snapshot(simulation, state.sim);
        }
        calls = heap.calls();
      }
      EXPECT_EQ(calls, 0);
      EXPECT_EQ(snapshot.health.non_finite, 0);
    }
  }
}

// A head that hangs and runs into its joints' stops.
TEST(NoHeap, WithAHangingHead) {
  const std::filesystem::path file = std::filesystem::path(KNUCKLEBOOM_SOURCE_DIR) /
                                     "config/machines/harvester_grapple/machine.toml";
  for (const test::Variant& variant : test::kVariants) {
    machine::MachineModel model = io::read_machine(file).model;
    model.closed_valve = variant.closed;
    const Simulation simulation(model, test::tip_circle());
    SimState state;
    sim::Snapshot snapshot;
    double force[kMaxLinks] = {};
    long calls = 0;
    {
      const test::HeapCounter heap;
      state = simulation.initial_state(variant.fidelity);
      for (int k = 0; k < 4000; ++k) {
        force[3] = force[4] = k < 2000 ? 3000.0 : -3000.0;
        simulation.step(state, simulation.scenario_input(state), force);
        snapshot = sim::take_snapshot(simulation, state);
      }
      calls = heap.calls();
    }
    EXPECT_EQ(calls, 0);
    EXPECT_NE(state.machine.energy.stops, 0.0);
    EXPECT_EQ(snapshot.joint_count, 6);
  }
}

}  // namespace
}  // namespace knuckleboom
