// A stored state is accepted if, and only if, it is a possible state of its session.
#include "knuckleboom/core/training/check_state.hpp"

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/core/sim/check_state.hpp"
#include "support/forged_state.hpp"
#include "support/machines.hpp"
#include "support/trainer.hpp"
#include "support/variants.hpp"

namespace knuckleboom::training {
namespace {

using testing::HasSubstr;

// With a log in the grapple.
SessionState carrying(const Session& session) {
  SessionState state = session.initial_state();
  test::demonstrate(session, state, 60.0, [](const SessionSnapshot& s) { return s.held_log >= 0; });
  EXPECT_GE(state.worksite.grapple.held, 0);
  return state;
}

TEST(CheckState, acceptsEveryStateOfTheShippedExercises) {
  for (const char* name : {"reach", "path", "logs", "head_to_stem", "free_play", "fault_hunt"}) {
    const auto session = test::shipped_session(name);
    SessionState state = session->initial_state();
    int ticks = 0;
    test::demonstrate(*session, state, 40.0, [&](const SessionSnapshot&) {
      if (++ticks % 2000 == 0 && ticks < 20000)
        session->apply({CommandKind::kFault, ticks / 2000 % 3}, state);
      if (ticks % 300 == 0) {
        EXPECT_EQ(check_state(*session, state), "") << name << " at tick " << state.tick;
      }
      return testing::Test::HasFailure();
    });
    session->apply({CommandKind::kRestart, 0}, state);
    EXPECT_EQ(check_state(*session, state), "") << name;
  }
}

TEST(CheckState, acceptsEveryStateOfTheReferenceScenarios) {
  for (const command::Scenario& scenario : test::reference_scenarios())
    for (const test::Variant& variant : test::kVariants) {
      const sim::Simulation simulation(test::reference_machine(variant), scenario);
      sim::SimState state = simulation.initial_state(variant.fidelity);
      for (int tick = 0; tick < 6000; ++tick) {
        simulation.step(state);
        if (tick % 500 == 0) {
          ASSERT_EQ(sim::check_state(simulation, state), "") << scenario.name << variant.name;
        }
      }
    }
}

// A session whose states are all zero, and an index out of the exercise's range, once ended the program.
TEST(CheckState, refusesWhatCrashed) {
  const auto session = test::shipped_session("logs");
  SessionState zero;
  std::memset(static_cast<void*>(&zero), 0, sizeof zero);
  EXPECT_NE(check_state(*session, zero), "");
  SessionState state = session->initial_state();
  state.task.step = 99;
  EXPECT_THAT(check_state(*session, state), HasSubstr("task.step is 99; the exercise is in steps"));
}

// On a machine that fixes a log to its grapple.
TEST(CheckState, namesWhatDoesNotAgree) {
  const Exercise logs = test::shipped_exercise("logs");
  const auto session = std::make_unique<Session>(test::shipped_machine("harvester_grapple"),
                                                 test::shipped_levers(logs.levers), logs);
  const SessionState good = carrying(*session);
  ASSERT_EQ(check_state(*session, good), "");
  const auto said = [&](auto change) {
    const auto state = std::make_unique<SessionState>(good);  // too many for the stack
    change(*state);
    return check_state(*session, *state);
  };
  EXPECT_THAT(said([](SessionState& s) { s.worksite.grapple.held = 15; }),
              HasSubstr("grapple.held is 15"));
  EXPECT_THAT(said([](SessionState& s) { s.worksite.grapple.held = -1; }),
              HasSubstr("grapple.slot is"));
  EXPECT_THAT(said([](SessionState& s) { s.worksite.grapple.slot = 5; }),
              HasSubstr("sim.payload["));
  EXPECT_THAT(said([](SessionState& s) { s.worksite.grapple.log_q[0] = 0.3; }),
              HasSubstr("grapple.log_q"));
  EXPECT_THAT(said([](SessionState& s) { s.worksite.world.log[1].q[2] = 0.9; }),
              HasSubstr("world.log[1].q is"));
  EXPECT_THAT(said([](SessionState& s) {
                s.worksite.world.contact[190].key_a = 1;
                s.worksite.world.contact[190].key_b = -5;
              }),
              HasSubstr("world.contact[190].key_b is -5"));
  EXPECT_THAT(said([](SessionState& s) { s.sim.payload[0].link = 15; }), HasSubstr("sim.payload"));
  EXPECT_THAT(said([](SessionState& s) { s.sim.next_event = 3; }),
              HasSubstr("sim.next_event is 3; the scenario has 0 events"));
  EXPECT_THAT(said([](SessionState& s) { s.sim.fault.next_in_plan = 3; }),
              HasSubstr("sim.fault.next_in_plan is 3"));
  EXPECT_THAT(said([](SessionState& s) { s.sim.fault.active = 2; }),
              HasSubstr("sim.fault.active is 2"));
  EXPECT_THAT(said([](SessionState& s) { s.sim.machine.inertia[1].mass += 1.0; }),
              HasSubstr("sim.machine.inertia[1].mass"));
  EXPECT_THAT(said([](SessionState& s) { s.sim.machine.q[1] = 50.0; }),
              HasSubstr("sim.machine.q[1] is 50; joint 'boom' goes from"));
  EXPECT_THAT(said([](SessionState& s) { s.sim.machine.q[15] = 0.1; }),
              HasSubstr("sim.machine.q[15] is 0.1; nothing is there"));
  EXPECT_THAT(said([](SessionState& s) { s.sim.gains[0].period_ticks = 7; }),
              HasSubstr("sim.gains[0] are not those"));
  EXPECT_THAT(said([](SessionState& s) { s.sim.machine.actuator[0].C[1] = 0.0; }),
              HasSubstr("sim.machine.actuator[0].C[1] is 0"));
  EXPECT_THAT(said([](SessionState& s) { s.sim.machine.actuator[0].air.m[1] = 1e-3; }),
              HasSubstr("sim.machine.actuator[0].air.m[1] is 0.001; this machine works on oil"));
  EXPECT_THAT(said([](SessionState& s) { s.sim.tick += 1; }), HasSubstr("sim.tick is"));
  EXPECT_THAT(said([](SessionState& s) { s.task.start_tick = s.sim.tick + 9; }),
              HasSubstr("task.start_tick"));
  EXPECT_THAT(said([](SessionState& s) { s.control.mode = 3; }),
              HasSubstr("control.mode is 3; expected 0 to 2"));
}

TEST(CheckState, knowsWhereALoadCanBe) {
  const auto bunks = test::shipped_session("logs"), none = test::shipped_session("reach");
  EXPECT_EQ(bunks->initial_state().score.elements.no_load, 0);
  EXPECT_EQ(none->initial_state().score.elements.no_load, 1);
  SessionState state = bunks->initial_state();
  state.score.elements.no_load = 1;
  EXPECT_THAT(check_state(*bunks, state),
              HasSubstr("score.elements.no_load is 1; there is a load"));
  // As sessions were recorded that did not know of it.
  state = none->initial_state();
  state.score.elements.no_load = 0;
  EXPECT_EQ(check_state(*none, state), "");
  // Racks are none where the machine itself is loaded; bunks are one where logs go to them and not onto it.
  const auto racks = test::shipped_session("racks");
  EXPECT_EQ(racks->load_place(), LoadPlace::kMachine);
  EXPECT_EQ(racks->initial_state().score.elements.own_load, 1);
  EXPECT_EQ(test::shipped_session("red_blue")->load_place(), LoadPlace::kBunks);
  const Session onto_bunks(test::shipped_machine("forwarder_8w"),
                           test::shipped_levers("nordic_drive"), test::shipped_exercise("logs"));
  EXPECT_EQ(onto_bunks.load_place(), LoadPlace::kBunks);
  state = racks->initial_state();
  state.score.elements.own_load = 0;
  EXPECT_EQ(check_state(*racks, state), "");
  // Such a session goes on by its own rules, after a restart too.
  racks->apply({CommandKind::kRestart, 0}, state);
  EXPECT_EQ(state.score.elements.own_load, 0);
  const auto felling = test::shipped_session("felling");
  SessionState old = felling->initial_state();
  EXPECT_EQ(old.score.elements.head, 1);
  old.score.elements.head = 0;
  felling->apply({CommandKind::kRestart, 0}, old);
  EXPECT_EQ(old.score.elements.head, 0);
  state = bunks->initial_state();
  state.score.elements.own_load = 1;
  EXPECT_THAT(check_state(*bunks, state),
              HasSubstr("score.elements.own_load is 1; nothing is loaded onto the machine"));
}

TEST(CheckState, of400ForgedSessionStatesNoneRunsInSilence) {
  const auto session = test::shipped_session("logs");
  const SessionState good = carrying(*session);
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    SessionState state = good;
    const test::Forgery forgery = test::forge(state, seed * 1000);
    const std::string wrong = check_state(*session, state);
    refused += wrong.empty() ? 0 : 1;
    if (forgery.certain) {
      EXPECT_NE(wrong, "") << seed << ": " << forgery.what;
    }
    if (!wrong.empty()) continue;
    // It might have been so: then it runs as any other.
    SessionSnapshot snapshot = session->snapshot(state);
    for (int i = 0; i < 50; ++i) session->step({}, state, snapshot);
  }
  std::printf("of 400 forged states of a session %d are refused\n", refused);
  EXPECT_GT(refused, 300);
}

TEST(CheckState, of400ForgedStatesOfASimulationNoneRunsInSilence) {
  const sim::Simulation simulation(test::reference_machine(), test::stick_sine());
  sim::SimState good = simulation.initial_state(machine::Fidelity::kReduced);
  for (int i = 0; i < 1000; ++i) simulation.step(good);
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    sim::SimState state = good;
    const test::Forgery forgery = test::forge(state, seed * 1000);
    const std::string wrong = sim::check_state(simulation, state);
    refused += wrong.empty() ? 0 : 1;
    if (forgery.certain) {
      EXPECT_NE(wrong, "") << seed << ": " << forgery.what;
    }
    for (int i = 0; i < 50 && wrong.empty(); ++i) simulation.step(state);
  }
  std::printf("of 400 forged states of a simulation %d are refused\n", refused);
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace knuckleboom::training
