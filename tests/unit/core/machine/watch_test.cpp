#include "knuckleboom/core/machine/watch.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "support/machines.hpp"

namespace knuckleboom::watch_test {
namespace {

using machine::Fidelity;
using machine::MachineModel;
using machine::MachineState;
using machine::Oddity;

constexpr int kSwing = 0, kBoom = 1, kStick = 2;

struct Bench {
  MachineModel model;
  sim::Simulation simulation;
  sim::SimState state;
  explicit Bench(MachineModel m)
      : model(std::move(m)),
        simulation(model, test::locked(10.0)),
        state(simulation.initial_state(Fidelity::kFull)) {}
  MachineState& machine() { return state.machine; }
  const machine::Finding& seen(Oddity what) const { return state.machine.watch[what]; }
  void look(double t) {
    machine::watch_pressures(model, t, 0.001, state.machine);
    machine::watch_joints(model, t, 0.001, state.machine);
  }
};

TEST(Watch, SeesNothingInAMachineAtRest) {
  Bench bench(test::reference_machine(true));
  for (int i = 0; i < 100; ++i) bench.look(0.001 * i);
  for (const machine::Finding& f : bench.machine().watch.finding) EXPECT_EQ(f.lasted_s, 0.0);
}

TEST(Watch, KeepsTheFirstTheWorstAndTheDuration) {
  Bench bench(test::reference_machine(false));
  bench.look(1.0);
  bench.machine().actuator[kStick].p[1] = -2.5e5;
  bench.look(2.0);
  bench.machine().actuator[kBoom].P_C[0] = -73e5;
  bench.look(3.0);
  bench.machine().actuator[kBoom].P_C[0] = 0.0;
  bench.look(4.0);
  bench.machine().actuator[kStick].p[1] = -0.99e5;  // just above vapour
  bench.look(5.0);
  const machine::Finding& f = bench.seen(Oddity::kVapour);
  EXPECT_EQ(f.first_s, 2.0);
  EXPECT_NEAR(f.lasted_s, 0.003, 1e-12);
  EXPECT_EQ(f.worst, -73e5);
  EXPECT_EQ(f.worst_s, 3.0);
  EXPECT_EQ(f.where, kBoom);
  EXPECT_EQ(bench.seen(Oddity::kHose).lasted_s, 0.0);
}

TEST(Watch, HosesBearWhatTheMachineSays) {
  MachineModel model = test::reference_machine(false);
  Bench usual(model);
  usual.machine().actuator[kSwing].P_C[1] = 50e6;
  usual.look(1.0);
  EXPECT_EQ(usual.seen(Oddity::kHose).lasted_s, 0.0);
  model.watch.hose_Pa = 40e6;
  ASSERT_TRUE(machine::finish(model).empty());
  Bench old(model);
  old.machine().actuator[kSwing].P_C[1] = 50e6;
  old.look(1.0);
  EXPECT_EQ(old.seen(Oddity::kHose).worst, 50e6);
  EXPECT_EQ(old.seen(Oddity::kHose).where, kSwing);
}

TEST(Watch, ReliefValvesThatAreTooSmall) {
  Bench bench(test::reference_machine(true));
  const double setting = 25e6;  // of the reference machine
  bench.machine().actuator[kBoom].p[0] = 1.04 * setting;
  bench.look(1.0);
  EXPECT_EQ(bench.seen(Oddity::kRelief).lasted_s, 0.0);
  bench.machine().actuator[kBoom].p[0] = 1.06 * setting;
  bench.look(2.0);
  EXPECT_EQ(bench.seen(Oddity::kRelief).first_s, 2.0);
}

// The piston's speed is lever times joint speed: the joint may be within its own limit.
TEST(Watch, PistonsAndJointsByTheirSpeeds) {
  MachineModel model = test::reference_machine(true);
  Bench bench(model);
  const double lever = std::fabs(machine::displacement(model, kBoom, bench.machine().q).J);
  bench.machine().v[kBoom] = 1.01 * model.watch.piston_m_per_s / lever;
  bench.look(1.0);
  EXPECT_NEAR(std::fabs(bench.seen(Oddity::kPiston).worst), 1.01 * model.watch.piston_m_per_s,
              1e-9);
  EXPECT_EQ(bench.seen(Oddity::kPiston).where, kBoom);
  bench.machine().v[kBoom] = 0.0;
  bench.machine().v[kSwing] = -6.01;
  bench.look(2.0);
  EXPECT_EQ(bench.seen(Oddity::kSpeed).worst, -6.01);
  EXPECT_EQ(bench.seen(Oddity::kSpeed).where, kSwing);
}

TEST(Watch, JointsOutsideTheirLimits) {
  Bench bench(test::reference_machine(true));
  const multibody::Body& body = bench.model.tree.body(bench.model.tree.link(kStick).body);
  bench.machine().q[kStick] = body.lower - 0.019;  // a stop yields
  bench.look(1.0);
  EXPECT_EQ(bench.seen(Oddity::kBeyond).lasted_s, 0.0);
  bench.machine().q[kStick] = body.lower - 0.05;
  bench.look(2.0);
  EXPECT_NEAR(bench.seen(Oddity::kBeyond).worst, 0.05, 1e-12);
  EXPECT_EQ(bench.seen(Oddity::kBeyond).where, kStick);
}

TEST(Watch, NotANumberIsNotCalm) {
  Bench bench(test::reference_machine(true));
  bench.machine().v[kSwing] = std::nan("");
  bench.look(1.0);  // nothing to compare with, but nothing breaks
  EXPECT_EQ(bench.seen(Oddity::kVapour).lasted_s, 0.0);
}

TEST(Watch, EnergyFromNothing) {
  machine::WatchLimits limits;
  MachineState state{};
  machine::watch_energy(limits, 99.0, 10000.0, 1.0, 1.0, state);
  EXPECT_EQ(state.watch[Oddity::kEnergy].lasted_s, 0.0);
  machine::watch_energy(limits, -120.0, 10000.0, 2.0, 1.0, state);
  EXPECT_EQ(state.watch[Oddity::kEnergy].worst, -120.0);
  EXPECT_EQ(state.watch[Oddity::kEnergy].first_s, 2.0);
}

// Recordings of programs without the watch replay with equal hashes.
TEST(Watch, DoesNotCountInTheHash) {
  Bench bench(test::reference_machine(false));
  const std::uint64_t before = state::hash(bench.state);
  bench.machine().watch.finding[0] = {1.0, 2.0, 3.0, 4.0, 1};
  EXPECT_EQ(state::hash(bench.state), before);
  bench.machine().energy.pump += 1e-9;
  EXPECT_NE(state::hash(bench.state), before);
}

// The paper's machine without protection: a boom valve that shuts in full motion draws oil apart.
TEST(Watch, ARunWithoutProtectionSaysWhatNoMachineDoes) {
  for (const bool protection : {false, true}) {
    const MachineModel model = test::reference_machine(protection);
    const sim::Simulation simulation(model, test::boom_pulse());
    for (const Fidelity fidelity : {Fidelity::kFull, Fidelity::kReduced}) {
      sim::SimState state = simulation.initial_state(fidelity);
      double lowest = 0.0;
      for (std::int64_t k = 0; k < simulation.tick_count(); ++k) {
        simulation.step(state);
        if (state.tick % 2 != 0) continue;  // looked at in every second tick
        for (int a = 0; a < 3; ++a)
          for (int s = 0; s < 2; ++s)
            lowest = std::min(
                {lowest, state.machine.actuator[a].p[s], state.machine.actuator[a].P_C[s]});
      }
      const machine::Finding& f = state.machine.watch[Oddity::kVapour];
      EXPECT_EQ(f.lasted_s > 0.0, lowest < -1e5);
      EXPECT_EQ(f.worst, f.lasted_s > 0.0 ? lowest : 0.0);
      EXPECT_TRUE(!protection || f.lasted_s == 0.0);
      EXPECT_EQ(state.machine.watch[Oddity::kEnergy].lasted_s, 0.0);
    }
  }
}

}  // namespace
}  // namespace knuckleboom::watch_test
