// All valves shut, a payload at the head: ten minutes later the machine still stands where it stood.
//
// The boom and the stick have tight cylinders. The swing motor leaks: both of its ports drain alike
// (P = P_0 exp(-t / (C R_e)), 16 s) and the difference between them through the inner leakage as well,
// so a swing that was stopped in motion creeps until that is gone, and stands then too.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/core/machine/equations.hpp"
#include "support/crane.hpp"
#include "support/error_norm.hpp"
#include "support/machines.hpp"
#include "support/random_tree.hpp"
#include "support/variants.hpp"

namespace knuckleboom::locked_test {
namespace {

using sim::SimState;
using sim::Simulation;

constexpr int kTicks = 600000;
constexpr int kPoses = 4;

// The crane with a log welded to its head, and its joints damped or not.
machine::MachineModel loaded_machine(const test::Variant& variant, test::Random& random,
                                     double damping) {
  machine::MachineModel model = test::reference_machine(variant);
  const multibody::Tree bare = model.tree;
  model.tree = multibody::Tree{};
  for (int b = 0; b < bare.body_count(); ++b) {
    multibody::Body body = bare.body(b);
    body.damping = damping;
    model.tree.add_body(body);
  }
  multibody::Body log;
  log.name = "log";
  log.parent = model.tree.find_body("head");
  log.inertia.mass = random.uniform(200.0, 600.0);
  log.inertia.com = Vec3(0.2, random.uniform(-0.3, 0.3), -0.8);
  log.inertia.about_com = Vec3(30.0, 150.0, 150.0).asDiagonal();
  model.tree.add_body(log);
  EXPECT_TRUE(machine::finish(model).empty());
  return model;
}

command::Scenario somewhere(test::Random& random) {
  command::Scenario scenario = test::locked(1e-3 * kTicks);
  scenario.initial[0].position = random.uniform(-3.0, 3.0);
  scenario.initial[1].position = random.uniform(-0.2, 0.95);
  scenario.initial[2].position = random.uniform(-1.95, -0.65);
  // The load decides which side carries; the other one starts at tank pressure.
  scenario.initial[1].port_b_given = scenario.initial[2].port_a_given = false;
  return scenario;
}

// Largest distance of each joint from its position at tick `settled`, until the end.
struct Drift {
  double joint[3] = {0.0, 0.0, 0.0};
};

Drift drift_after(const Simulation& simulation, SimState& state, int settled) {
  Drift out;
  double stand[3] = {};
  for (int k = 0; k < kTicks; ++k) {
    if (k == settled)
      for (int i = 0; i < 3; ++i) stand[i] = state.machine.q[i];
    simulation.step(state);
    if (k < settled) continue;
    for (int i = 0; i < 3; ++i)
      test::keep_worst(out.joint[i], std::fabs(state.machine.q[i] - stand[i]));
  }
  return out;
}

void report(const char* what, const test::Variant& variant, const Drift& worst) {
  std::printf("%s, %s: swing %.1e, boom %.1e, stick %.1e rad in ten minutes\n", what, variant.name,
              worst.joint[0], worst.joint[1], worst.joint[2]);
}

// From rest there is nothing to settle.
void stand_from_rest(const test::Variant& variant) {
  test::Random random(1);
  Drift worst;
  for (int pose = 0; pose < kPoses; ++pose) {
    const Simulation simulation(loaded_machine(variant, random, 0.0), somewhere(random));
    SimState state = simulation.initial_state(variant.fidelity);
    const Drift drift = drift_after(simulation, state, 0);
    for (int i = 0; i < 3; ++i) {
      EXPECT_LT(drift.joint[i], 1e-9) << variant.name << " pose " << pose << " joint " << i;
      test::keep_worst(worst.joint[i], drift.joint[i]);
    }
    EXPECT_EQ(state.machine.health.non_finite, 0);
    EXPECT_EQ(state.machine.health.valve_switches, 0);
  }
  report("from rest", variant, worst);
}

// Stopped in motion: every joint is given a speed. Joint damping lets the oil's modes (3 to 6 Hz)
// decay within seconds, so that after two minutes nothing but a drift could be left.
//   Gentle: no pressure leaves the band between anti-cavitation and relief, so the oil stays where it
//           is and the tight cylinders come back to where they stood.
//   Hard:   oil is drawn in or let out; they stand elsewhere, but they stand.
void stand_after_a_jolt(const test::Variant& variant, bool gentle) {
  test::Random random(gentle ? 2 : 3);
  Drift worst;
  double worst_return = 0.0;
  int left_the_band = 0;
  for (int pose = 0; pose < kPoses; ++pose) {
    command::Scenario scenario = somewhere(random);
    if (gentle)
      for (const std::size_t i : {1u, 2u}) {
        // Well above zero on the side that does not carry.
        (i == 1 ? scenario.initial[i].port_b_given : scenario.initial[i].port_a_given) = true;
        (i == 1 ? scenario.initial[i].port_b_Pa : scenario.initial[i].port_a_Pa) = 4e6;
      }
    const Simulation simulation(loaded_machine(variant, random, 2e5), scenario);
    SimState state = simulation.initial_state(variant.fidelity);
    double start[3];
    for (int i = 0; i < 3; ++i) {
      start[i] = state.machine.q[i];
      const double speed = gentle ? random.uniform(0.002, 0.01) : random.uniform(0.02, 0.08);
      state.machine.v[i] = random.chance(0.5) ? speed : -speed;
    }
    const Drift drift = drift_after(simulation, state, 120000);
    for (int i = 0; i < 3; ++i) {
      EXPECT_LT(drift.joint[i], 1e-9) << variant.name << " pose " << pose << " joint " << i;
      EXPECT_NEAR(state.machine.v[i], 0.0, 1e-9);
      test::keep_worst(worst.joint[i], drift.joint[i]);
    }
    const machine::Health& health = state.machine.health;
    const bool left = health.relief_events + health.cavitation_events > 0;
    left_the_band += left ? 1 : 0;
    if (gentle) {
      EXPECT_FALSE(left);
      for (const int i : {1, 2})
        test::keep_worst(worst_return, std::fabs(state.machine.q[i] - start[i]));
    }
    EXPECT_NEAR(state.machine.q[0], start[0], 0.05);
  }
  report(gentle ? "after a gentle jolt" : "after a hard jolt", variant, worst);
  if (gentle) {
    std::printf("  come back to %.1e rad\n", worst_return);
    EXPECT_LT(worst_return, 1e-9) << variant.name;
  } else if (variant.closed == machine::ClosedValveModel::kDynamic) {
    EXPECT_GT(left_the_band, 0);
  }
}

TEST(Locked, FullModelStandsFromRest) { stand_from_rest(test::kVariants[0]); }
TEST(Locked, ReducedModelStandsFromRest) { stand_from_rest(test::kVariants[1]); }
TEST(Locked, QuasiStaticModelStandsFromRest) { stand_from_rest(test::kVariants[2]); }
TEST(Locked, FullModelStandsAfterAJolt) { stand_after_a_jolt(test::kVariants[0], true); }
TEST(Locked, ReducedModelStandsAfterAJolt) { stand_after_a_jolt(test::kVariants[1], true); }
TEST(Locked, QuasiStaticModelStandsAfterAJolt) { stand_after_a_jolt(test::kVariants[2], true); }
TEST(Locked, FullModelStandsAfterAHardJolt) { stand_after_a_jolt(test::kVariants[0], false); }
TEST(Locked, ReducedModelStandsAfterAHardJolt) { stand_after_a_jolt(test::kVariants[1], false); }
TEST(Locked, QuasiStaticModelStandsAfterAHardJolt) {
  stand_after_a_jolt(test::kVariants[2], false);
}

// Without damping the oil's modes go on: their middle must not wander.
void middle_stays(const test::Variant& variant) {
  test::Random random(3);
  for (int pose = 0; pose < 2; ++pose) {
    const Simulation simulation(loaded_machine(variant, random, 0.0), somewhere(random));
    SimState state = simulation.initial_state(variant.fidelity);
    state.machine.v[1] = 0.01;
    // Means over one minute each, weighted by a window that leaves nothing of the oscillation.
    constexpr int kMinute = 60000;
    double first[3] = {}, last[3] = {};
    for (int k = 0; k < kTicks; ++k) {
      simulation.step(state);
      const int minute = k / kMinute;
      if (minute != 2 && minute != 9) continue;
      const double phase = 2.0 * M_PI * (k % kMinute) / kMinute;
      const double weight = (1.0 - std::cos(phase)) / kMinute;
      for (int i = 0; i < 3; ++i) (minute == 2 ? first : last)[i] += weight * state.machine.q[i];
    }
    for (const int i : {1, 2}) {
      std::printf("%s pose %d joint %d: middle moved %.1e rad in seven minutes\n", variant.name,
                  pose, i, last[i] - first[i]);
      EXPECT_NEAR(last[i], first[i], 1e-6) << variant.name;
    }
  }
}

TEST(Locked, TheMiddleOfTheBounceStays) {
  for (const test::Variant& variant : test::kVariants) middle_stays(variant);
}

}  // namespace
}  // namespace knuckleboom::locked_test
