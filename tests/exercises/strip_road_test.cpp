// The strip road, driven by the demonstrator, empty and loaded. Short: 26 m with side slope, ditch, a stump under the
// right bogies and two halts. KNUCKLEBOOM_LONG: the exercises as they are, two seeds in both models.
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "knuckleboom/core/multibody/kinematics.hpp"
#include "knuckleboom/core/training/check_state.hpp"
#include "knuckleboom/io/exercise_file.hpp"
#include "support/long_run.hpp"
#include "support/paths.hpp"
#include "support/trainer.hpp"

namespace knuckleboom::strip_road_test {
namespace {

using training::SessionSnapshot;
using training::TaskPhase;

training::Exercise road(const std::string& name, int seed, bool whole) {
  training::Exercise e =
      io::read_exercise(KNUCKLEBOOM_SOURCE_DIR "/config/exercises/" + name + ".toml",
                        std::vector<io::Override>{{"way.seed", std::to_string(seed)}})
          .exercise;
  if (whole) return e;
  e.world.way.stops = {7.0, 26.0};
  e.world.ground.ditches[0].x = -17.0;
  e.world.ground.stumps.push_back({-23.0, 1.1, 0.2, 0.2});
  return e;
}

// Momentum of all bodies [kg m/s].
Vec3 momentum(const machine::MachineModel& model, const machine::MachineState& state) {
  const multibody::Kinematics k = multibody::forward_kinematics(model.tree, state.q, state.v);
  Vec3 sum = Vec3::Zero();
  for (int b = 0; b < model.tree.body_count(); ++b) {
    const multibody::Body& body = model.tree.body(b);
    sum += body.inertia.mass * multibody::point_motion(model.tree, k, b, body.inertia.com).v_W;
  }
  return sum;
}

double total_mass(const training::Session& session) {
  const multibody::Tree& tree = session.machine().tree;
  double sum = 0.0;
  for (int b = 0; b < tree.body_count(); ++b) sum += tree.body(b).inertia.mass;
  for (const world::Log& log : session.world().recipe().logs) sum += world::mass(log);
  return sum;
}

// The machine and the logs that are not at rest on it.
Vec3 momentum(const training::Session& session, const training::SessionState& state) {
  Vec3 sum = momentum(session.machine(), state.sim.machine);
  for (int i = 0; i < session.world().log_count(); ++i)
    sum += world::mass(session.world().recipe().logs[static_cast<std::size_t>(i)]) *
           vec(state.worksite.world.log[i].v);
  return sum;
}

// How much lower than the ground anything of the frame is, and how deep any tyre [m].
void look_below(const training::Session& session, const SessionSnapshot& s, double& frame,
                double& tyre) {
  const machine::MachineModel& model = session.machine();
  const world::Ground& ground = session.world().ground();
  const auto above = [&](const Vec3& p) { return p.z() - world::height(ground, p.x(), p.y()); };
  const auto place = [&](int body, const Vec3& p_B) {
    const multibody::Body& b = model.tree.body(body);
    const training::PoseSnapshot& link = s.body[b.link];
    const multibody::Body& carrier = model.tree.body(model.tree.link(b.link).body);
    // Welded bodies move with the link's body.
    const Vec3 in_link = b.in_link.R * p_B + b.in_link.p;
    const Vec3 in_body = carrier.in_link.R.transpose() * (in_link - carrier.in_link.p);
    return Vec3(quaternion(link.q) * in_body + vec(link.p));
  };
  for (const machine::ContactShape& shape : model.shapes)
    if (shape.role == machine::ShapeRole::kCarrier && shape.body != multibody::kBase)
      for (const Vec3& end : {shape.from_B, shape.to_B})
        frame = std::max(frame, shape.radius - above(place(shape.body, end)));
  for (const machine::Wheel& wheel : model.wheels)
    tyre = std::max(tyre, wheel.radius - above(place(wheel.body, wheel.centre_B)));
}

void is_driven(const std::string& name) {
  const bool whole = test::long_run();
  for (const int seed : {1, 2})
    for (const machine::Fidelity fidelity :
         {machine::Fidelity::kReduced, machine::Fidelity::kFull}) {
      const bool full = fidelity == machine::Fidelity::kFull, loaded = name != "strip_road";
      if (!whole && ((seed == 2) != full || (loaded && full))) continue;
      SCOPED_TRACE(fmt::format("seed {} {}", seed, machine::word_of(fidelity)));
      training::Exercise exercise = road(name, seed, whole);
      exercise.fidelity = fidelity;
      const training::Session session(test::shipped_machine("forwarder_8w"),
                                      test::shipped_levers("nordic_drive"), exercise);
      const machine::MachineModel& model = session.machine();
      const carrier::Carrier& carrier = session.simulation().carrier();
      const training::Demonstrator driver(session);
      training::DemonstratorState hands = driver.initial_state();
      training::SessionState state = session.initial_state();
      session.apply({training::CommandKind::kControlMode,
                     static_cast<std::int32_t>(command::ControlMode::kBoomTip)},
                    state);
      SessionSnapshot s = session.snapshot(state);
      const double h = session.tick_s(), mass = total_mass(session);
      const Vec3 weight = mass * model.tree.gravity_W;
      Vec3 impulse = Vec3::Zero(), before = momentum(session, state);
      double worst = 0.0, frame = -1.0, tyre = 0.0;
      for (int k = 1; k < 400'000 && !has_ended(s.task.phase); ++k) {
        const machine::MachineState machine = state.sim.machine;
        carrier::CarrierState wheels = state.sim.carrier;
        session.step(driver.drive(s, h, hands), state, s);
        double tau[kMaxLinks] = {};
        carrier.step(machine, state.sim.input.carrier, wheels, tau);
        // The root's first three joints slide along the world's axes.
        impulse += h * (Vec3(tau[0], tau[1], tau[2]) + weight);
        if (k % 100 == 0) look_below(session, s, frame, tyre);
        if (k % 5000 == 0) {
          EXPECT_EQ(training::check_state(session, state), "");
        }
        if (k % 1000 != 0) continue;
        const Vec3 now = momentum(session, state);
        worst = std::max(worst, (now - before - impulse).norm() / (1000 * h * weight.norm()));
        before = now;
        impulse = Vec3::Zero();
      }
      testing::Test::RecordProperty(
          fmt::format("{}_time_s_{}_{}", name, seed, machine::word_of(fidelity)),
          std::to_string(s.score.time_s));
      std::printf(
          "[ %s %d %s ] time %.1f s, error %.2f m, on the way %.4f, forces %.1e, frame %.2f m "
          "above the ground, tyres %.2f m deep\n",
          name.c_str(), seed, machine::word_of(fidelity), s.score.time_s, s.score.error_m,
          s.score.on_way, worst, -frame, tyre);
      EXPECT_EQ(s.task.phase, TaskPhase::kPassed);
      EXPECT_EQ(s.task.step, s.task.steps);
      EXPECT_EQ(s.score.collisions, 0.0);
      EXPECT_GE(s.score.on_way, 0.98);
      EXPECT_LE(s.score.error_m, 0.5);
      if (whole) {  // between those of an experienced and of a beginning driver, 1.0 and 0.6 m/s
        EXPECT_GT(s.score.time_s, exercise.world.way.stops.back() / 1.0);
        EXPECT_LT(s.score.time_s, exercise.world.way.stops.back() / 0.6);
      }
      EXPECT_LT(worst, 0.01);
      EXPECT_LT(frame, 0.0);
      EXPECT_LT(tyre, 0.3);
      EXPECT_EQ(s.sim.health.non_finite, 0);
      EXPECT_EQ(s.load.count, static_cast<int>(exercise.world.logs.size()));
      EXPECT_EQ(state.worksite.world.contacts_dropped, 0);
    }
}

TEST(StripRoad, IsDrivenAndItsForcesAddUp) { is_driven("strip_road"); }

// Thirty logs, 5.8 t: all of them arrive.
TEST(StripRoad, IsDrivenLoaded) { is_driven("strip_road_loaded"); }

}  // namespace
}  // namespace knuckleboom::strip_road_test
