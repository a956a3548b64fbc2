// The whole loop: what is exchanged when, against the emulated machine alone, and the limit of explicit Euler.
#include "knuckleboom/core/emulation/emulation.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/io/machine_file.hpp"
#include "support/hil_run.hpp"
#include "support/paths.hpp"
#include "support/same_bytes.hpp"

namespace knuckleboom {
namespace {

using emulation::Emulation;
using emulation::EmulationInput;
using emulation::EmulationPlan;
using emulation::EmulationState;

std::string config(const std::string& path) {
  return std::string(KNUCKLEBOOM_SOURCE_DIR) + "/config/" + path;
}

machine::MachineModel machine_file(const std::string& name) {
  return io::read_machine(config("machines/" + name + "/machine.toml")).model;
}

// Three slides across each other, each with a spring to its motor; the last carries the mass.
machine::MachineModel gantry(double stiffness, double damping) {
  machine::MachineModel model;
  model.name = "gantry";
  const char* const names[3] = {"x", "y", "z"};
  for (int i = 0; i < 3; ++i) {
    multibody::Body body;
    body.name = std::string("slide_") + names[i];
    body.joint_name = names[i];
    body.parent = i - 1;
    body.type = multibody::JointType::kPrismatic;
    body.axis_B = Vec3::Unit(i);
    body.inertia.mass = i == 2 ? 100.0 : 1.0;
    body.inertia.about_com = Mat3::Identity();
    body.stiffness = stiffness;
    body.damping = damping;
    model.tip_body = model.tree.add_body(body);
  }
  model.tree.gravity_W.setZero();
  EXPECT_TRUE(machine::finish(model).empty());
  return model;
}

// It presses on a plane, played by a host with perfect torques.
EmulationPlan gantry_plan(double stiffness, double damping) {
  EmulationPlan plan = test::shipped_emulation("peg_on_plane");
  plan.host.model.actuators.clear();
  plan.host.model.controllers.clear();
  plan.emulated.model = gantry(stiffness, damping);
  plan.emulated.initial.clear();
  plan.sensor.force_noise = plan.sensor.moment_noise = 0.0;
  plan.observer_Hz = 500.0;  // no friction to be found, and a sensor that is not late
  plan.start_S = Vec3(0.0, 0.0, -2e-3);
  plan.site.law.stiffness = 1e5;
  plan.phases.clear();
  plan.phases.push_back({"press", 3.0, Vec3(0.0, 0.0, 4e-3)});
  return plan;
}

TEST(Emulation, TouchesAsTheMachineAloneDoes) {
  const EmulationPlan plan = gantry_plan(2e4, 400.0);
  const Emulation emulation(plan);
  const Emulation alone(plan, true);
  EmulationState state = emulation.initial_state();
  EmulationState ideal = alone.initial_state();
  double difference = 0.0, squares = 0.0;
  for (int k = 0; k < 3000; ++k) {
    emulation.step(state);
    alone.step(ideal);
    difference += std::pow(state.contact_W[2] - ideal.contact_W[2], 2);
    squares += std::pow(ideal.contact_W[2], 2);
  }
  EXPECT_GT(ideal.contact_W[2], 50.0);
  EXPECT_LT(std::sqrt(difference / squares), 0.01);
  EXPECT_LT(state.energy.generated, 0.01 * state.energy.exchanged);
  EXPECT_NEAR(state.energy.host, ideal.energy.host, 0.02 * state.energy.exchanged);
}

// A force felt in a tick acts in the same tick, with the delay given by exchanges().
TEST(Emulation, HasNoHiddenTick) {
  for (const int delay : {0, 3}) {
    EmulationPlan plan = gantry_plan(2e4, 400.0);
    plan.sensor.delay = delay;
    plan.prediction = false;
    plan.phases[0].velocity_S.setZero();
    const Emulation emulation(plan);
    EXPECT_NEAR(emulation.exchanges()[1].delay_s, (delay + 0.5) * 1e-3, 1e-15);
    EmulationState state = emulation.initial_state();
    EmulationInput input{};
    for (int k = 0; k < 5; ++k) emulation.step(state, input);
    input.push[2] = 10.0;  // N, from here on
    emulation.step(state, input);
    EXPECT_NEAR(state.contact_W[2], 10.0, 1e-12);  // at the end of this tick
    for (int k = 0; k < delay; ++k) {
      emulation.step(state, input);
      EXPECT_EQ(state.felt_W[2], 0.0);
      EXPECT_NEAR(state.tip_acceleration[2], 0.0, 1e-12);
    }
    emulation.step(state, input);
    EXPECT_NEAR(state.felt_W[2], 10.0, 1e-12);
    EXPECT_NEAR(state.tip_acceleration[2], 0.1, 0.01);  // 10 N on 100 kg, less the spring
    EXPECT_NEAR(state.target.twist[2], 1e-4, 1e-5);
  }
}

// An underdamped mode is stable by explicit Euler as long as the step is below damping over stiffness.
TEST(Emulation, ExplicitEulerHasItsLimit) {
  for (const double ratio_s : {0.7e-3, 1.3e-3}) {
    EmulationPlan plan = gantry_plan(2e5, 2e5 * ratio_s);
    plan.integrator = emulation::Integrator::kExplicitEuler;
    plan.phases[0].velocity_S.setZero();
    const Emulation emulation(plan);
    EmulationState state = emulation.initial_state();
    EmulationInput push{};
    push.push[2] = 10.0;
    for (int k = 0; k < 20; ++k) emulation.step(state, push);
    double first = 0.0, last = 0.0;
    for (int k = 0; k < 600; ++k) {
      emulation.step(state);
      const double speed = std::fabs(state.emulated.machine.v[2]);
      if (k < 100) first = std::max(first, speed);
      if (k >= 500) last = std::max(last, speed);
    }
    // |1 + h s|^2 = 1 - h c/m + h^2 k/m: from one maximum to the other over 500 ticks.
    const double growth = std::pow(1.0 - 1e-3 * 2e3 * ratio_s + 1e-6 * 2e3, 250.0);
    EXPECT_NEAR(last / first, growth, 0.3 * growth) << ratio_s;
    EXPECT_EQ(last > first, ratio_s < 1e-3);
  }
}

// Peg in the hole with other walls, sensors, pegs and ticks than the file's: it gets there, the tips stay together,
// and no more than 1 % of energy is put in.
TEST(Emulation, HoldsUnderOtherConditions) {
  struct Case {
    double stiffness, friction, noise, tick_s, x, y, tilt_x, tilt_y;
    int delay;
  };
  for (const Case& c : {Case{1e7, 0.1, 0.1, 1e-3, 3e-3, 0.0, 0.0, 0.0175, 2},
                        Case{3e5, 0.3, 1.0, 1e-3, -1e-3, 2e-3, 0.01, -0.01, 1},
                        Case{3e6, 0.2, 0.5, 5e-4, 0.0, 3.5e-3, -0.02, 0.0, 2}}) {
    EmulationPlan plan = test::shipped_emulation("peg_in_hole");
    plan.site.law.stiffness = c.stiffness;
    plan.site.law.friction = c.friction;
    plan.sensor.force_noise = c.noise;
    plan.sensor.moment_noise = 0.05 * c.noise;
    plan.sensor.delay = c.delay;
    plan.tick_s = c.tick_s;
    plan.start_S.x() = c.x;
    plan.start_S.y() = c.y;
    plan.misalignment_S = Vec3(c.tilt_x, c.tilt_y, 0.0);
    const Emulation emulation(plan);
    EmulationState state = emulation.initial_state();
    double worst = 0.0;
    while (!emulation.finished(state)) {
      emulation.step(state);
      worst = std::max(worst, emulation::tip_error(state));
    }
    EXPECT_LT(worst, 2e-4) << c.stiffness;
    EXPECT_GT(emulation.in_site(state.tip).p.z(), 0.0495) << c.stiffness;
    EXPECT_NEAR(Vec3(state.contact_W[0], state.contact_W[1], state.contact_W[2]).norm(), 100.0, 5.0)
        << c.stiffness;
    EXPECT_LT(state.energy.generated, 0.01 * state.energy.exchanged) << c.stiffness;
  }
}

TEST(Emulation, IsAValueAndTheSameBits) {
  const Emulation emulation(test::shipped_emulation("peg_in_hole"));
  EmulationState one = emulation.initial_state();
  for (int k = 0; k < 300; ++k) emulation.step(one);
  EmulationState two = one;
  const Emulation again(test::shipped_emulation("peg_in_hole"));
  for (int k = 0; k < 300; ++k) {
    emulation.step(one);
    again.step(two);
  }
  EXPECT_TRUE(test::same_bytes(one, two));
}

TEST(Emulation, HoldsOnDemandAndTakesSignalsFromOutside) {
  EmulationPlan plan = test::shipped_emulation("peg_on_plane");
  const Emulation emulation(plan);
  EmulationState state = emulation.initial_state();
  EmulationInput input{};
  input.has_operator = 1;
  input.operator_twist[0] = 0.02;
  for (int k = 0; k < 2000; ++k) emulation.step(state, input);
  EXPECT_GT(emulation.in_site(state.tip).p.x(), 0.03);
  input.hold = 1;
  emulation.step(state, input);
  const double held = state.target.p[0];
  const double q = state.emulated.machine.q[1];
  for (int k = 0; k < 1000; ++k) emulation.step(state, input);
  EXPECT_EQ(state.target.p[0], held);
  EXPECT_EQ(state.emulated.machine.q[1], q);
  EXPECT_NEAR(state.tip.p[0], held, 2e-4);
  // A wrench from outside takes the place of the sensor's.
  input.hold = 0;
  emulation.read_sensors(state, input);
  state.sensed.wrench[1] = 5.0;  // in the tool's axes, which stand straight on the site
  emulation.command_emulated(state, input);
  EXPECT_NEAR(std::hypot(state.measured_W[0], state.measured_W[1], state.measured_W[2]), 5.0, 0.5);
}

// The crane's tip has no orientation of its own: the tool keeps the one it started with.
TEST(Emulation, PlaysTheCranesTip) {
  EmulationPlan plan = test::shipped_emulation("peg_on_plane");
  plan.emulated.model = machine_file("harvester");
  plan.emulated.initial = {{"swing", 0.0}, {"boom", 0.5}, {"stick", -1.3}};
  plan.operator_acceleration = 0.1;
  plan.phases.clear();
  plan.phases.push_back({"up", 3.0, Vec3(0.02, 0.0, -0.05)});
  const Emulation emulation(plan);
  EmulationState state = emulation.initial_state();
  double worst = 0.0;
  for (int k = 0; k < 3000; ++k) {
    emulation.step(state);
    for (int i = 0; i < 3; ++i)
      worst = std::max(worst, std::fabs(state.tip.p[i] - state.target.p[i]));
  }
  EXPECT_GT(-emulation.in_site(state.tip).p.z(), 0.1);
  EXPECT_LT(worst, 1e-3);
  EXPECT_NEAR(emulation.in_site(state.tip).R(2, 2), 1.0, 1e-6);
}

TEST(Emulation, RefusesWhatCannotBe) {
  const auto complaint = [](const EmulationPlan& plan) -> std::string {
    try {
      const Emulation emulation(plan);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return {};
  };
  EmulationPlan plan = test::shipped_emulation("peg_on_plane");
  EXPECT_EQ(complaint(plan), "");
  plan.host.model = machine_file("harvester");
  plan.host.initial.clear();
  EXPECT_NE(complaint(plan).find("host 'harvester' has 3 joints"), std::string::npos);
  plan = test::shipped_emulation("peg_on_plane");
  plan.emulated.model = machine_file("puma");
  plan.emulated.initial = {{"J1", 0.0}, {"J2", 0.0}, {"J3", 0.0},
                           {"J4", 0.0}, {"J5", 0.0}, {"J6", 0.0}};
  EXPECT_NE(complaint(plan).find("neither an actuator nor a spring"), std::string::npos);
  plan = test::shipped_emulation("peg_on_plane");
  plan.emulated.model = machine_file("harvester");
  plan.emulated.initial.clear();
  plan.emulated.initial = {{"boom", 0.5}, {"stick", -1.3}};
  plan.integrator = emulation::Integrator::kExplicitEuler;
  EXPECT_NE(complaint(plan).find("explicit Euler"), std::string::npos);
}

// --- A host that is not what its control goes by, and sensors that err --------------------------------

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
}  // namespace knuckleboom
