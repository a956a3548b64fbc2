// Faults act inside the equations: each against what its size says.
#include <cmath>
#include <cstring>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/math/hash.hpp"
#include "knuckleboom/core/sim/simulation.hpp"
#include "knuckleboom/core/sim/snapshot.hpp"
#include "support/machines.hpp"

namespace knuckleboom::sim {
namespace {

using command::Fault;
using command::FaultKind;
using machine::Fidelity;

constexpr int kBoom = 1, kStick = 2;

Fault fault(FaultKind kind, const std::string& function, double size) {
  Fault out;
  out.name = "f";
  out.kind = kind;
  out.function = function;
  out.size = size;
  return out;
}

// All valves shut, and this fault at hand.
command::Scenario locked_with(const Fault& one) {
  command::Scenario scenario = test::locked(60.0);
  scenario.faults = {one};
  return scenario;
}

class BothModels : public testing::TestWithParam<Fidelity> {};
INSTANTIATE_TEST_SUITE_P(Faults, BothModels,
                         testing::Values(Fidelity::kFull, Fidelity::kReduced, Fidelity::kPaper),
                         [](const auto& info) { return machine::word_of(info.param); });

void run(const Simulation& simulation, double seconds, SimState& state) {
  for (int i = 0; i < std::lround(seconds / simulation.tick_s()); ++i) simulation.step(state);
}

double displacement(const Simulation& simulation, const SimState& state, int actuator) {
  const int link = simulation.model().actuators[static_cast<std::size_t>(actuator)].link;
  return machine::displacement(simulation.model(), actuator, state.machine.q[link]).x;
}

// Continuity of the head side: what leaks comes from the piston that sinks and from oil that expands.
TEST_P(BothModels, AHoseThatLeaksLetsTheLoadSinkAtConductanceTimesPressure) {
  const double G = 2e-12;
  const Simulation simulation(test::reference_machine(),
                              locked_with(fault(FaultKind::kHoseLeak, "boom", G)));
  SimState state = simulation.initial_state(GetParam());
  run(simulation, 1.0, state);
  const double rest = displacement(simulation, state, kBoom);
  run(simulation, 1.0, state);
  EXPECT_NEAR(displacement(simulation, state, kBoom), rest, 1e-6);
  simulation.set_fault(state, 0, true);
  run(simulation, 1.0, state);
  const hydraulics::Circuit& circuit = simulation.model().actuators[kBoom].circuit;
  const double p_start = state.machine.actuator[kBoom].P_C[0];
  double x = displacement(simulation, state, kBoom);
  double volume = 0.0;
  const double start = x;
  for (int i = 0; i < 4000; ++i) {
    simulation.step(state);
    volume += G * state.machine.actuator[kBoom].p[0] * simulation.tick_s();
  }
  x = displacement(simulation, state, kBoom);
  EXPECT_LT(x, start);
  const double expansion = circuit.line1.C * (p_start - state.machine.actuator[kBoom].P_C[0]);
  EXPECT_NEAR((start - x) * circuit.A1 + expansion, volume, 0.01 * volume);
}

// The hole passes what the load presses through it, and so fast the piston comes down.
TEST_P(BothModels, ABurstHoseDropsTheBoom) {
  const double G = 1e-9;
  const Simulation simulation(test::reference_machine(),
                              locked_with(fault(FaultKind::kHoseLeak, "boom", G)));
  SimState state = simulation.initial_state(GetParam());
  run(simulation, 0.5, state);
  simulation.set_fault(state, 0, true);
  run(simulation, 0.3, state);
  const machine::LinkageState linkage =
      machine::displacement(simulation.model(), kBoom, state.machine.q[kBoom]);
  const double x_dot = linkage.J * state.machine.v[kBoom];
  const double A1 = simulation.model().actuators[kBoom].circuit.A1;
  EXPECT_LT(state.machine.v[kBoom], -0.05);
  EXPECT_NEAR(-x_dot * A1, G * state.machine.actuator[kBoom].p[0], 0.05 * -x_dot * A1);
  run(simulation, 5.0, state);  // down to its end stop
  EXPECT_EQ(state.machine.health.non_finite, 0);
}

// K_Eq falls as C rises: the spring of the shut-in oil swings at sqrt of it.
TEST_P(BothModels, AirInTheOilLowersTheFrequencyByTheRootOfItsStiffness) {
  const auto period = [&](bool air) {
    command::Scenario scenario = locked_with(fault(FaultKind::kAirInOil, "", 0.25));
    scenario.duration_s = 20.0;
    const Simulation simulation(test::reference_machine(false), scenario);
    SimState state = simulation.initial_state(GetParam());
    simulation.set_fault(state, 0, air);
    state.machine.v[kStick] = 0.02;  // a knock
    double last = 0.0, first_s = 0.0;
    int crossings = 0;
    for (int i = 0; i < 6000; ++i) {
      simulation.step(state);
      const double v = state.machine.v[kStick];
      if (last < 0.0 && v >= 0.0 && simulation.time(state) > 0.2) {
        if (crossings == 0) first_s = simulation.time(state);
        if (++crossings == 9) return (simulation.time(state) - first_s) / 8.0;
      }
      last = v;
    }
    return 0.0;
  };
  const double sound = period(false), soft = period(true);
  ASSERT_GT(sound, 0.0);
  ASSERT_GT(soft, 0.0);
  std::printf("period %.4f s, with air %.4f s\n", sound, soft);
  EXPECT_NEAR(soft / sound, 2.0, 0.1);  // boom and stick swing together
}

TEST_P(BothModels, ALowReliefCapsThePressure) {
  command::Scenario scenario = test::boom_pulse();
  scenario.faults = {fault(FaultKind::kLowRelief, "boom", 120e5)};
  scenario.faults[0].at_s = 0.0;
  const Simulation simulation(test::reference_machine(), scenario);
  SimState state = simulation.initial_state(GetParam());
  double top = 0.0;
  for (int i = 0; i < 6000; ++i) {
    simulation.step(state);
    for (const double p : state.machine.actuator[kBoom].p) top = std::max(top, p);
  }
  // Linear override: at 2e-8 m^3/(s Pa) some bar more with all the oil that comes.
  EXPECT_GT(top, 120e5);
  EXPECT_LT(top, 135e5);
  EXPECT_GT(state.machine.health.relief_ticks, 0);
}

TEST_P(BothModels, ASpoolOffsetCreepsLikeACommandOfThatSize) {
  const double share = 0.12;
  const auto speed = [&](bool by_fault) {
    command::Scenario scenario = locked_with(fault(FaultKind::kSpoolOffset, "boom", share));
    if (!by_fault) {
      scenario.faults.clear();
      const double full = test::reference_machine().actuators[kBoom].circuit.valve.full_V;
      for (command::JointProgram& program : scenario.programs)
        if (program.joint == "boom") program.signal.terms = {test::constant(share * full)};
    }
    const Simulation simulation(test::reference_machine(), scenario);
    SimState state = simulation.initial_state(GetParam());
    if (by_fault) simulation.set_fault(state, 0, true);
    run(simulation, 1.0, state);
    return state.machine.v[kBoom];
  };
  EXPECT_NE(speed(true), 0.0);
  EXPECT_DOUBLE_EQ(speed(true), speed(false));
}

TEST_P(BothModels, AStickingSpoolWaitsForItsBreakOut) {
  command::Scenario scenario = test::boom_sine();
  scenario.faults = {fault(FaultKind::kStickingSpool, "boom", 0.05)};
  const Simulation simulation(test::reference_machine(), scenario);
  SimState state = simulation.initial_state(GetParam());
  simulation.set_fault(state, 0, true);
  const double breakout = 0.05 * simulation.model().actuators[kBoom].circuit.valve.full_V;
  int moves = 0, rests = 0;
  double before = state.machine.actuator[kBoom].spool_V;
  for (int i = 0; i < 5000; ++i) {
    simulation.step(state);
    const machine::ActuatorState& a = state.machine.actuator[kBoom];
    if (a.spool_stuck != 0) {
      EXPECT_LE(std::fabs(a.command_V - a.spool_V), breakout + 1e-12);
    }
    (a.spool_V == before ? rests : moves) += 1;
    before = a.spool_V;
  }
  EXPECT_GT(rests, 100);
  EXPECT_GT(moves, 3);
}

TEST_P(BothModels, AWornPumpGivesLessAndLessStillUnderFlow) {
  Fault worn = fault(FaultKind::kWornPump, "", 0.2);
  worn.flow_size = 4e9;
  command::Scenario scenario = test::boom_pulse();
  scenario.faults = {worn};
  const Simulation simulation(test::reference_machine(), scenario);
  SimState state = simulation.initial_state(GetParam());
  const double set = simulation.model().supply.pump_Pa;
  simulation.set_fault(state, 0, true);
  EXPECT_DOUBLE_EQ(state.machine.pump_Pa, 0.8 * set);
  double lowest = set;
  for (int i = 0; i < 4000; ++i) {
    simulation.step(state);
    lowest = std::min(lowest, state.machine.pump_Pa);
    EXPECT_LE(state.machine.pump_Pa, 0.8 * set);
    EXPECT_NEAR(state.machine.pump_Pa, 0.8 * set - worn.flow_size * state.fault.pump_flow, 1.0);
  }
  EXPECT_LT(lowest, 0.8 * set - 1e5);
  simulation.set_fault(state, 0, false);
  EXPECT_DOUBLE_EQ(state.machine.pump_Pa, set);
}

// The joint controller holds what it sees, so the joint stands beside it by the bias.
TEST_P(BothModels, ABiasedSensorMovesTheJointByIt) {
  command::Scenario scenario = test::standstill(30.0);
  scenario.faults = {fault(FaultKind::kSensorBias, "stick", 0.05)};
  scenario.faults[0].ramp_s = 2.0;
  const Simulation simulation(test::reference_machine(), scenario);
  SimState state = simulation.initial_state(GetParam());
  run(simulation, 2.0, state);
  const double before = state.machine.q[kStick];
  simulation.set_fault(state, 0, true);
  run(simulation, 25.0, state);
  EXPECT_NEAR(before - state.machine.q[kStick], 0.05, 0.01);  // within the valve's dead band
  EXPECT_NEAR(simulation.measured(state, kStick), state.machine.q[kStick] + 0.05, 1e-12);
}

TEST(Faults, NoiseHasItsDeviationAndNoMean) {
  const Simulation simulation(test::reference_machine(),
                              locked_with(fault(FaultKind::kSensorNoise, "stick", 0.01)));
  SimState state = simulation.initial_state(Fidelity::kReduced);
  simulation.set_fault(state, 0, true);
  double sum = 0.0, squares = 0.0;
  constexpr int kTicks = 20'000;
  for (int i = 0; i < kTicks; ++i) {
    simulation.step(state);
    const double e = simulation.measured(state, kStick) - state.machine.q[kStick];
    sum += e;
    squares += e * e;
  }
  EXPECT_NEAR(sum / kTicks, 0.0, 4.0 * 0.01 / std::sqrt(kTicks));
  EXPECT_NEAR(std::sqrt(squares / kTicks), 0.01, 0.01 * 0.03);
}

TEST(Faults, ALostSensorKeepsItsLastValueForItsShareOfTheTime) {
  command::Scenario scenario = test::stick_sine();
  scenario.faults = {fault(FaultKind::kSensorDropout, "stick", 0.3)};
  const Simulation simulation(test::reference_machine(), scenario);
  SimState state = simulation.initial_state(Fidelity::kReduced);
  simulation.set_fault(state, 0, true);
  int lost = 0;
  for (int i = 0; i < 60'000; ++i) {
    simulation.step(state);
    if (simulation.measured(state, kStick) != state.machine.q[kStick]) ++lost;
  }
  EXPECT_NEAR(lost / 60'000.0, 0.3, 0.06);
}

TEST(Faults, WithoutItsControllerAValveStaysAtNeutral) {
  command::Scenario scenario = test::stick_sine();
  scenario.faults = {fault(FaultKind::kControllerOff, "stick", 0.0)};
  const Simulation simulation(test::reference_machine(), scenario);
  SimState state = simulation.initial_state(Fidelity::kReduced);
  run(simulation, 2.0, state);
  simulation.set_fault(state, 0, true);
  run(simulation, 0.5, state);
  EXPECT_EQ(state.machine.actuator[kStick].command_V, 0.0);
  EXPECT_EQ(state.machine.actuator[kStick].open, 0);
  simulation.set_fault(state, 0, false);
  run(simulation, 4.0, state);
  EXPECT_NEAR(state.machine.q[kStick], state.reference[kStick], 0.05);  // it follows again
}

TEST(Faults, ComeAndGoByTheClock) {
  command::Scenario scenario = test::locked(10.0);
  Fault planned = fault(FaultKind::kCylinderLeak, "boom", 1e-12);
  planned.at_s = 1.0;
  planned.until_s = 3.0;
  planned.ramp_s = 0.5;
  scenario.faults = {planned};
  const Simulation simulation(test::reference_machine(), scenario);
  SimState state = simulation.initial_state(Fidelity::kReduced);
  run(simulation, 1.0, state);
  EXPECT_FALSE(simulation.fault_is_there(state, 0));
  run(simulation, 0.25, state);
  EXPECT_NEAR(state.fault.share[0], 0.5, 0.01);
  EXPECT_NEAR(state.machine.actuator[kBoom].fault.leak_internal, 0.5e-12, 1e-14);
  EXPECT_EQ(take_snapshot(simulation, state).faults[0], 1U);
  run(simulation, 1.0, state);
  EXPECT_EQ(state.fault.share[0], 1.0);
  run(simulation, 1.4, state);
  EXPECT_FALSE(simulation.fault_is_there(state, 0));
  EXPECT_EQ(state.fault.active, 0);
  EXPECT_EQ(state.machine.actuator[kBoom].faulty, 0);
}

TEST(Faults, ThatAreGoneLeaveTheBitsOfAMachineThatNeverHadThem) {
  command::Scenario scenario = test::stick_sine();
  const Simulation sound(test::reference_machine(), scenario);
  scenario.faults = usual_faults(test::reference_machine());
  const Simulation listed(test::reference_machine(), scenario);
  SimState a = sound.initial_state(Fidelity::kFull), b = listed.initial_state(Fidelity::kFull);
  for (int i = 0; i < 3000; ++i) {
    sound.step(a);
    listed.step(b);
  }
  EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0);
  // Begun and cleared between two ticks: what is left is the memory of measured positions.
  for (int i = 0; i < static_cast<int>(scenario.faults.size()); ++i) {
    if (scenario.faults[static_cast<std::size_t>(i)].kind == FaultKind::kAirInOil) continue;
    listed.set_fault(b, i, true);
    listed.set_fault(b, i, false);
  }
  EXPECT_EQ(std::memcmp(a.machine.q, b.machine.q, sizeof a.machine.q), 0);
}

// The pump's energy is accounted for under any faults.
TEST_P(BothModels, TheLedgerHoldsUnderAnyFaults) {
  std::mt19937 random(7);
  const auto pick = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  double worst = 0.0;
  for (int ride = 0; ride < 30; ++ride) {
    command::Scenario scenario = ride % 2 == 0 ? test::stick_sine() : test::tip_circle();
    scenario.duration_s = 20.0;
    scenario.faults = usual_faults(test::reference_machine());
    for (Fault& one : scenario.faults)
      if (pick(0.0, 1.0) < 0.12) {
        one.at_s = pick(0.0, 6.0);
        one.until_s = one.at_s + pick(0.5, 6.0);
      }
    const Simulation simulation(test::reference_machine(), scenario);
    SimState state = simulation.initial_state(GetParam());
    run(simulation, 12.0, state);
    ASSERT_EQ(state.machine.health.non_finite, 0) << "ride " << ride;
    const double turned = state.machine.energy.pump + std::fabs(state.machine.energy.events);
    const double share = std::fabs(simulation.energy_residual(state)) / std::max(turned, 1e4);
    worst = std::max(worst, share);
    EXPECT_LT(share, 3e-3) << "ride " << ride;
  }
  std::printf("worst energy residual: %.2g of the pump's work\n", worst);
}

TEST(FaultLot, DrawsTheSameCardForTheSameSeed) {
  std::vector<Fault> all;
  command::FaultLot lot;
  for (int i = 0; i < 8; ++i) {
    Fault one = fault(FaultKind::kSpoolOffset, "boom", 0.1);
    one.name = "f" + std::to_string(i);
    one.at_s = 1.0;
    all.push_back(one);
    lot.candidates.push_back(one.name);
  }
  lot.draw = 3;
  const auto drawn = [&](std::uint64_t seed) {
    lot.seed = seed;
    std::vector<Fault> card = all;
    command::draw_card(lot, card);
    std::string names;
    for (const Fault& one : card)
      if (one.at_s >= 0.0) names += one.name;
    return names;
  };
  EXPECT_EQ(drawn(1).size(), 6U);
  EXPECT_EQ(drawn(1), drawn(1));
  // Each is drawn 3/8 of the time.
  int first = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed)
    if (drawn(seed).find("f0") != std::string::npos) ++first;
  EXPECT_NEAR(first / 4000.0, 0.375, 0.03);
}

TEST(Hash, IsUniformAndGaussian) {
  double sum = 0.0, squares = 0.0, fourth = 0.0;
  constexpr int kCount = 100'000;
  for (int i = 0; i < kCount; ++i) {
    const double x = gaussian(static_cast<std::uint64_t>(i));
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / kCount, 0.0, 0.015);
  EXPECT_NEAR(squares / kCount, 1.0, 0.02);
  EXPECT_NEAR(fourth / kCount, 3.0 - 1.2 / 12.0, 0.1);  // of twelve uniform numbers
  EXPECT_EQ(mixed_bits(0), 0xE220A8397B1DCDAFU);        // splitmix64's published first output
}

}  // namespace
}  // namespace knuckleboom::sim
