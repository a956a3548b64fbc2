// Every shipped exercise can be passed within its limits: the demonstrator does, in both models and all control modes.
// Here on the exercises' own machine, the other modes and the forwarder in the reduced model; `./dev long` asks for all by
// KNUCKLEBOOM_DEMONSTRATIONS in the environment.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "knuckleboom/io/exercise_file.hpp"
#include "support/paths.hpp"
#include "support/trainer.hpp"

namespace knuckleboom {
namespace {

using command::ControlMode;
using machine::Fidelity;

struct Case {
  std::string exercise, machine;
  Fidelity fidelity;
  ControlMode mode;
  int variant = 0;
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
  list.push_back({"fault_hunt", "harvester_wheeled", Fidelity::kReduced, ControlMode::kBoomTip});
  // On seeded variants, 0 as written: here from the first to the last, the second one in the full model; up to the
  // twentieth in both models in `./dev long`.
  const auto add = [&](const char* exercise, const char* machine, int first, int last) {
    for (int seed = first; seed <= (all ? 20 : last); ++seed)
      for (const Fidelity fidelity : {Fidelity::kReduced, Fidelity::kFull})
        if (all || (fidelity == Fidelity::kFull) == (seed == first + 1))
          list.push_back({exercise, machine, fidelity, ControlMode::kBoomTip, seed});
  };
  // With points; two of the four rounds of red_blue here.
  for (const char* exercise : {"red_blue", "tank", "tower"}) add(exercise, "forwarder", 1, 2);
  // One of the eight piles here.
  add("sorting", "forwarder", 1, 2);
  // The whole of it takes minutes; haul_test.cpp does what it asks for in little.
  if (all) add("racks", "forwarder_8w", 1, 2);
  // Three of the eight targets here.
  add("calm_head", "harvester_wheeled", 1, 2);
  for (const Fidelity fidelity : {Fidelity::kReduced, Fidelity::kFull})
    list.push_back({"approach", "harvester_head", fidelity, ControlMode::kBoomTip});
  // Three of the twelve trees here, as written and on a variant.
  add("felling", "harvester_head", 0, 1);
  // Two of the six trees here, as written, and all of a variant.
  for (const char* exercise : {"feed", "bucking"}) add(exercise, "harvester_head", 0, 1);
  // Two of the four trees or eight logs here: the demonstrator waits for who comes by.
  add("passers_by", "harvester_head", 0, 1);
  add("passers_by_loading", "forwarder", 0, 1);
  // Two of the six trees here, as written; one of the twelve of a clear-cut and of the ten of a thinning.
  add("roadside", "harvester_head", 0, 0);
  for (const char* exercise : {"clear_cut", "thinning"}) add(exercise, "harvester_head", 0, 1);
  return list;
}

class Demonstration : public testing::TestWithParam<Case> {};

TEST_P(Demonstration, Passes) {
  training::Exercise exercise = test::shipped_exercise(GetParam().exercise, GetParam().variant);
  exercise.fidelity = GetParam().fidelity;
  const bool bucks = exercise.task == training::TaskKind::kBuck;
  const bool all = std::getenv("KNUCKLEBOOM_DEMONSTRATIONS") != nullptr;
  if (!all && exercise.name == "calm_head") exercise.targets.resize(3);
  if (!all && exercise.name == "sorting") exercise.log_tasks.resize(6);
  if (!all && exercise.name == "red_blue") exercise.log_tasks.resize(8);
  // All eight on the exercise's own machine by tip control.
  if (!all && exercise.name == "logs" &&
      (GetParam().mode != ControlMode::kBoomTip || GetParam().machine != exercise.machine))
    exercise.log_tasks.resize(4);
  if (!all && exercise.name == "passers_by_loading") exercise.log_tasks.resize(2);
  if (!all && !exercise.fell_tasks.empty() && !(bucks && GetParam().variant == 1))
    exercise.fell_tasks.resize(bucks || !exercise.visitors.empty() ? 2 : 3);
  if (!all && (exercise.name == "clear_cut" || exercise.name == "thinning")) {
    exercise.fell_tasks.resize(1);
    // With one tree they are the measuring wheel's luck.
    std::erase_if(exercise.limits, [](const training::Limit& limit) {
      return limit.figure == "value_share" || limit.figure == "points";
    });
  }
  const training::Session session(test::shipped_machine(GetParam().machine),
                                  test::shipped_levers(exercise.levers), exercise);
  training::SessionState state = session.initial_state();
  const training::SessionSnapshot snapshot = test::demonstrate(
      session, state, 1800.0,
      [](const training::SessionSnapshot& s) { return has_ended(s.task.phase); }, GetParam().mode);
  for (const training::Figure& figure : training::figures())
    RecordProperty(std::string(figure.name), std::to_string(figure.read(snapshot.score)));
  const int broken = training::broken_limit(exercise, snapshot.score);
  EXPECT_EQ(snapshot.task.step, snapshot.task.steps);
  EXPECT_EQ(broken, -1) << exercise.limits[static_cast<std::size_t>(std::max(0, broken))].figure;
  EXPECT_EQ(snapshot.task.phase, training::TaskPhase::kPassed);
  EXPECT_EQ(snapshot.sim.health.non_finite, 0);
  EXPECT_EQ(state.worksite.world.contacts_dropped, 0);
  // Each tick belongs to one element of each track.
  for (const training::ElementTrack& track : state.score.elements.track) {
    const training::ElementTicks ticks = training::element_ticks(track, state.score.elements.end);
    EXPECT_EQ(std::accumulate(ticks.begin(), ticks.end(), std::int64_t{0}),
              state.task.end_tick - state.task.start_tick);
  }
  // Nothing that no real machine does; all of them together are more than an hour.
  for (int i = 0; i < machine::kOddities; ++i)
    EXPECT_EQ(state.sim.machine.watch.finding[i].lasted_s, 0.0) << "oddity " << i;
}

std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name =
      info.param.exercise + "_" + machine::word_of(info.param.fidelity) + "_" + info.param.machine;
  if (info.param.mode == ControlMode::kValve) name += "_valve";
  if (info.param.mode == ControlMode::kJointRate) name += "_joint_rate";
  if (info.param.variant != 0) name += "_" + std::to_string(info.param.variant);
  return name;
}

// Thirty logs take twenty minutes: here the first two, of one seed in the reduced and of another in the full model.
TEST(GridDemonstration, LoadsFromEverywhere) {
  const bool all = std::getenv("KNUCKLEBOOM_DEMONSTRATIONS") != nullptr;
  for (const char* seed : {"1", "2"})
    for (const Fidelity fidelity : {Fidelity::kReduced, Fidelity::kFull}) {
      if (!all && (fidelity == Fidelity::kFull) != (*seed == '2')) continue;
      SCOPED_TRACE(std::string("seed ") + seed + ", " + machine::word_of(fidelity));
      io::Override variant;
      variant.key = "grid.seed";
      variant.value = seed;
      training::Exercise exercise =
          io::read_exercise(KNUCKLEBOOM_SOURCE_DIR "/config/exercises/grid.toml",
                            std::span<const io::Override>(&variant, 1))
              .exercise;
      exercise.fidelity = fidelity;
      if (!all) exercise.log_tasks.resize(2);
      const training::Session session(test::shipped_machine(exercise.machine),
                                      test::shipped_levers(exercise.levers), exercise);
      training::SessionState state = session.initial_state();
      const training::SessionSnapshot end = test::demonstrate(
          session, state, 2400.0,
          [](const training::SessionSnapshot& s) { return has_ended(s.task.phase); });
      EXPECT_EQ(end.task.phase, training::TaskPhase::kPassed);
      EXPECT_GE(end.load.count, end.task.steps);
      // Work elements know the machine's load space: what is let go in it was brought, not sorted.
      const training::ElementState& work = state.score.elements;
      const training::ElementTicks ticks = training::element_ticks(work.track[0], work.end);
      const auto of = [&ticks](training::Element e) { return ticks[static_cast<std::size_t>(e)]; };
      EXPECT_EQ(work.load, end.load.count);
      EXPECT_EQ(work.phase, training::LoadPhase::kLoading);
      EXPECT_GT(of(training::Element::kRelease), 0);
      EXPECT_EQ(of(training::Element::kSort), 0);
      EXPECT_EQ(end.score.faultless, 1.0);
      EXPECT_EQ(of(training::Element::kTidy), 0);
      EXPECT_EQ(state.worksite.world.contacts_dropped, 0);
      std::printf("grid, seed %s, %s: %d logs, %.1f s a cycle, %.0f collisions\n", seed,
                  machine::word_of(fidelity), end.task.step, end.score.cycle_s,
                  static_cast<double>(end.score.collisions));
    }
}

INSTANTIATE_TEST_SUITE_P(Exercises, Demonstration, testing::ValuesIn(cases()), name_of);

}  // namespace
}  // namespace knuckleboom
