// A host that is not what its control goes by: other masses, and sensors that err.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/core/emulation/emulation.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "support/hil_run.hpp"
#include "support/same_bytes.hpp"

namespace knuckleboom::plant_test {
namespace {

using emulation::Emulation;
using emulation::EmulationInput;
using emulation::EmulationPlan;
using emulation::EmulationState;

EmulationPlan plan_with(std::vector<std::string> assignments) {
  return io::make_emulation(test::shipped_emulation_texts("peg_on_plane", std::move(assignments)))
      .plan;
}

// A host of perfect torques, without friction, that stands still in the air.
EmulationState at_rest(EmulationPlan plan, double seconds) {
  plan.host.model.actuators.clear();
  plan.host.model.controllers.clear();
  if (plan.plant) {
    plan.plant->actuators.clear();
    plan.plant->controllers.clear();
  }
  plan.sensor.force_noise = plan.sensor.moment_noise = 0.0;
  const Emulation emulation(plan);
  EmulationState state = emulation.initial_state();
  EmulationInput hold{};
  hold.hold = 1;
  for (int k = 0; k < static_cast<int>(seconds / plan.tick_s); ++k) emulation.step(state, hold);
  return state;
}

// The control does not know of them: its observer finds the weight of what is there too much.
TEST(Plant, IsHeavierThanItsControlKnows) {
  const EmulationPlan plan = plan_with({"plant.body.tool.mass*=1.5"});
  ASSERT_TRUE(plan.plant);
  const EmulationState state = at_rest(plan, 2.0);
  const double zero[kMaxLinks] = {};
  multibody::MassAndBias as_known, as_is;
  std::vector<multibody::LinkInertia> none(kMaxLinks);
  const auto weights = [&](const machine::MachineModel& model, multibody::MassAndBias& out) {
    multibody::mass_and_bias(model.tree, none.data(), state.host.machine.q, zero, out);
  };
  std::copy_n(state.host.machine.inertia, kMaxLinks, none.begin());
  weights(*plan.plant, as_is);
  const EmulationState other = at_rest(plan_with({}), 0.01);
  std::copy_n(other.host.machine.inertia, kMaxLinks, none.begin());
  weights(plan.host.model, as_known);
  double largest = 0.0;
  for (int i = 0; i < 6; ++i) {
    const double weight = as_is.bias[i] - as_known.bias[i];
    largest = std::max(largest, std::fabs(weight));
    EXPECT_NEAR(state.observer.unknown[i], weight, 0.01 * std::fabs(weight) + 0.05) << i;
  }
  EXPECT_GT(largest, 50.0);  // N m: 12 kg at nearly a metre
  EXPECT_LT(tip_error(state), 1e-4);
  // With `host.` both change, and nothing is left to be found.
  const EmulationState both = at_rest(plan_with({"host.body.tool.mass*=1.5"}), 2.0);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(both.observer.unknown[i], 0.0, 0.01) << i;
}

// Masses 25 %, seals, valves and lines 20 % off, both ways: the peg is pressed by 100 N within 5 %.
TEST(Plant, OffInEverythingPressesAsCommanded) {
  for (const bool more : {false, true}) {
    const std::string mass = more ? "1.25" : "0.75", other = more ? "1.2" : "0.8";
    EmulationPlan plan = plan_with(
        {"plant.body.*.mass*=" + mass, "plant.body.*.inertia*=" + mass,
         "plant.actuator.*.friction*=" + other, "plant.actuator.*.friction.coulomb*=" + other,
         "plant.actuator.*.friction.static*=" + other, "plant.valve.*.conductance*=" + other,
         "plant.actuator.*.line_a.capacitance*=" + other,
         "plant.actuator.*.line_b.capacitance*=" + other});
    const Emulation emulation(plan);
    EmulationState state = emulation.initial_state();
    while (state.phase < 3 && !emulation.finished(state)) emulation.step(state);
    EXPECT_NEAR(state.contact_W[2], 100.0, 5.0) << more;
    EXPECT_LT(tip_error(state), 1e-4) << more;
    EXPECT_LT(state.energy.generated, 0.02) << more;  // J; 5.2 are exchanged in the whole run
  }
}

TEST(Plant, LikeItsModelChangesNothing) {
  const EmulationPlan plain = plan_with({});
  EmulationPlan twice = plain;
  twice.plant = twice.host.model;
  const Emulation a(plain), b(twice);
  EmulationState x = a.initial_state(), y = b.initial_state();
  for (int k = 0; k < 500; ++k) {
    a.step(x);
    b.step(y);
  }
  EXPECT_TRUE(test::same_bytes(x, y));
}

TEST(Plant, HasTheJointsOfItsModel) {
  EmulationPlan plan = plan_with({});
  plan.plant = plan.host.model;
  plan.plant->actuators.pop_back();
  try {
    const Emulation emulation(plan);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("may differ in numbers only"));
  }
}

TEST(JointSensors, ErrAsTheyAreSaidTo) {
  EmulationPlan plan =
      plan_with({"joint_sensors.position_step_rad=0.001", "joint_sensors.position_offset_rad=0.01",
                 "joint_sensors.speed_noise_rad_per_s=0.02", "joint_sensors.pressure_step_bar=1"});
  const Emulation emulation(plan);
  EmulationState state = emulation.initial_state();
  double sum = 0.0, squares = 0.0;
  int samples = 0;
  for (int k = 0; k < 400; ++k) {
    const sim::SimState before = state.host;
    emulation.read_sensors(state, {});
    for (int i = 0; i < 6; ++i) {
      const double steps = state.sensed.q[i] / 1e-3;
      EXPECT_NEAR(steps, std::round(steps), 1e-9);
      EXPECT_NEAR(state.sensed.q[i], before.machine.q[i] + 0.01, 0.5e-3 + 1e-12);
      EXPECT_EQ(std::remainder(state.sensed.p[i][0], 1e5), 0.0);
      const double noise = state.sensed.v[i] - before.machine.v[i];
      sum += noise;
      squares += noise * noise;
      ++samples;
    }
    ++state.tick;
  }
  EXPECT_NEAR(sum / samples, 0.0, 0.002);
  EXPECT_NEAR(std::sqrt(squares / samples), 0.02, 0.002);
}

}  // namespace
}  // namespace knuckleboom::plant_test
