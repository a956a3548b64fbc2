// Machines in lanes against the same machines alone: the whole state, bit for bit.
#include "knuckleboom/core/batch/batch.hpp"

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/core/sim/parts.hpp"
#include "support/machines.hpp"

namespace knuckleboom {
namespace {

using batch::Batch;
using machine::Fidelity;
using sim::Simulation;

constexpr const char* kBatchJoints[3] = {"swing", "boom", "stick"};

// Other levers for each machine: all three valves open and close, at their own times.
command::Scenario batch_levers(int i, double amplitude_V) {
  command::Scenario scenario = test::stick_sine();
  scenario.programs.clear();
  for (int k = 0; k < 3; ++k) {
    command::JointProgram program;
    program.joint = kBatchJoints[k];
    program.mode = command::JointMode::kVoltage;
    program.signal = {{test::sine(amplitude_V * (1.0 + 0.1 * i), 0.4 + 0.05 * i + 0.1 * k, 0.1),
                       test::pulse(2.0, 0.3 + 0.05 * i, 0.9)}};
    scenario.programs.push_back(program);
  }
  return scenario;
}

// Nine machines, so that one is left over: other masses, masses taken up on the way, other gains.
struct BatchFleet {
  std::vector<std::unique_ptr<Simulation>> simulations;
  Batch lanes, alone{1};

