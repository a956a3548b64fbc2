// The tick of each instruction set that this processor has: the same bits.
#include "knuckleboom/core/sim/instructions.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/io/load_case.hpp"
#include "support/machines.hpp"
#include "support/paths.hpp"
#include "support/same_bytes.hpp"
#include "support/trainer.hpp"

namespace knuckleboom::instructions_test {
namespace {

using machine::Fidelity;
using sim::Instructions;
using sim::SimState;
using sim::Simulation;

constexpr Fidelity kModels[] = {Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper};

std::vector<Instructions> others() {
  std::vector<Instructions> out;
  for (const Instructions i : sim::kAllInstructions)
    if (i != Instructions::kBaseline && sim::available(i)) out.push_back(i);
  return out;
}

void expect_same_bits(const machine::MachineModel& model, const command::Scenario& scenario,
                      int ticks) {
  for (const Instructions instructions : others())
    for (const Fidelity fidelity : kModels) {
      SCOPED_TRACE(scenario.name + " on " + model.name + ", " + machine::word_of(fidelity) + ", " +
                   sim::word_of(instructions));
      const Simulation baseline(model, scenario, Instructions::kBaseline);
      const Simulation other(model, scenario, instructions);
      SimState expected = baseline.initial_state(fidelity);
      SimState state = expected;
      for (int k = 0; k < ticks; ++k) {
        baseline.step(expected);
        other.step(state);
        ASSERT_TRUE(test::same_bytes(expected, state)) << "tick " << k;
      }
      EXPECT_GT(state.machine.health.newton_iterations, 0);
    }
}

#define SKIP_WITHOUT_OTHERS() \
  if (others().empty()) GTEST_SKIP() << "this build or this processor has the baseline alone"

TEST(Instructions, TheFastestIsAvailable) {
  EXPECT_TRUE(sim::available(Instructions::kBaseline));
  EXPECT_TRUE(sim::available(sim::fastest_instructions()));
}

TEST(Instructions, WhatIsNotAvailableIsRefused) {
  for (const Instructions i : sim::kAllInstructions) {
    if (sim::available(i))
      EXPECT_NO_THROW(Simulation(test::reference_machine(), test::stick_sine(), i));
    else
      EXPECT_THROW(Simulation(test::reference_machine(), test::stick_sine(), i),
                   std::invalid_argument);
  }
}

TEST(Instructions, ShippedScenariosGiveTheSameBits) {
  SKIP_WITHOUT_OTHERS();
  const auto folder = std::filesystem::path(KNUCKLEBOOM_SOURCE_DIR) / "config/scenarios";
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    const io::LoadedCase loaded = io::load_case(file.path().string(), {}, {});
    expect_same_bits(loaded.machine.model, loaded.scenario.scenario, 3000);
  }
}

// Load sensing, hanging heads, cylinders between pins; every valve moves, beyond its protection too.
TEST(Instructions, EveryMachineWithAllValvesMovingGivesTheSameBits) {
  SKIP_WITHOUT_OTHERS();
  for (const char* name : {"harvester_ls", "harvester_grapple", "harvester_gentle"}) {
    const machine::MachineModel model = test::shipped_machine(name);
    command::Scenario scenario;
    scenario.name = "all_valves";
    scenario.duration_s = 4.0;
    for (int i = 0; i < model.joint_count(); ++i)
      if (!model.passive(i))
        scenario.programs.push_back(
            {model.joint_name(i), command::JointMode::kVoltage, {{test::sine(8.0, 0.9, 0.1)}}});
    expect_same_bits(model, scenario, 4000);
  }
}

TEST(Instructions, ATrainersSessionGivesTheSameBits) {
  SKIP_WITHOUT_OTHERS();
  for (const Instructions instructions : others()) {
    training::SessionState end[2];
    int at = 0;
    for (const Instructions i : {Instructions::kBaseline, instructions}) {
      const training::Exercise exercise = test::shipped_exercise("logs");
      const training::Session session(test::shipped_machine(exercise.machine),
                                      test::shipped_levers(exercise.levers), exercise, i);
      training::SessionState& state = end[at++];
      state = session.initial_state();
      test::demonstrate(session, state, 20.0, [](const auto& /*snapshot*/) { return false; });
    }
    EXPECT_TRUE(test::same_bytes(end[0], end[1])) << sim::word_of(instructions);
  }
}

}  // namespace
}  // namespace knuckleboom::instructions_test
