// The force of one contact. docs/theory/contact.md, eq. 6 to 11.
#pragma once

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/world/world.hpp"

namespace knuckleboom::world {

inline constexpr double kSmallStep = 0.5e-3;     // longest step of the logs [s]
inline constexpr double kHardeningDepth = 0.06;  // there the spring is twice as stiff [m]
inline constexpr double kHardeningLimit = 3.0;   // largest addition by hardening, in stiffnesses
inline constexpr double kDampingDepth = 0.2e-3;  // there damping has half its strength [m]
inline constexpr double kTangential = 0.5;       // stiffness of the bristle / of the spring
inline constexpr double kRolling = 0.1;          // of the rolling spring / (bristle x radius^2)
inline constexpr double kMachineMass = 40.0;     // smallest effective mass of the machine at a
                                                 // contact [kg]

// A log's axis: its own x axis, rotated.
inline Vec3 axis_of(const double* q) {
  return Vec3(1.0 - 2.0 * (q[2] * q[2] + q[3] * q[3]), 2.0 * (q[1] * q[2] + q[0] * q[3]),
              2.0 * (q[1] * q[3] - q[0] * q[2]));
}

// A log lying on four contacts has the law's damping ratio.
inline double log_damping(const ContactLaw& law, double mass) {
  return law.damping_ratio * std::sqrt(law.stiffness * mass);
}

// The effective mass of the machine at the contact is unknown: the damping suits a light one and is
// limited so that a force held over a tick does not reverse a slow motion.
inline double machine_damping(const ContactLaw& law, double dt) {
  return std::min(2.0 * law.damping_ratio * std::sqrt(law.stiffness * kMachineMass),
                  0.5 * kMachineMass / dt);
}

// Contact law of a pair of bodies.
struct PairLaw {
  double k, b;  // N/m, N s/m
  double friction;
  double roll_radius;     // torque limit / normal force [m]
  double roll_k, roll_b;  // N m/rad, N m s/rad
};

inline PairLaw pair_law(const ContactLaw& law, double damping) {
  return {law.stiffness, damping, law.friction, 0.0, 0.0, 0.0};
}

// radius, axial inertia: of the rolling log.
inline PairLaw rolling_law(const ContactLaw& law, double damping, double radius, double axial) {
  PairLaw pair = pair_law(law, damping);
  pair.roll_radius = law.rolling_resistance * radius;
  pair.roll_k = kRolling * kTangential * law.stiffness * radius * radius;
  pair.roll_b = std::sqrt(pair.roll_k * axial);
  return pair;
}

struct ContactForce {
  Vec3 f;         // on a [N]
  Vec3 torque;    // on a, against rolling and spinning [N m]
  double normal;  // N
};

inline Vec3 limited(const Vec3& v, double limit) {
  const double square = v.squaredNorm();
  return square > limit * limit ? Vec3(v * (limit / std::sqrt(square))) : v;
}

// normal: from b to a. v, omega: of a relative to b, at the contact. Advances the bristles by h.
inline ContactForce contact_force(const PairLaw& law, double depth, const Vec3& normal,
                                  const Vec3& v, const Vec3& omega, double h,
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
    out.torque = limited(-law.roll_k * roll - law.roll_b * omega, most_roll);
    store(roll, contact.roll);
  }
  store(normal, contact.normal);
  contact.impulse += N * h;
  return out;
}

}  // namespace knuckleboom::world