  BatchFleet(int width, Fidelity fidelity, const std::vector<command::Scenario>& scenarios)
      : lanes(width) {
    for (std::size_t i = 0; i < scenarios.size(); ++i) {
      machine::MachineModel model = test::reference_machine();
      model.controllers[1].Kp *= 1.0 + 0.1 * static_cast<double>(i);
      model.controllers[2].Kd = i % 2 == 0 ? 0.0 : 0.5;
      model.supply.pump_Pa *= 1.0 - 0.02 * static_cast<double>(i);
      simulations.push_back(std::make_unique<Simulation>(model, scenarios[i]));
      const sim::SimState state = simulations.back()->initial_state(fidelity);
      lanes.add(*simulations.back(), state);
      alone.add(*simulations.back(), state);
    }
  }
  void step(int ticks) {
    lanes.step(ticks);
    alone.step(ticks);
  }
  // Machines that are not where they are alone.
  std::string apart() {
    std::string out;
    for (int i = 0; i < lanes.count(); ++i)
      if (std::memcmp(&lanes.state(i), &alone.state(i), sizeof(sim::SimState)) != 0)
        out += std::to_string(i) + ' ';
    return out;
  }
};

std::vector<int> batch_widths() {
  std::vector<int> out;
  for (const int width : {2, 4, 8})
    if (width <= batch::widest()) out.push_back(width);
  return out;
}

TEST(Batch, LanesHaveTheBitsOfOneMachineAlone) {
  for (const int width : batch_widths())
    for (const Fidelity fidelity : {Fidelity::kReduced, Fidelity::kFull}) {
      std::vector<command::Scenario> scenarios;
      for (int i = 0; i < 9; ++i) scenarios.push_back(batch_levers(i, i < 5 ? 2.0 : 6.0));
      scenarios[3] = test::stick_sine();  // controllers beside levers
      scenarios[4] = test::boom_pulse();
      BatchFleet fleet(width, fidelity, scenarios);
      for (int piece = 0; piece < 6; ++piece) {
        fleet.step(357);
        ASSERT_EQ(fleet.apart(), "") << width << " lanes, " << machine::word_of(fidelity);
        EXPECT_GE(fleet.lanes.in_lanes(), 6);
      }
      const machine::Health& health = fleet.alone.state(8).machine.health;
      EXPECT_GT(health.valve_switches, 10);
      EXPECT_GT(health.cavitation_ticks, 0);  // protective valves are in lanes too
    }
}

TEST(Batch, EventsAndFaultsComeAtTheirTicks) {
  std::vector<command::Scenario> scenarios;
  for (int i = 0; i < 8; ++i) {
    command::Scenario scenario = batch_levers(i, 3.0);
    command::Event event;
    event.at_s = 0.21 + 0.013 * i;
    event.kind = command::EventKind::kPumpPressure;
    event.value = 18e6;
    scenario.events.push_back(event);
    command::Fault fault;
    fault.name = "leak";
    fault.kind = command::FaultKind::kHoseLeak;
    fault.function = "boom";
    fault.size = 1e-11;
    fault.at_s = 0.35 + 0.01 * i;
    fault.until_s = 0.5;
    scenario.faults.push_back(fault);
    scenarios.push_back(scenario);
  }
  BatchFleet fleet(batch::widest(), Fidelity::kReduced, scenarios);
  fleet.step(200);
  EXPECT_EQ(fleet.lanes.in_lanes(), 8);
  fleet.step(250);
  EXPECT_EQ(fleet.apart(), "");
  EXPECT_LT(fleet.lanes.in_lanes(), 8);  // those that have begun to leak are of another structure
  EXPECT_NE(fleet.alone.state(0).machine.energy.leakage, 0.0);
  fleet.step(800);
  EXPECT_EQ(fleet.apart(), "");
  EXPECT_EQ(fleet.lanes.in_lanes(), 8);
}

// Faults that stand still are in lanes, each machine with its own, beside sound ones and with levers that move.
TEST(Batch, FaultsThatStandStillAreInLanes) {
  using command::FaultKind;
  const FaultKind kinds[] = {FaultKind::kSpoolOffset,  FaultKind::kSensorBias,
                             FaultKind::kLowRelief,    FaultKind::kControllerOff,
                             FaultKind::kAirInOil,     FaultKind::kLeverDelay,
                             FaultKind::kCylinderLeak, FaultKind::kHoseLeak};
  const double sizes[] = {0.08, 0.05, 8e6, 0.0, 0.3, 0.2, 5e-12, 1e-11};
  for (const Fidelity fidelity : {Fidelity::kReduced, Fidelity::kFull}) {
    std::vector<command::Scenario> scenarios;
    for (int i = 0; i < 17; ++i) {
      command::Scenario scenario = i % 3 == 0 ? test::stick_sine() : batch_levers(i % 5, 5.0);
      command::Fault fault;
      fault.name = "own";
      fault.kind = kinds[i % 8];
      fault.function = i % 2 == 0 ? "stick" : "boom";
      fault.size = sizes[i % 8];
      fault.ramp_s = i % 4 == 1 ? 0.02 : 0.0;
      fault.at_s = 0.1;
      fault.until_s = 0.9;
      if (i != 16) scenario.faults.push_back(fault);
      scenarios.push_back(scenario);
    }
    BatchFleet fleet(batch::widest(), fidelity, scenarios);
    fleet.step(130);
    EXPECT_EQ(fleet.apart(), "");
    for (int piece = 0; piece < 5; ++piece) {
      for (Batch* batch : {&fleet.lanes, &fleet.alone})
        batch->hold(3, 1, {0.3 * piece, sim::ActuatorMode::kVoltage, 0, 0.0});
      fleet.step(150);
      ASSERT_EQ(fleet.apart(), "") << machine::word_of(fidelity) << ", " << piece;
      EXPECT_GE(fleet.lanes.in_lanes(), 14);
    }
    EXPECT_NE(fleet.alone.state(16).machine.q[2], fleet.alone.state(4).machine.q[2]);
    fleet.step(200);
    EXPECT_EQ(fleet.apart(), "");
  }
}

// Those that change from tick to tick are done alone, and are where they would be alone too.
TEST(Batch, FaultsThatChangeAreBesideTheLanes) {
  using command::FaultKind;
  const FaultKind kinds[] = {FaultKind::kStickingSpool, FaultKind::kWornPump,
                             FaultKind::kSensorNoise, FaultKind::kSensorDropout};
  std::vector<command::Scenario> scenarios;
  for (int i = 0; i < 8; ++i) {
    command::Scenario scenario = i % 2 == 0 ? test::stick_sine() : batch_levers(i, 4.0);
    command::Fault fault;
    fault.name = "own";
    fault.kind = kinds[i % 4];
    fault.function = fault.kind == FaultKind::kWornPump ? "" : "stick";
    fault.size = 0.2;
    fault.flow_size = 1e9;
    fault.at_s = 0.05;
    if (i < 4) scenario.faults.push_back(fault);
    scenarios.push_back(scenario);
  }
  BatchFleet fleet(batch::widest(), Fidelity::kReduced, scenarios);
  fleet.step(600);
  EXPECT_EQ(fleet.apart(), "");
  EXPECT_EQ(fleet.lanes.in_lanes(), 4);
}

// Tip paths, among levers; a drive is held on the way, and a tick that lanes leave to the single machine turns back.
TEST(Batch, TipPathsAreInLanes) {
  for (const Fidelity fidelity : {Fidelity::kReduced, Fidelity::kFull}) {
    std::vector<command::Scenario> scenarios;
    for (int i = 0; i < 8; ++i) {
      command::Scenario scenario = i == 5 ? batch_levers(i, 4.0) : test::tip_circle();
      scenario.tip_start_s = 0.02 * i;
      command::Event event;
      event.at_s = 0.3 + 0.017 * i;
      event.kind = command::EventKind::kPumpPressure;
      event.value = 17e6;
      scenario.events.push_back(event);
      scenarios.push_back(scenario);
    }
    BatchFleet fleet(batch::widest(), fidelity, scenarios);
    for (int piece = 0; piece < 6; ++piece) {
      fleet.step(173);
      ASSERT_EQ(fleet.apart(), "") << machine::word_of(fidelity) << ", " << piece;
      EXPECT_GE(fleet.lanes.in_lanes(), 7);  // one may just have its event
      if (piece == 2)
        for (Batch* batch : {&fleet.lanes, &fleet.alone})
          batch->hold(2, 1, {1.5, sim::ActuatorMode::kVoltage, 0, 0.0});
      if (piece == 4)
        for (Batch* batch : {&fleet.lanes, &fleet.alone}) batch->release(2, 1);
    }
    EXPECT_NE(fleet.alone.state(0).reference[1], fleet.alone.state(3).reference[1]);
  }
}

TEST(Batch, InputsAreHeldAndReleased) {
  BatchFleet fleet(batch::widest(), Fidelity::kReduced,
                   std::vector<command::Scenario>(8, test::stick_sine()));
  const auto hold = [&](int i, int k, double value, sim::ActuatorMode mode) {
    for (Batch* batch : {&fleet.lanes, &fleet.alone}) batch->hold(i, k, {value, mode, 0, 0.0});
  };
  fleet.step(20);
  for (int turn = 0; turn < 20; ++turn) {
    for (int i = 0; i < 8; ++i)
      for (int k = 0; k < 3; ++k)
        hold(i, k, 4.0 * ((turn * 7 + i * 3 + k) % 5 - 2) / 2.0, sim::ActuatorMode::kVoltage);
    fleet.step(20);
    ASSERT_EQ(fleet.apart(), "") << "turn " << turn;
  }
  EXPECT_EQ(fleet.lanes.in_lanes(), 8);
  // Back to a reference of one's own, bumplessly, and to the scenario's.
  hold(2, 1, 0.52, sim::ActuatorMode::kPosition);
  for (Batch* batch : {&fleet.lanes, &fleet.alone}) batch->release(5, 2);
  fleet.step(150);
  EXPECT_EQ(fleet.apart(), "");
  EXPECT_EQ(fleet.lanes.in_lanes(), 8);
}

// A look at some numbers has those of the whole state, and leaves the rest to come up to date later.
TEST(Batch, ALookHasTheNumbersOfItsParts) {
  std::vector<command::Scenario> scenarios;
  for (int i = 0; i < 8; ++i) scenarios.push_back(batch_levers(i, 4.0));
  BatchFleet fleet(batch::widest(), Fidelity::kFull, scenarios);
  for (int piece = 0; piece < 8; ++piece) {
    fleet.step(101);
    const unsigned parts = 1U << piece % 6;
    const Simulation& simulation = *fleet.simulations.front();
    sim::Snapshot seen{}, expected{};
    sim::take_snapshot(simulation, fleet.lanes.look(3, parts), parts, seen);
    sim::take_snapshot(simulation, fleet.alone.state(3), parts, expected);
    EXPECT_EQ(std::memcmp(&seen, &expected, sizeof seen), 0) << parts;
  }
  EXPECT_EQ(fleet.apart(), "");
}

TEST(Batch, OtherMachinesGoBesideTheLanes) {
  Simulation paper(test::reference_machine(), test::stick_sine());
  Simulation pump(test::pump_machine(), test::stick_sine());
  Batch lanes, alone(1);
  for (Batch* batch : {&lanes, &alone}) {
    batch->add(paper, paper.initial_state(Fidelity::kPaper));
    batch->add(pump, pump.initial_state(Fidelity::kReduced));
    batch->add(paper, paper.initial_state(Fidelity::kFull));
    batch->add(paper, paper.initial_state(Fidelity::kFull));
    batch->step(300);
  }
  EXPECT_EQ(lanes.in_lanes(), 2);
  paper.set_fidelity(lanes.change(0), Fidelity::kFull);
  paper.set_fidelity(alone.change(0), Fidelity::kFull);
  lanes.step(100);
  alone.step(100);
  EXPECT_EQ(lanes.in_lanes(), 3);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(std::memcmp(&lanes.state(i), &alone.state(i), sizeof(sim::SimState)), 0) << i;
}

TEST(Batch, WidthsAreThoseOfTheProcessor) {
  EXPECT_THROW(Batch(3), std::invalid_argument);
  EXPECT_GE(batch::widest(), 2);
  EXPECT_EQ(Batch().lanes(), batch::widest());
}

}  // namespace
}  // namespace knuckleboom
