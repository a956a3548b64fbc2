// Every shipped exercise can be passed within its limits: the demonstrator does, in both models.
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "support/trainer.hpp"

namespace knuckleboom {
namespace {

// Exercise, model, machine in place of the exercise's own.
using Case = std::tuple<std::string, machine::Fidelity, std::string>;
class Demonstration : public testing::TestWithParam<Case> {};

TEST_P(Demonstration, Passes) {
  training::Exercise exercise = test::shipped_exercise(std::get<0>(GetParam()));
  exercise.fidelity = std::get<1>(GetParam());
  const training::Session session(test::shipped_machine(std::get<2>(GetParam())),
                                  test::shipped_levers(exercise.levers), exercise);
  training::SessionState state = session.initial_state();
  const training::SessionSnapshot snapshot =
      test::demonstrate(session, state, 1800.0, [](const training::SessionSnapshot& s) {
        return s.task.phase == training::TaskPhase::kPassed ||
               s.task.phase == training::TaskPhase::kFailed;
      });
  for (const training::Figure& figure : training::figures())
    RecordProperty(std::string(figure.name), std::to_string(figure.read(snapshot.score)));
  const int broken = training::broken_limit(exercise, snapshot.score);
  EXPECT_EQ(snapshot.task.step, snapshot.task.steps);
  EXPECT_EQ(broken, -1) << exercise.limits[static_cast<std::size_t>(std::max(0, broken))].figure;
  EXPECT_EQ(snapshot.task.phase, training::TaskPhase::kPassed);
  EXPECT_EQ(snapshot.sim.health.non_finite, 0);
  EXPECT_EQ(state.worksite.world.contacts_dropped, 0);
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return std::get<0>(info.param) +
         (std::get<1>(info.param) == machine::Fidelity::kFull ? "_full_" : "_reduced_") +
         std::get<2>(info.param);
}

INSTANTIATE_TEST_SUITE_P(Exercises, Demonstration,
                         testing::Combine(testing::Values("reach", "path", "logs", "head_to_stem"),
                                          testing::Values(machine::Fidelity::kReduced,
                                                          machine::Fidelity::kFull),
                                          testing::Values("harvester_grapple", "harvester_ls")),
                         name_of);
// The places before stems are made for the crane of harvester_grapple.
INSTANTIATE_TEST_SUITE_P(ExercisesOfOtherCranes, Demonstration,
                         testing::Combine(testing::Values("reach", "path", "logs"),
                                          testing::Values(machine::Fidelity::kReduced,
                                                          machine::Fidelity::kFull),
                                          testing::Values("harvester_wheeled", "forwarder")),
                         name_of);

}  // namespace
}  // namespace knuckleboom
