// A cylinder's triangle over one joint.
#pragma once

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/math/trig.hpp"

namespace knuckleboom::machine {

// Length^2 = k0 + kc cos q + ks sin q from the pins, about the joint's axis.
inline void derive(Linkage& linkage, const Vec3& axis) {
  const Vec3& b = linkage.base_pin;
  const Vec3& r = linkage.rod_pin;
  const double along = b.dot(axis) * r.dot(axis);
  linkage.k0 = b.squaredNorm() + r.squaredNorm() - 2.0 * along;
  linkage.kc = -2.0 * (b.dot(r) - along);
  linkage.ks = -2.0 * b.dot(axis.cross(r));
}

inline LinkageState linkage_at(const Linkage& linkage, double q) {
  const SinCos t = sin_cos(q);
  return linkage_state(linkage, q, t.sin, t.cos);
}

}  // namespace knuckleboom::machine
