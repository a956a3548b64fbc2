// One build gives the same bits: twice, from a copy, and from a recording of its inputs.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/machines.hpp"
#include "support/same_bytes.hpp"
#include "support/variants.hpp"

namespace knuckleboom {
namespace {

using command::Event;
using command::EventKind;
using command::Scenario;
using sim::SimState;
using sim::Simulation;

constexpr int kTicks = 6000;

// Every kind of event while the stick tracks its sine.
Scenario eventful() {
  Scenario scenario = test::stick_sine();
  Event attach;
  attach.kind = EventKind::kAttach;
  attach.at_s = 1.0;
  attach.name = "log";
  attach.target = "head";
  attach.mass_kg = 400.0;
  attach.com_B = Vec3(0.1, 0.2, -0.6);
  Event detach;
  detach.kind = EventKind::kDetach;
  detach.at_s = 4.2;
  detach.name = "log";
  Event open_loop;
  open_loop.kind = EventKind::kJointMode;
  open_loop.at_s = 2.0;
  open_loop.target = "boom";
  open_loop.mode = command::JointMode::kVoltage;
  open_loop.value = 3.0;
  Event back = open_loop;
  back.at_s = 2.6;
  back.mode = command::JointMode::kTrack;
  Event pump;
  pump.kind = EventKind::kPumpPressure;
  pump.at_s = 3.0;
  pump.value = 16e6;
  Event gain;
  gain.kind = EventKind::kGain;
  gain.at_s = 3.5;
  gain.target = "stick";
  gain.key = std::string("kp");
  gain.value = 30.0;
  scenario.events = {attach, open_loop, back, pump, gain, detach};
  return scenario;
}

std::vector<Scenario> scenarios() {
  std::vector<Scenario> out = test::reference_scenarios();
  out.push_back(eventful());
  out.back().name = "eventful";
  return out;
}

template <class Check>
void for_all(Check check) {
  for (const test::Variant& variant : test::kVariants)
    for (const Scenario& scenario : scenarios()) {
      SCOPED_TRACE(scenario.name + ", " + variant.name);
      check(Simulation(test::reference_machine(variant), scenario), variant);
      if (testing::Test::HasFatalFailure()) return;
    }
}

TEST(Determinism, TheSameInputsGiveTheSameBits) {
  for_all([](const Simulation& simulation, const test::Variant& variant) {
    // A second simulation, built anew, its state elsewhere in memory, in step with the first.
    const Simulation other(simulation.model(), simulation.scenario());
    SimState a = simulation.initial_state(variant.fidelity);
    const auto b = std::make_unique<SimState>(other.initial_state(variant.fidelity));
    ASSERT_TRUE(test::same_bytes(a, *b));
    for (int k = 0; k < kTicks; ++k) {
      simulation.step(a);
      other.step(*b);
      ASSERT_TRUE(test::same_bytes(a, *b)) << k;
    }
  });
}

TEST(Determinism, ACopyGoesOnAsTheOriginal) {
  for_all([](const Simulation& simulation, const test::Variant& variant) {
    SimState state = simulation.initial_state(variant.fidelity);
    std::vector<SimState> copies;
    for (int k = 0; k < kTicks; ++k) {
      for (const int at : {0, 1, 999, 1000, 2001, 2600, 3507, 4250})
        if (k == at) copies.push_back(state);
      simulation.step(state);
    }
    for (SimState& copy : copies) {
      const std::int64_t from = copy.tick;
      while (copy.tick < kTicks) simulation.step(copy);
      ASSERT_TRUE(test::same_bytes(copy, state)) << "copied at tick " << from;
    }
  });
}

TEST(Determinism, RecordedInputsReplayTheRun) {
  for_all([](const Simulation& simulation, const test::Variant& variant) {
    SimState state = simulation.initial_state(variant.fidelity);
    std::vector<sim::TickInput> recording;
    for (int k = 0; k < kTicks; ++k) {
      simulation.step(state);
      recording.push_back(state.input);
    }
    SimState replayed = simulation.initial_state(variant.fidelity);
    for (const sim::TickInput& input : recording) simulation.step(replayed, input);
    // Only the first run computed the tip's path.
    std::memcpy(replayed.tip_joints, state.tip_joints, sizeof state.tip_joints);
    ASSERT_TRUE(test::same_bytes(replayed, state));
  });
}

// Looking at a run and leaving it alone are the same to it.
TEST(Determinism, OtherRunsInBetweenChangeNothing) {
  const Simulation one(test::reference_machine(), test::stick_sine());
  const Simulation other(test::reference_machine(false), test::boom_pulse());
  SimState alone = one.initial_state(machine::Fidelity::kFull);
  for (int k = 0; k < kTicks; ++k) one.step(alone);
  SimState mixed = one.initial_state(machine::Fidelity::kFull);
  SimState disturbance = other.initial_state(machine::Fidelity::kReduced);
  for (int k = 0; k < kTicks; ++k) {
    other.step(disturbance);
    one.step(mixed);
    one.energy_residual(mixed);
  }
  EXPECT_TRUE(test::same_bytes(alone, mixed));
}

}  // namespace
}  // namespace knuckleboom
