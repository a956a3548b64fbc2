// Small forests for the tests of the world.
#pragma once

#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/world/world.hpp"

namespace knuckleboom::world {

inline constexpr double kTestGravity = 9.81;

inline Log log_at(double x, double y, double heading, double lift, double radius = 0.12,
                  double length = 4.0) {
  Log log;
  log.name = "log";
  log.x = x;
  log.y = y;
  log.heading = heading;
  log.lift = lift;
  log.radius = radius;
  log.length = length;
  return log;
}

inline WorldRecipe with_logs(const std::vector<Log>& logs) {
  WorldRecipe recipe;
  recipe.logs = logs;
  return recipe;
}

// Why there can be no such forest; empty: there can.
inline std::string complaint(const WorldRecipe& recipe) {
  try {
    const World world(recipe);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

inline void run(const World& world, WorldState& state, double seconds, double dt = 1e-3) {
  PartForces forces;
  const long ticks = std::lround(seconds / dt);
  for (long k = 0; k < ticks; ++k) world.step({}, dt, state, forces);
}

// As run(), but no log may come to rest.
inline void run_awake(const World& world, WorldState& state, double seconds, double dt = 1e-3,
                      std::span<const MachinePart> parts = {}) {
  PartForces forces;
  const long ticks = std::lround(seconds / dt);
  for (long k = 0; k < ticks; ++k) {
    for (int i = 0; i < world.log_count(); ++i) state.log[i].calm_ticks = 0;
    world.step(parts, dt, state, forces);
  }
}

// Kinetic and in the field of gravity [J].
inline double energy(const World& world, const WorldState& state, int i) {
  const Log& log = world.recipe().logs[static_cast<std::size_t>(i)];
  const LogState& s = state.log[i];
  const Capsule shape = log_shape(log, s);
  const Vec3 axis = (shape.b - shape.a).normalized();
  const Vec3 omega = vec(s.omega);
  const LogInertia I = inertia(log);
  const double axial = omega.dot(axis);
  return mass(log) * (0.5 * vec(s.v).squaredNorm() + kTestGravity * s.p[2]) +
         0.5 * I.axial * axial * axial + 0.5 * I.transverse * (omega.squaredNorm() - axial * axial);
}

// Something with a mass that goes straight on unless a contact force stops it.
struct Ram : Mobility {
  MachinePart part;
  double mass;
  Vec3 push = Vec3::Zero();  // N

  Ram(PartRole role, const Vec3& a, const Vec3& b, double radius, double m, const Vec3& v)
      : mass(m) {
    part.shape = {a, b, radius};
    part.p_W = a;
    part.v_W = v;
    part.omega_W = Vec3::Zero();
    part.role = role;
    part.id = 7;
  }
  double along(int /*part*/, const Vec3& /*p_W*/, const Vec3& /*n_W*/) const override {
    return 1.0 / mass;
  }
  void tick(const World& world, WorldState& state, double dt, PartForces& forces) {
    world.step(std::span<const MachinePart>(&part, 1), dt, state, forces, this);
    Vec3 f = push;
    for (int i = 0; i < forces.count; ++i) f += forces.force[i].f_W;
    const Vec3 a = f / mass;
    const Vec3 way = dt * part.v_W + 0.5 * dt * dt * a;
    part.shape.a += way;
    part.shape.b += way;
    part.p_W += way;
    part.v_W += dt * a;
  }
};

}  // namespace knuckleboom::world
