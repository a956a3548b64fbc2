#include "knuckleboom/core/friction/friction.hpp"

#include <cmath>

#include "knuckleboom/core/math/exponential.hpp"

namespace knuckleboom::friction {

FrictionModel continuous_coulomb_viscous(double F_c, double F_s, double viscous, double v_min,
                                         double n) {
  FrictionModel model;
  model.kind = Kind::kContinuous;
  model.F_c = F_c;
  model.F_s = F_s - viscous * v_min;
  model.v_min = v_min;
  model.n = n;
  return model;
}

const char* fault_of(const FrictionModel& m) {
  if (m.kind == Kind::kNone) return nullptr;
  if (!(m.F_c > 0.0) || !std::isfinite(m.F_c)) return "Coulomb friction must be above zero";
  // The peak of a continuous model excludes its viscous part.
  if (!(m.F_s >= (m.kind == Kind::kContinuous ? 0.0 : m.F_c)) || !std::isfinite(m.F_s))
    return "static friction must not be below Coulomb friction";
  if ((m.kind == Kind::kStribeck || m.kind == Kind::kLuGre) && !(m.v_s > 0.0))
    return "the Stribeck speed must be above zero";
  if (m.kind == Kind::kContinuous && !(m.v_min > 0.0))
    return "the speed of the peak must be above zero";
  if (m.kind == Kind::kContinuous && !(m.n > 1.0))
    return "the fall from static to Coulomb friction must end beyond the peak: n above 1";
  if (m.kind == Kind::kLuGre && !(m.sigma_0 > 0.0))
    return "the bristles need a stiffness above zero";
  if (m.kind == Kind::kLuGre && !(m.sigma_1 >= 0.0))
    return "the bristles' damping must not be negative";
  return nullptr;
}

Force stribeck_level(const FrictionModel& m, double v) {
  const double r = v / m.v_s;
  const double extra = (m.F_s - m.F_c) * decay(r * r);
  return {m.F_c + extra, -2.0 * r / m.v_s * extra};
}

Force sliding(const FrictionModel& m, double sense, double v) {
  if (m.kind == Kind::kCoulomb) return {sense * m.F_c, 0.0};
  const Force level = stribeck_level(m, v);
  return {sense * level.force, sense * level.slope};
}

Force continuous(const FrictionModel& m, double v) {
  const double speed = std::fabs(v);
  if (speed <= m.v_min) return {creep_resistance(m) * v, creep_resistance(m)};
  if (speed >= m.n * m.v_min) return {std::copysign(m.F_c, v), 0.0};
  return falling(m, v > 0.0 ? 1.0 : -1.0, v);
}

Force falling(const FrictionModel& m, double sense, double v) {
  const double slope = (m.F_c - m.F_s) / ((m.n - 1.0) * m.v_min);
  return {sense * (m.F_s + slope * (sense * v - m.v_min)), slope};
}

Bristle bristle(const FrictionModel& m, double z_star, double g, double v) {
  const Force level = stribeck_level(m, v);
  const double speed = std::fabs(v);
  const double slip = g * m.sigma_0 * speed / level.force;
  const double z = (z_star + g * v) / (1.0 + slip);
  const double slip_slope =
      g * m.sigma_0 * (std::copysign(1.0, v) - speed * level.slope / level.force) / level.force;
  return {z, (g - z * slip_slope) / (1.0 + slip)};
}

Bristle bristle_step(const FrictionModel& m, double z_start, double h, double v) {
  const Force level = stribeck_level(m, v);
  const double speed = std::fabs(v);
  const double y = h * m.sigma_0 * speed / level.force;
  const double y_slope =
      h * m.sigma_0 * (std::copysign(1.0, v) - speed * level.slope / level.force) / level.force;
  const double den = 2.0 + 2.0 * y + y * y;
  const double z = (2.0 * z_start + (2.0 + y) * h * v) / den;
  return {z, ((2.0 + y) * h + (h * v - (2.0 + 2.0 * y) * z) * y_slope) / den};
}

Bristle bristle_at(const FrictionModel& m, double z_star, double g, double v, double v_slip) {
  const double slip = g * m.sigma_0 * std::fabs(v_slip) / stribeck_level(m, v_slip).force;
  return {(z_star + g * v) / (1.0 + slip), g / (1.0 + slip)};
}

Force bristle_force(const FrictionModel& m, double z_star, const Bristle& end, double g,
                    double share) {
  const double stiffness = share * m.sigma_0 + m.sigma_1 / g;
  return {m.sigma_0 * z_star + stiffness * (end.z - z_star), stiffness * end.slope};
}

double steepest_fall(const FrictionModel& m, double g) {
  constexpr double kSteepestOfBell = 0.85776388496070679;  // sqrt(2 / e), of exp(-x^2)
  constexpr double kLargestOfBell = 0.73575888234288464;   // 2 / e, of 2 x^2 exp(-x^2)
  switch (m.kind) {
    case Kind::kStribeck:
      return kSteepestOfBell * (m.F_s - m.F_c) / m.v_s;
    case Kind::kContinuous:
      return std::fmax(0.0, m.F_s - m.F_c) / ((m.n - 1.0) * m.v_min);
    case Kind::kLuGre: {
      const double ratio = m.F_s / m.F_c;
      return (g * m.sigma_0 + m.sigma_1) * (ratio * (1.0 + kLargestOfBell * (ratio - 1.0)) - 1.0);
    }
    case Kind::kNone:
    case Kind::kCoulomb:
      break;
  }
  return 0.0;
}

}  // namespace knuckleboom::friction
