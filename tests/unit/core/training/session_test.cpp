// The tick of the trainer: machine, world, grapple, task together.
#include "knuckleboom/core/training/session.hpp"

#include <cmath>
#include <cstring>
#include <memory>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "support/same_bytes.hpp"
#include "support/trainer.hpp"

namespace knuckleboom::training {
namespace {

// One log within reach, and nothing else.
Exercise one_log() {
  Exercise exercise = test::shipped_exercise("logs");
  exercise.world = {};
  world::Log log;
  log.name = "log";
  log.x = 6.0;
  log.heading = 1.5;
  log.length = 3.5;
  log.radius = 0.14;
  exercise.world.logs = {log};
  world::Bunk bunk;
  bunk.name = "bunk";
  bunk.x = 3.5;
  bunk.y = 4.5;
  exercise.world.bunks = {bunk};
  exercise.log_tasks = {{0, 0}};
  exercise.limits.clear();
  return exercise;
}

std::unique_ptr<Session> session_with_one_log() {
  return std::make_unique<Session>(test::shipped_machine(), test::shipped_levers(), one_log());
}

double boom_torque(const Session& session, const SessionState& state) {
  double tau[kMaxLinks];
  const double zero[kMaxLinks] = {};
  multibody::inverse_dynamics(session.machine().tree, state.sim.machine.inertia,
                              state.sim.machine.q, zero, zero, tau);
  return tau[session.machine().tree.find_joint("boom")];
}

double boom_actuator_torque(const Session& session, const SessionState& state,
                            const SessionSnapshot& snapshot) {
  const int link = session.machine().tree.find_joint("boom");
  const int k = snapshot.sim.actuator_of_joint[link];
  const machine::LinkageState linkage =
      machine::displacement(session.machine(), k, state.sim.machine.q[link]);
  return linkage.J * snapshot.sim.actuator[k].force;
}

void rest(const Session& session, double seconds, SessionState& state, SessionSnapshot& snapshot) {
  const command::OperatorInput neutral{};
  const auto ticks = static_cast<int>(std::lround(seconds / session.tick_s()));
  for (int i = 0; i < ticks; ++i) session.step(neutral, state, snapshot);
}

// Its machine, stepped at a worksite by the same levers without exercise, task and score.
TEST(Session, IsItsWorksiteUnderLevers) {
  const auto session = session_with_one_log();
  SessionState state = session->initial_state();
  const worksite::Worksite alone(session->simulation(), session->exercise().world);
  sim::SimState sim = state.sim;
  worksite::WorksiteState at = alone.initial_state(session->exercise().grapple_opening);
  sim::OperatorState levers = state.control;
  ASSERT_TRUE(test::same_bytes(at, state.worksite));

  const Demonstrator driver(*session);
  DemonstratorState hands = driver.initial_state();
  SessionSnapshot snapshot = session->snapshot(state);
  const auto tip = command::ControlMode::kBoomTip;
  session->apply({CommandKind::kControlMode, static_cast<std::int32_t>(tip)}, state);
  session->control().set_mode(tip, sim, levers);
  bool held = false;
  while (snapshot.task.phase != TaskPhase::kPassed && snapshot.sim.t_s < 120.0) {
    const command::OperatorInput input = driver.drive(snapshot, session->tick_s(), hands);
    session->step(input, state, snapshot);
    const sim::OperatorDemand demand = session->control().drive(input, sim, levers);
    alone.step(demand.input, demand.grapple, sim, at);
    held |= at.grapple.held == 0;
  }
  EXPECT_TRUE(held);
  EXPECT_EQ(at.grapple.held, -1);
  EXPECT_EQ(snapshot.task.step, 1);
  EXPECT_TRUE(test::same_bytes(sim, state.sim));
  EXPECT_TRUE(test::same_bytes(at, state.worksite));
}

// The figures shown for a stored state are those of its last tick.
TEST(Session, ASnapshotOfAStateHasTheFiguresOfItsTick) {
  const auto session = session_with_one_log();
  SessionState state = session->initial_state();
  const SessionSnapshot last =
      test::demonstrate(*session, state, 8.0, [](const SessionSnapshot&) { return false; });
  const SessionSnapshot again = session->snapshot(state);
  EXPECT_GT(last.score.time_s, 5.0);
  EXPECT_GT(last.score.path_m, 0.5);
  EXPECT_EQ(std::memcmp(&again.score, &last.score, sizeof last.score), 0);
  EXPECT_EQ(again.task.phase, last.task.phase);
  EXPECT_EQ(again.task.distance, last.task.distance);
  EXPECT_EQ(again.task.time_left_s, last.task.time_left_s);
}

// A lever that comes late comes late by whole ticks, and else as it was (to 1/32767).
TEST(Session, ADelayedLeverIsAsManyTicksLate) {
  const auto session = session_with_one_log();
  int delay = -1;
  for (std::size_t i = 0; i < session->faults().size(); ++i)
    if (session->faults()[i].kind == command::FaultKind::kLeverDelay) delay = static_cast<int>(i);
  ASSERT_GE(delay, 0);
  const auto ticks =
      std::lround(session->faults()[static_cast<std::size_t>(delay)].size / session->tick_s());
  const auto lever_at = [](long tick) {
    command::OperatorInput input{};
    input.axis[4] =
        tick < 0 ? 0.0
                 : std::round(32767.0 * 0.5 * std::sin(0.01 * static_cast<double>(tick))) / 32767.0;
    return input;
  };
  SessionState late = session->initial_state(), shifted = session->initial_state();
  SessionSnapshot a{}, b{};
  session->apply({CommandKind::kFault, delay}, late);
  for (long tick = 0; tick < 1500; ++tick) {
    session->step(lever_at(tick), late, a);
    session->step(lever_at(tick - ticks), shifted, b);
    ASSERT_EQ(std::memcmp(a.sim.joint, b.sim.joint, sizeof a.sim.joint), 0) << tick;
    ASSERT_EQ(a.input.axis[4], lever_at(tick).axis[4]);
  }
  EXPECT_NE(a.sim.joint[1].position,
            session->snapshot(session->initial_state()).sim.joint[1].position);
}

TEST(Session, AHeldLogWeighsOnTheBoom) {
  const auto session = session_with_one_log();
  SessionState state = session->initial_state();
  SessionSnapshot snapshot = test::demonstrate(
      *session, state, 60.0, [](const SessionSnapshot& s) { return s.held_log == 0; });
  ASSERT_EQ(snapshot.held_log, 0);
  // Up, away from the ground, and still.
  snapshot = test::demonstrate(*session, state, 6.0, [](const SessionSnapshot&) { return false; });
  rest(*session, 15.0, state, snapshot);
  ASSERT_GT(snapshot.log[0].p[2], 0.5);
  // Weight of the log on its arm about the boom's pin, against the tree without it.
  const double m = world::mass(session->world().recipe().logs[0]);
  const int boom = session->machine().tree.find_joint("boom");
  const double arm = std::hypot(snapshot.log[0].p[0], snapshot.log[0].p[1]) -
                     std::hypot(snapshot.body[boom].p[0], snapshot.body[boom].p[1]);
  SessionState empty = state;
  session->simulation().detach(empty.sim, empty.worksite.grapple.slot);
  const double with = boom_torque(*session, state);
  EXPECT_NEAR(with - boom_torque(*session, empty), m * 9.81 * arm, 0.02 * m * 9.81 * arm);
  EXPECT_NEAR(boom_actuator_torque(*session, state, snapshot), with, 0.01 * std::fabs(with));
}

TEST(Session, ALogLetGoKeepsItsVelocityAndFalls) {
  const auto session = session_with_one_log();
  SessionState state = session->initial_state();
  SessionSnapshot snapshot = test::demonstrate(
      *session, state, 60.0, [](const SessionSnapshot& s) { return s.held_log == 0; });
  ASSERT_EQ(snapshot.held_log, 0);
  test::demonstrate(*session, state, 5.0, [](const SessionSnapshot&) { return false; });
  ASSERT_EQ(state.worksite.grapple.held, 0);
  ASSERT_GT(state.worksite.world.log[0].p[2], 0.6);
  command::OperatorInput open{};
  for (const command::LeverFunction& f : session->control().pattern().functions)
    if (f.target == command::LeverTarget::kGrapple)
      open.axis[static_cast<int>(f.axis)] = -f.shape.sign;
  world::LogState before = state.worksite.world.log[0];
  int ticks = 0;
  while (state.worksite.grapple.held == 0 && ++ticks < 2000) {
    before = state.worksite.world.log[0];
    session->step(open, state, snapshot);
  }
  ASSERT_EQ(state.worksite.grapple.held, -1);
  const double h = session->tick_s();
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(state.worksite.world.log[0].v[i], before.v[i] - (i == 2 ? 9.81 * h : 0.0), 0.02)
        << i;
  for (int i = 0; i < 5000; ++i) session->step(open, state, snapshot);
  EXPECT_LT(state.worksite.world.log[0].p[2], 0.2);
  EXPECT_EQ(state.worksite.world.log[0].status, world::LogStatus::kResting);
}

// Full levers against the ground and all that stands in the way, from side to side.
template <class Seen>
void drive_into_everything(const Session& session, double seconds, const Seen& seen) {
  SessionState state = session.initial_state();
  SessionSnapshot snapshot;
  const auto ticks = static_cast<int>(std::lround(seconds / session.tick_s()));
  for (int i = 0; i < ticks; ++i) {
    const double t = i * session.tick_s();
    command::OperatorInput full{};
    for (const command::LeverFunction& f : session.control().pattern().functions) {
      const bool back =
          std::fmod(t, f.joint == "swing" ? 8.0 : 20.0) < (f.joint == "swing" ? 4.0 : 10.0);
      full.axis[static_cast<int>(f.axis)] = back ? -f.shape.sign : f.shape.sign;
    }
    session.step(full, state, snapshot);
    seen(state, snapshot);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Session, ContactBlowsUpAtNoRate) {
  for (const double rate_Hz : {250.0, 333.3, 2000.0})
    for (const char* name : {"logs", "head_to_stem"})
      for (const auto fidelity : {machine::Fidelity::kReduced, machine::Fidelity::kFull}) {
        Exercise exercise = test::shipped_exercise(name);
        exercise.rate_Hz = rate_Hz;
        exercise.fidelity = fidelity;
        const Session session(test::shipped_machine(), test::shipped_levers(), exercise);
        drive_into_everything(session, 20.0, [&](const SessionState&, const SessionSnapshot& s) {
          for (int i = 0; i < s.sim.joint_count; ++i)
            EXPECT_LT(std::fabs(s.sim.joint[i].rate), 60.0) << name << ' ' << rate_Hz << " Hz";
          EXPECT_EQ(s.sim.health.non_finite, 0) << name << ' ' << rate_Hz << " Hz";
        });
      }
}

TEST(Session, ALongTickIsSeveralShortOnes) {
  Exercise exercise = one_log();
  const Session fast(test::shipped_machine(), test::shipped_levers(), exercise);
  exercise.rate_Hz = 250.0;
  const Session slow(test::shipped_machine(), test::shipped_levers(), exercise);
  EXPECT_EQ(slow.tick_s(), 4e-3);
  SessionState state = fast.initial_state();
  SessionSnapshot at_fast;
  drive_into_everything(slow, 10.0, [&](const SessionState& at, const SessionSnapshot& s) {
    double work_J = -state.sim.machine.energy.pump;
    for (int i = 0; i < 4; ++i) fast.step(s.input, state, at_fast);
    work_J += state.sim.machine.energy.pump;
    EXPECT_TRUE(test::same_bytes(at.sim, state.sim)) << s.sim.t_s;
    EXPECT_TRUE(test::same_bytes(at.worksite.world, state.worksite.world)) << s.sim.t_s;
    EXPECT_NEAR(s.pump_power_W, work_J / 4e-3, 1e-6 * std::fabs(work_J));
    EXPECT_EQ(4 * at.tick, state.tick);
  });
}

TEST(Session, TheGroundCarriesAMachineThatLeansOnIt) {
  Exercise exercise = one_log();
  exercise.world.logs[0].x = -6.0;
  exercise.mode = command::ControlMode::kBoomTip;
  const Session session(test::shipped_machine(), test::shipped_levers(), exercise);
  SessionState state = session.initial_state();
  SessionSnapshot snapshot;
  command::OperatorInput down{};
  for (const command::LeverFunction& f : session.control().pattern().functions)
    if (f.joint == "boom") down.axis[static_cast<int>(f.axis)] = -0.6 * f.shape.sign;
  double most = 0.0;
  for (int i = 0; i < 15000; ++i) {
    session.step(down, state, snapshot);
    most = std::max(most, snapshot.contact_force);
  }
  EXPECT_GT(most, 2e3);
  EXPECT_GE(snapshot.collisions[static_cast<int>(world::Obstacle::kGround)], 1);
  EXPECT_EQ(snapshot.sim.health.non_finite, 0);
  EXPECT_GT(snapshot.grip_W[2], -0.5);  // not through it
}

// The ledger closes over gripping, carrying, setting down and whatever touches on the way.
TEST(Session, EnergyOfACarriedLogIsAccountedFor) {
  for (const machine::Fidelity fidelity : {machine::Fidelity::kReduced, machine::Fidelity::kFull}) {
    Exercise exercise = test::shipped_exercise("logs");
    exercise.fidelity = fidelity;
    const Session session(test::shipped_machine(), test::shipped_levers(), exercise);
    SessionState state = session.initial_state();
    const SessionSnapshot snapshot = test::demonstrate(
        session, state, 90.0, [](const SessionSnapshot& s) { return s.task.step == 2; });
    ASSERT_EQ(snapshot.task.step, 2);
    const double pump = state.sim.machine.energy.pump;
    EXPECT_GT(pump, 1e5);
    EXPECT_LT(std::fabs(session.simulation().energy_residual(state.sim)), 1e-4 * pump);
    RecordProperty("residual",
                   std::to_string(session.simulation().energy_residual(state.sim) / pump));
  }
}

// Said once, while the attempt runs; right is who names kind and function of what has begun.
TEST(Session, ADiagnosisCountsOnceByKindAndFunction) {
  training::Exercise exercise = test::shipped_exercise("fault_hunt");
  exercise.fault_lot.candidates = {"boom_sinks"};
  exercise.faults[0].at_s = 0.2;
  const training::Session session(test::shipped_machine(exercise.machine),
                                  test::shipped_levers(exercise.levers), exercise);
  ASSERT_EQ(session.drawn_fault(), 0);
  int alike = -1, other = -1;  // the machine's usual leak of the same cylinder, and of another one
  for (int i = 1; i < static_cast<int>(session.faults().size()); ++i) {
    const command::Fault& fault = session.faults()[static_cast<std::size_t>(i)];
    if (fault.kind != session.faults()[0].kind) continue;
    (fault.function == session.faults()[0].function ? alike : other) = i;
  }
  ASSERT_GE(alike, 1);
  ASSERT_GE(other, 1);
  command::OperatorInput out{};
  out.axis[0] = 0.5;
  const auto figures_after = [&](int ticks, const std::vector<int>& said) {
    training::SessionState state = session.initial_state();
    training::SessionSnapshot snapshot;
    for (int i = 0; i < ticks; ++i) session.step(out, state, snapshot);
    for (const int fault : said) session.apply({CommandKind::kDiagnose, fault}, state);
    return state.score.score;
  };
  EXPECT_EQ(figures_after(0, {alike}).diagnosis_s, 0.0);  // before the first lever movement
  const training::Score early = figures_after(150, {0});
  EXPECT_GT(early.diagnosis_s, 0.0);
  EXPECT_EQ(early.diagnosis_right, 0.0);
  const training::Score right = figures_after(700, {alike, other});
  EXPECT_NEAR(right.diagnosis_s, 0.5, 1e-9);
  EXPECT_EQ(right.diagnosis_right, 1.0);
  EXPECT_EQ(figures_after(700, {other, alike}).diagnosis_right, 0.0);
  EXPECT_EQ(figures_after(700, {-1, 1000}).diagnosis_s, 0.0);
}

TEST(Session, RestartIsTheStartAgain) {
  const auto session = test::shipped_session("reach");
  SessionState state = session->initial_state();
  const SessionState start = state;
  test::demonstrate(*session, state, 5.0, [](const SessionSnapshot&) { return false; });
  session->apply({CommandKind::kControlMode, static_cast<std::int32_t>(start.control.mode)}, state);
  session->apply({CommandKind::kRestart, 0}, state);
  EXPECT_EQ(state.tick, 5000);
  state.tick = 0;
  EXPECT_TRUE(test::same_bytes(state, start));
}

TEST(Session, SameInputsSameBits) {
  const auto session = test::shipped_session("logs");
  SessionState a = session->initial_state();
  test::demonstrate(*session, a, 20.0, [](const SessionSnapshot&) { return false; });
  SessionState b = session->initial_state();
  test::demonstrate(*session, b, 20.0, [](const SessionSnapshot&) { return false; });
  EXPECT_TRUE(test::same_bytes(a, b));
}

}  // namespace
}  // namespace knuckleboom::training
