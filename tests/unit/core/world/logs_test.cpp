// Free logs: falling, lying, rolling, sliding, hitting each other.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "knuckleboom/core/math/trig.hpp"
#include "world_test_support.hpp"

namespace knuckleboom::world {
namespace {

WorldRecipe incline(double slope, double friction, double rolling, double heading) {
  WorldRecipe recipe = with_logs({log_at(0.0, 0.0, heading, 1e-4)});
  recipe.ground.size = 200.0;
  recipe.ground.slope_x = slope;
  recipe.ground.level_radius = 0.0;
  recipe.contact.friction = friction;
  recipe.contact.rolling_resistance = rolling;
  return recipe;
}

constexpr double kAcross = 1.5707963267948966;

TEST(FreeLog, FallsAsGalileoSays) {
  for (const double dt : {0.5e-3, 1e-3, 4e-3}) {
    const World world(with_logs({log_at(0.0, 0.0, 0.3, 2.0)}));
    WorldState state = world.initial_state();
    EXPECT_EQ(state.log[0].status, LogStatus::kFree);
    const double z0 = state.log[0].p[2];
    EXPECT_NEAR(z0, 2.0 + 0.12, 1e-12);
    run(world, state, 0.6, dt);
    EXPECT_NEAR(state.log[0].p[2], z0 - 0.5 * kTestGravity * 0.36, 1e-9);
    EXPECT_NEAR(state.log[0].v[2], -kTestGravity * 0.6, 1e-9);
  }
}

TEST(FreeLog, KeepsAngularMomentumAndEnergyInTheAir) {
  const World world(with_logs({log_at(0.0, 0.0, 0.3, 500.0)}));
  WorldState state = world.initial_state();
  const Vec3 omega(3.0, 1.0, -2.0);
  for (int k = 0; k < 3; ++k) state.log[0].omega[k] = omega[k];
  const auto momentum = [&world](const WorldState& s) {
    const Log& log = world.recipe().logs[0];
    const Capsule shape = log_shape(log, s.log[0]);
    const Vec3 axis = (shape.b - shape.a).normalized();
    const LogInertia I = inertia(log);
    const Vec3 w = vec(s.log[0].omega);
    return Vec3(I.transverse * w + (I.axial - I.transverse) * axis.dot(w) * axis);
  };
  const Vec3 L = momentum(state);
  const double E = energy(world, state, 0);
  const Vec3 axis = (log_shape(world.recipe().logs[0], state.log[0]).b - vec(state.log[0].p));
  run(world, state, 5.0);
  EXPECT_LT((momentum(state) - L).norm(), 1e-9 * L.norm());
  EXPECT_NEAR(energy(world, state, 0), E, 1e-8 * std::fabs(E));
  // A free symmetric top precesses about its angular momentum: the angle between them stays.
  const Vec3 now = (log_shape(world.recipe().logs[0], state.log[0]).b - vec(state.log[0].p));
  EXPECT_NEAR(now.normalized().dot(L.normalized()), axis.normalized().dot(L.normalized()), 1e-5);
}

TEST(FreeLog, BouncesLowerEveryTimeAndNeverGainsEnergy) {
  const World world(with_logs({log_at(0.0, 0.0, 0.0, 1.0)}));
  WorldState state = world.initial_state();
  const double start = energy(world, state, 0);
  PartForces forces;
  double apex = 1.12;
  double last_v = 0.0;
  for (int k = 0; k < 5000; ++k) {
    world.step({}, 1e-3, state, forces);
    EXPECT_LE(energy(world, state, 0), start * (1.0 + 1e-9)) << k;
    if (last_v > 0.0 && state.log[0].v[2] <= 0.0) {
      EXPECT_LT(state.log[0].p[2], apex) << k;
      apex = state.log[0].p[2];
    }
    last_v = state.log[0].v[2];
  }
  EXPECT_EQ(state.log[0].status, LogStatus::kResting);
}

TEST(FreeLog, SinksInByItsWeightOverTheStiffness) {
  const World world(with_logs({log_at(0.0, 0.0, 0.0, 1e-3)}));
  WorldState state = world.initial_state();
  run_awake(world, state, 3.0);
  const Log& log = world.recipe().logs[0];
  // An axis of 3.76 m touches at four points.
  const double depth = mass(log) * kTestGravity / (4.0 * world.recipe().contact.stiffness);
  EXPECT_NEAR(log.radius - state.log[0].p[2], depth, 1e-3 * depth);
}

TEST(FreeLog, StaysOnASlopeFlatterThanTheFrictionAngle) {
  const World world(incline(0.5, 0.6, 0.1, 0.0));
  WorldState state = world.initial_state();
  run_awake(world, state, 1.0);
  const Vec3 p = vec(state.log[0].p);
  run_awake(world, state, 60.0);
  EXPECT_LT((vec(state.log[0].p) - p).norm(), 1e-6);
  EXPECT_EQ(state.log[0].status, LogStatus::kFree);
}

TEST(FreeLog, SlidesDownASteeperSlope) {
  const double slope = 0.7, friction = 0.4;
  const World world(incline(slope, friction, 0.0, 0.0));
  WorldState state = world.initial_state();
  run(world, state, 1.0);
  const double v1 = vec(state.log[0].v).norm();
  run(world, state, 1.0);
  const double v2 = vec(state.log[0].v).norm();
  const double c = 1.0 / std::sqrt(1.0 + slope * slope);
  EXPECT_NEAR(v2 - v1, kTestGravity * (slope * c - friction * c), 1e-3 * (v2 - v1));
}

TEST(FreeLog, RollsDownASlope) {
  for (const double resistance : {0.0, 0.1}) {
    const double slope = 0.3;
    const World world(incline(slope, 0.8, resistance, kAcross));
    WorldState state = world.initial_state();
    run(world, state, 1.0);
    const double v1 = vec(state.log[0].v).norm();
    run(world, state, 1.0);
    const double v2 = vec(state.log[0].v).norm();
    const double c = 1.0 / std::sqrt(1.0 + slope * slope);
    // Solid cylinder: m a = m g sin - F, (m r / 2) a = F r - resistance N r.
    EXPECT_NEAR(v2 - v1, 2.0 / 3.0 * kTestGravity * (slope * c - resistance * c), 5e-3 * (v2 - v1));
    EXPECT_NEAR(vec(state.log[0].omega).norm() * 0.12, v2, 5e-3 * v2);
  }
}

TEST(FreeLog, DoesNotRollOnASlopeFlatterThanItsRollingResistance) {
  const World world(incline(0.08, 0.6, 0.1, kAcross));
  WorldState state = world.initial_state();
  run_awake(world, state, 1.0);
  const Vec3 p = vec(state.log[0].p);
  run_awake(world, state, 60.0);
  EXPECT_LT((vec(state.log[0].p) - p).norm(), 1e-6);
}

TEST(FreeLog, RollsOutOnLevelGround) {
  WorldRecipe recipe = with_logs({log_at(0.0, 0.0, kAcross, 1e-4)});
  recipe.contact.rolling_resistance = 0.05;
  const World world(recipe);
  WorldState state = world.initial_state();
  state.log[0].v[0] = 1.0;
  state.log[0].omega[1] = 1.0 / 0.12;
  run(world, state, 5.0);
  EXPECT_EQ(state.log[0].status, LogStatus::kResting);
  // Slowed by (2/3) c g.
  EXPECT_NEAR(state.log[0].p[0], 0.5 / (2.0 / 3.0 * 0.05 * kTestGravity), 0.02);
}

TEST(FreeLogs, KeepMomentumWhenTheyMeet) {
  const Vec3 about(0.0, 0.0, 300.0);
  for (const double heading : {0.0, 0.05, 1.2}) {
    const World world(
        with_logs({log_at(0.0, 0.0, 0.0, 300.0), log_at(0.3, 2.5, heading, 300.1, 0.15, 3.0)}));
    WorldState state = world.initial_state();
    state.log[1].v[1] = -4.0;
    state.log[1].omega[0] = 1.0;
    const auto momenta = [&world, &about](const WorldState& s, Vec3& linear, Vec3& angular,
                                          double& E) {
      linear = angular = Vec3::Zero();
      E = 0.0;
      for (int i = 0; i < 2; ++i) {
        const Log& log = world.recipe().logs[static_cast<std::size_t>(i)];
        const Capsule shape = log_shape(log, s.log[i]);
        const Vec3 axis = (shape.b - shape.a).normalized();
        const LogInertia I = inertia(log);
        const Vec3 w = vec(s.log[i].omega);
        const Vec3 p = mass(log) * vec(s.log[i].v);
        linear += p;
        angular += (vec(s.log[i].p) - about).cross(p) + I.transverse * w +
                   (I.axial - I.transverse) * axis.dot(w) * axis;
        E += energy(world, s, i);
      }
    };
    Vec3 p0, L0, p1, L1;
    double E0, E1;
    momenta(state, p0, L0, E0);
    const double v0 = state.log[0].v[1];
    const double t = 0.8;
    // Bodies in touch feel gravity where a step begins: half a step of them counts.
    run(world, state, t, 0.25e-3);
    momenta(state, p1, L1, E1);
    EXPECT_LT(state.log[0].v[1], v0 - 0.5) << "they did not meet";
    double m = 0.0;
    Vec3 moment = Vec3::Zero();  // first moment of mass
    for (int i = 0; i < 2; ++i) {
      const double mi = mass(world.recipe().logs[static_cast<std::size_t>(i)]);
      m += mi;
      moment += mi * vec(state.log[i].p);
    }
    // Gravity acts at the common centre of mass, which falls in a plane x = const.
    const Vec3 g(0.0, 0.0, -kTestGravity);
    EXPECT_LT((p1 - p0 - m * t * g).norm(), 1e-9 * m) << heading;
    const Vec3 centre_now = moment / m - about;
    const Vec3 v_mean = p0 / m;
    const Vec3 mid = centre_now - 0.5 * t * v_mean;  // mean horizontal place while falling
    Vec3 gravity_moment = t * Vec3(mid.cross(m * g));
    gravity_moment.z() = 0.0;
    EXPECT_LT((L1 - L0 - gravity_moment).norm(), 1e-3 * L0.norm()) << heading;
    EXPECT_LT(E1, E0);
  }
}

TEST(FreeLogs, MoveTheSameAtAnyRate) {
  WorldRecipe recipe = with_logs({log_at(0.0, 0.0, 0.0, 0.5), log_at(0.2, 0.1, 0.7, 1.0)});
  const World world(recipe);
  WorldState base = world.initial_state();
  run(world, base, 1.2, 0.5e-3);
  for (const double dt : {1e-3, 2e-3, 4e-3}) {
    WorldState state = world.initial_state();
    run(world, state, 1.2, dt);
    for (int i = 0; i < 2; ++i)
      EXPECT_LT((vec(state.log[i].p) - vec(base.log[i].p)).norm(), 1e-6) << dt;
  }
}

}  // namespace
}  // namespace knuckleboom::world
