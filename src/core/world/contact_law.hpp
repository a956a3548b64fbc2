// The force of one contact. docs/theory/contact.md, eq. 6 to 11.
#pragma once

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/limited.hpp"
#include "knuckleboom/core/world/world.hpp"

namespace knuckleboom::world {

inline constexpr double kSmallStep = 0.5e-3;     // longest step of the logs [s]
inline constexpr double kHardeningDepth = 0.06;  // there the spring is twice as stiff [m]
inline constexpr double kHardeningLimit = 3.0;   // largest addition by hardening, in stiffnesses
inline constexpr double kDampingDepth = 0.2e-3;  // there damping has half its strength [m]
inline constexpr double kTangential = 0.5;       // stiffness of the bristle / of the spring
inline constexpr double kRolling = 0.1;          // of the rolling spring / (bristle x radius^2)
inline constexpr double kSpinDamping = 0.25;     // share of a spin that a step may take away
inline constexpr double kMachineMass = 40.0;     // of a part about which nothing is known [kg]
// A living stem as a beam clamped at its foot. Green wood along the grain: 8 to 11 GPa; the roots give too.
inline constexpr double kStemModulus = 8e9;  // Pa
inline constexpr double kStemClamped = 0.3;  // from the ground down to the clamp [m]
inline constexpr double kLeastStemStiffness =
    1e5;  // N/m; what gives more would have to bend in the picture

// A log's axis: its own x axis, rotated.
inline Vec3 axis_of(const double* q) {
  return Vec3(1.0 - 2.0 * (q[2] * q[2] + q[3] * q[3]), 2.0 * (q[1] * q[2] + q[0] * q[3]),
              2.0 * (q[1] * q[3] - q[0] * q[2]));
}

// own: of a body or the soil; negative: as of all others.
inline double friction_of(const ContactLaw& law, double own) {
  return own < 0.0 ? law.friction : own;
}

// Contact law of a pair of bodies.
struct PairLaw {
  double k, b;  // N/m, N s/m
  double friction;
  double roll_radius;                  // torque limit / normal force [m]
  double roll_k;                       // N m/rad
  double roll_b_along, roll_b_across;  // about the log's axis and across it [N m s/rad]
};

// Damping for the mass that meets at the point, limited so that a force held over dt does not reverse a
// slow motion. inverse_mass: of both bodies together [1/kg].
inline double contact_damping(const ContactLaw& law, double k, double inverse_mass, double dt) {
  if (inverse_mass <= 0.0) return 0.0;
  const double mass = 1.0 / inverse_mass;
  return std::min(2.0 * law.damping_ratio * std::sqrt(k * mass), 0.5 * mass / dt);
}

// Stiffness of the contact and the stem behind it, at this height [N/m].
inline double stiffness_at(const ContactLaw& law, const World::Fixed& fixed, double z) {
  if (fixed.bending <= 0.0) return law.stiffness;
  const double arm = std::max(z - fixed.foot_z, 0.0) + kStemClamped;
  const double stem = std::max(fixed.bending / (arm * arm * arm), kLeastStemStiffness);
  return law.stiffness * stem / (law.stiffness + stem);
}

// Rolling and spinning of a log of this radius and inertia.
inline void add_rolling(const ContactLaw& law, double radius, const LogInertia& inertia,
                        PairLaw& pair) {
  pair.roll_radius = law.rolling_resistance * radius;
  pair.roll_k = kRolling * kTangential * law.stiffness * radius * radius;
  pair.roll_b_along = std::sqrt(pair.roll_k * inertia.axial);
  // Damped like rolling, or a log on one support would swing for long; but never more than a log that
  // lies across can bear in a step.
  pair.roll_b_across = std::min(std::sqrt(pair.roll_k * inertia.transverse),
                                kSpinDamping * inertia.axial / kSmallStep);
}

struct ContactForce {
  Vec3 f;         // on a [N]
  Vec3 torque;    // on a, against rolling and spinning [N m]
  double normal;  // N
};

// normal: from b to a. v, omega: of a relative to b, at the contact. axis: of the log that rolls. Advances the
// bristles by h.
inline ContactForce contact_force(const PairLaw& law, double depth, const Vec3& normal,
                                  const Vec3& v, const Vec3& omega, const Vec3& axis, double h,
                                  ContactState& contact) {
  const double x = depth / kHardeningDepth;
  const double hardening = std::min(x * x, kHardeningLimit);
  const double ramp = depth / (depth + kDampingDepth);
  const double v_n = v.dot(normal);
  const double stiff = std::sqrt(1.0 + 3.0 * hardening);
  const double N = std::max(0.0, law.k * depth * (1.0 + hardening) - law.b * stiff * ramp * v_n);

  const double k_t = kTangential * law.k;
  const double most = law.friction * N;
  const Vec3 v_t = v - v_n * normal;
  const Vec3 old = vec(contact.bristle);
  const Vec3 bristle = limited(old - old.dot(normal) * normal + h * v_t, most / k_t);
  const Vec3 f_t = limited(-k_t * bristle - kTangential * law.b * ramp * v_t, most);
  store(bristle, contact.bristle);

  ContactForce out{N * normal + f_t, Vec3::Zero(), N};
  if (law.roll_radius > 0.0) {
    const double most_roll = law.roll_radius * N;
    const Vec3 roll = limited(vec(contact.roll) + h * omega, most_roll / law.roll_k);
    const Vec3 along = axis.dot(omega) * axis;
    out.torque =
        limited(-law.roll_k * roll - law.roll_b_along * along - law.roll_b_across * (omega - along),
                most_roll);
    store(roll, contact.roll);
  }
  store(normal, contact.normal);
  contact.impulse += N * h;
  return out;
}

}  // namespace knuckleboom::world
