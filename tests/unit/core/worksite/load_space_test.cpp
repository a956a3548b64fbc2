// The load space of the forwarders: where its parts are, what lies in it, and what it weighs on the wheels.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "knuckleboom/core/training/session.hpp"
#include "support/trainer.hpp"

namespace knuckleboom::load_space_test {
namespace {

using training::Session;
using training::SessionSnapshot;
using training::SessionState;

// Logs in rows above the floor, lengthwise over a forwarder that stands at the origin.
training::Exercise with_load(int count, double density = 850.0) {
  training::Exercise e = test::shipped_exercise("piles");  // for where its crane stands
  e.world = {};
  e.load_space = true;
  for (int i = 0; i < count; ++i) {
    world::Log log;
    log.name = "log_" + std::to_string(i + 1);
    log.x = 2.9;
    log.y = 0.36 * (i % 7 - 3);
    log.lift = 1.4 + 0.3 * (i / 7);
    log.density = density;
    log.length = 4.0 + 0.05 * (i % 5);
    e.world.logs.push_back(log);
  }
  return e;
}

struct Loaded {
  Session session;
  std::unique_ptr<SessionState> state;
  std::unique_ptr<SessionSnapshot> now;
  command::OperatorInput input{};

  Loaded(const std::string& machine, const training::Exercise& exercise)
      : session(test::shipped_machine(machine), test::shipped_levers("nordic_drive"), exercise),
        state(std::make_unique<SessionState>(session.initial_state())),
        now(std::make_unique<SessionSnapshot>(session.snapshot(*state))) {}
  void run(double seconds) {
    const auto ticks = std::lround(seconds / session.tick_s());
    for (long k = 0; k < ticks; ++k) session.step(input, *state, *now);
  }
  int resting() const {
    return static_cast<int>(
        std::count(now->log_status, now->log_status + now->log_count, world::LogStatus::kResting));
  }
  double wheel_loads() const {
    double sum = 0.0;
    for (int i = 0; i < now->sim.wheel_count; ++i) sum += now->sim.wheel[i].load;
    return sum;
  }
};

TEST(LoadSpace, StandsWhereTheFileSays) {
  const machine::MachineModel machine = test::shipped_machine("forwarder");
  ASSERT_TRUE(machine.load_space.present);
  double inner = 1e9, top = 0.0, headboard = 0.0, floor = 0.0;
  int stakes = 0;
  for (const machine::ContactShape& shape : machine.shapes) {
    if (shape.role == machine::ShapeRole::kBed) floor = shape.from_B.z() + shape.radius;
    if (shape.role != machine::ShapeRole::kStake) continue;
    const double high = std::max(shape.from_B.z(), shape.to_B.z()) + shape.radius;
    if (shape.from_B.y() == shape.to_B.y()) {
      ++stakes;
      inner = std::min(inner, 2.0 * (std::fabs(shape.from_B.y()) - shape.radius));
      top = std::max(top, high);
    } else {
      headboard = std::max(headboard, high);
      EXPECT_NEAR(shape.from_B.x() + shape.radius, 0.55, 1e-12);
    }
  }
  EXPECT_EQ(stakes, 8);
  EXPECT_NEAR(inner, 2.75, 1e-12);
  EXPECT_NEAR(inner * (top - floor), 4.8, 0.02);  // m^2 of section
  EXPECT_NEAR(headboard, 2.4, 1e-12);
  EXPECT_NEAR(floor, 1.35, 1e-12);
  EXPECT_TRUE(test::shipped_machine("forwarder_8w").load_space.present);
}

TEST(LoadSpace, HoldsLogsAndTellsTheirNumberAndMass) {
  Loaded load("forwarder", with_load(10));
  load.run(4.0);
  EXPECT_EQ(load.resting(), 10);
  EXPECT_EQ(load.now->load.count, 10);
  double mass = 0.0;
  for (const world::Log& log : load.session.exercise().world.logs) mass += world::mass(log);
  EXPECT_NEAR(load.now->load.mass_kg, mass, 1e-6);
  // One that is taken out counts no more; nor does one that lies across, or reaches too far back.
  world::LogState& log = load.state->worksite.world.log[3];
  const double x = log.p[0];
  log.p[0] = x + 0.9;
  EXPECT_FALSE(load.session.snapshot(*load.state).load.logs.has(3));
  log.p[0] = x;
  EXPECT_TRUE(load.session.snapshot(*load.state).load.logs.has(3));
  log.p[2] += 3.0;
  EXPECT_EQ(load.session.snapshot(*load.state).load.count, 9);
}

TEST(LoadSpace, IsTakenOffWhereTheExerciseSaysSo) {
  training::Exercise exercise = with_load(1);
  exercise.load_space = false;
  Loaded load("forwarder", exercise);
  EXPECT_EQ(load.session.machine().shapes.size(), 13U);
  load.run(2.0);
  EXPECT_EQ(load.now->load.count, 0);
  EXPECT_LT(load.now->log[0].p[2], 1.3);
}

// At rest the logs weigh on the wheels as what they are, and wake when the machine drives off with them.
TEST(LoadSpace, WeighsOnTheWheelsAndDrivesAlong) {
  Loaded empty("forwarder_8w", with_load(0)), load("forwarder_8w", with_load(7, 2000.0));
  empty.run(2.0);
  load.run(9.0);
  EXPECT_EQ(load.resting(), 7);
  EXPECT_EQ(load.now->load.count, 7);
  const double weight = 9.81 * load.now->load.mass_kg;
  EXPECT_NEAR(load.wheel_loads() - empty.wheel_loads(), weight, 0.02 * weight);
  const double before = load.wheel_loads();
  load.run(1.0);
  EXPECT_EQ(load.resting(), 7);
  EXPECT_NEAR(load.wheel_loads(), before, 5e-3 * before);
  const double x = load.now->load.centre_W[0], log_x = load.now->log[0].p[0];
  load.input.axis[static_cast<int>(command::LeverAxis::kRightPedal)] = 0.6;
  load.run(4.0);
  load.input = {};
  load.run(1.0);
  const double way = load.now->load.centre_W[0] - x;
  std::printf("7 logs of %.0f kg: %.1f kN more on the wheels, by hand %.1f; driven %.2f m\n",
              load.now->load.mass_kg, 1e-3 * (before - empty.wheel_loads()), 1e-3 * weight, way);
  EXPECT_GT(std::fabs(way), 1.0);
  EXPECT_EQ(load.now->load.count, 7);
  EXPECT_EQ(load.now->element_load, 7);
  EXPECT_NEAR(load.now->log[0].p[0] - log_x, way, 0.05);
  EXPECT_EQ(load.state->worksite.world.contacts_dropped, 0);
}

}  // namespace
}  // namespace knuckleboom::load_space_test
