// Joint torques that make a host's tip move like another machine's. J.-C. Piedboeuf et al., Dynamic
// emulation of space robot in one-g environment using hardware-in-the-loop simulation, eq. 10 to
// 12. docs/theory/emulation.md
#pragma once

#include "knuckleboom/core/emulation/contact.hpp"
#include "knuckleboom/core/emulation/tip_motion.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"

namespace knuckleboom::emulation {

enum class Scheme {
  kAcceleration,  // the emulated tip's acceleration, with a drift feedback (eq. 12)
  kPosition,      // the simple one: the position is tracked, nothing else is used
};

// Gains of the feedback on position and speed of the tip: Gp = w^2, Gv = 2 damping w.
struct TipGains {
  double bandwidth_Hz = 2.0;
  double damping = 1.0;
};

// Target of the tip, in the host's world.
struct TipTarget {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();
  Vec3 v = Vec3::Zero(), omega = Vec3::Zero();  // at the start of the tick
  Vec3 a = Vec3::Zero(), alpha = Vec3::Zero();  // mean over the tick
};

struct TipCommand {
  double torque[kMaxLinks];        // on every joint [N m]
  double acceleration[kMaxLinks];  // intended joint acceleration [rad/s^2]
  bool singular;  // the joints cannot move the tip in every direction: the torques hold the
                  // position
};

// Torques for a host with six joints. q, v: at the start of the tick, acceleration: of the last
// one. contact: wrench on the tip about it, in the world. The model is taken in the middle of the
// tick, h [s] long.
TipCommand tip_command(const machine::MachineModel& host, const multibody::LinkInertia* inertia,
                       const double* q, const double* v, const double* acceleration, Scheme scheme,
                       const TipGains& gains, const TipTarget& target, const Wrench& contact,
                       double h);

// Joint rates for a twist of the tip by least squares, in the world; rows 3: the point alone, 6:
// orientation as well. Returns false near a pose that lacks a direction; rates are then zero.
bool joint_rates(const TipMotion& tip, int joints, int rows, const Vec3& v, const Vec3& omega,
                 double* rate);

}  // namespace knuckleboom::emulation
