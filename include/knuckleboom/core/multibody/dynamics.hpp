// The recursive algorithms: M(q) a + bias(q, v) = tau  (eq. 3 and A1; bias = V + G).
//
// Inertias are passed separately from the tree, since a state may carry attached payloads. Sources:
// R. Featherstone, Rigid Body Dynamics Algorithms (2008): RNEA ch. 5, CRBA ch. 6, ABA ch. 7.
// mass_and_bias works in link frames (z along the joint axis), the others in world axes; both about
// each link's own origin.
#pragma once

#include "knuckleboom/core/multibody/kinematics.hpp"

namespace knuckleboom::multibody {

struct MassAndBias {
  double M[kMaxLinks][kMaxLinks];  // symmetric, both halves filled
  double bias[kMaxLinks];          // Coriolis, centrifugal and gravity; damping not included
  double sin_q[kMaxLinks];         // of the joint angles (0 for prismatic joints)
  double cos_q[kMaxLinks];
};

// Mass matrix (composite rigid bodies) and bias force (Newton-Euler) in one sweep.
void mass_and_bias(const Tree& tree, const LinkInertia* inertia, const double* q, const double* v,
                   MassAndBias& out);

// tau = M a + bias (recursive Newton-Euler).
void inverse_dynamics(const Tree& tree, const LinkInertia* inertia, const double* q,
                      const double* v, const double* a, double* tau);

// a = M^-1 (tau - bias) by articulated bodies, O(n).
void forward_dynamics(const Tree& tree, const LinkInertia* inertia, const double* q,
                      const double* v, const double* tau, double* a);

struct Energy {
  double kinetic;    // J
  double potential;  // J, zero at the world origin
};
Energy energy(const Tree& tree, const LinkInertia* inertia, const double* q, const double* v);

// Rigidly attaches a payload to a link, or removes it again. The joint rates v change so that the
// generalised momentum M v (plus the payload's own, from its velocity when attached) is conserved.
// payload: in the link frame; v_com_W, omega_W: payload motion just before.
void attach(const Tree& tree, LinkInertia* inertia, const double* q, double* v, int link,
            const LinkInertia& payload, const Vec3& v_com_W, const Vec3& omega_W);
// Momentum of the payload relative to moving with the link, seen at the joints: M_new dv = this.
void attach_momentum(const Tree& tree, const double* q, const double* v, int link,
                     const LinkInertia& payload, const Vec3& v_com_W, const Vec3& omega_W,
                     double* momentum);
// A released payload keeps its velocity, so the rates do not change; returns its motion.
struct FreeMotion {
  Vec3 p_com_W;
  Vec3 v_com_W;
  Vec3 omega_W;
};
FreeMotion detach(const Tree& tree, LinkInertia* inertia, const double* q, const double* v,
                  int link, const LinkInertia& payload);

}  // namespace knuckleboom::multibody
