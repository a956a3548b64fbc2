// Every shipped exercise can be passed within its limits: the demonstrator does, in both models and all control modes.
// Here on the exercises' own machine, the other modes and the forwarder in the reduced model; `./dev long` asks for all by
// KNUCKLEBOOM_DEMONSTRATIONS in the environment.
#include <cstdlib>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/trainer.hpp"

namespace knuckleboom {
namespace {

using command::ControlMode;
using machine::Fidelity;

struct Case {
  std::string exercise, machine;
  Fidelity fidelity;
  ControlMode mode;
};

std::vector<Case> cases() {
  const bool all = std::getenv("KNUCKLEBOOM_DEMONSTRATIONS") != nullptr;
  std::vector<Case> list;
  for (const char* machine : {"harvester_wheeled", "forwarder"})
    for (const char* exercise : {"reach", "path", "logs", "head_to_stem"})
      for (const Fidelity fidelity : {Fidelity::kReduced, Fidelity::kFull})
        for (const ControlMode mode :
             {ControlMode::kBoomTip, ControlMode::kJointRate, ControlMode::kValve}) {
          const bool own = std::string(machine) == "harvester_wheeled";
          const bool full = fidelity == Fidelity::kFull, tip = mode == ControlMode::kBoomTip;
          if (all || (full ? own && tip : own || tip))
            list.push_back({exercise, machine, fidelity, mode});
        }
  return list;
}

class Demonstration : public testing::TestWithParam<Case> {};

TEST_P(Demonstration, Passes) {
  training::Exercise exercise = test::shipped_exercise(GetParam().exercise);
  exercise.fidelity = GetParam().fidelity;
  const training::Session session(test::shipped_machine(GetParam().machine),
                                  test::shipped_levers(exercise.levers), exercise);
  training::SessionState state = session.initial_state();
  const training::SessionSnapshot snapshot = test::demonstrate(
      session, state, 1800.0,
      [](const training::SessionSnapshot& s) {
        return s.task.phase == training::TaskPhase::kPassed ||
               s.task.phase == training::TaskPhase::kFailed;
      },
      GetParam().mode);
  for (const training::Figure& figure : training::figures())
    RecordProperty(std::string(figure.name), std::to_string(figure.read(snapshot.score)));
  const int broken = training::broken_limit(exercise, snapshot.score);
  EXPECT_EQ(snapshot.task.step, snapshot.task.steps);
  EXPECT_EQ(broken, -1) << exercise.limits[static_cast<std::size_t>(std::max(0, broken))].figure;
  EXPECT_EQ(snapshot.task.phase, training::TaskPhase::kPassed);
  EXPECT_EQ(snapshot.sim.health.non_finite, 0);
  EXPECT_EQ(state.worksite.world.contacts_dropped, 0);
  // Nothing that no real machine does; all of them together are more than an hour.
  for (int i = 0; i < machine::kOddities; ++i)
    EXPECT_EQ(state.sim.machine.watch.finding[i].lasted_s, 0.0) << "oddity " << i;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name =
      info.param.exercise + "_" + machine::word_of(info.param.fidelity) + "_" + info.param.machine;
  if (info.param.mode == ControlMode::kValve) name += "_valve";
  if (info.param.mode == ControlMode::kJointRate) name += "_joint_rate";
  return name;
}

INSTANTIATE_TEST_SUITE_P(Exercises, Demonstration, testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace knuckleboom
