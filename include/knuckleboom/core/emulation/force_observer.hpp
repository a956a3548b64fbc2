// The wrench on a host's tip from its own joints: motion not explained by the joint torques is due
// to external forces. It has no delay and no noise of a force sensor, but includes all unmodelled
// effects: dry friction, wrong masses. So a sensor corrects it slowly. A. De Luca, R. Mattone,
// Sensorless robot collision detection and hybrid force/motion control, Proc. IEEE ICRA (2005)
// 999-1004. docs/theory/emulation.md
#pragma once

#include <cstdint>

#include "knuckleboom/core/emulation/contact.hpp"
#include "knuckleboom/core/emulation/force_sensor.hpp"
#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::emulation {

inline constexpr int kHostJoints = 6;

// Measurements of a host's joints at one instant.
struct JointSample {
  double q[kHostJoints];       // rad
  double v[kHostJoints];       // rad/s
  double torque[kHostJoints];  // of the actuators, less their viscous friction [N m]
  double held;  // 1: torque was constant since the last sample (ideal torques); 0: it changed
                // linearly
};
constexpr auto state_fields(const JointSample* /*type*/) {
  using namespace knuckleboom::state;
  using S = JointSample;
  return state::fields_of<S>(KB_FIELD(q, kPosition), KB_FIELD(v, kSpeed), KB_FIELD(torque, kForce),
                             KB_FIELD(held, kFlag));
}

struct ForceObserverState {
  JointSample last;
  double ring[kMaxSensorDelay + 1][kHostJoints];  // residuals of the last ticks [N m]
  double bristle[kHostJoints];                    // of the seals, by the measured motion [rad]
  double by_law[kHostJoints];                     // friction of the last tick by its law [N m]
  double unknown[kHostJoints];   // remainder beyond the law, and all other unmodelled torque [N m]
  double friction[kHostJoints];  // sum of both, to be compensated [N m]
  std::int64_t samples;
};
constexpr auto state_fields(const ForceObserverState* /*type*/) {
  using namespace knuckleboom::state;
  using S = ForceObserverState;
  return state::fields_of<S>(KB_FIELD(last), KB_FIELD(ring, kForce), KB_FIELD(bristle, kPosition),
                             KB_FIELD(by_law, kForce), KB_FIELD(unknown, kForce),
                             KB_FIELD(friction, kForce), KB_FIELD(samples, kCounter));
}

// Friction of each joint over the last tick, by its actuator's law and the measured motion; only
// for laws with bristles, since a speed of zero does not determine a sticking force.
void friction_by_law(const machine::MachineModel& host, const JointSample& last,
                     const JointSample& now, double h, ForceObserverState& state);

// Mean torque on each joint since the last sample, h [s] ago, besides its actuator's: that of the
// wrench on the tip, less friction [N m].
void joint_residual(const machine::MachineModel& host, const multibody::LinkInertia* inertia,
                    const JointSample& last, const JointSample& now, double h, double* residual);

// One tick, h [s] long: present estimate of the wrench on the tip, in the world; updates the
// friction. measured: of the force sensor, `delay` ticks old. crossover: above it the joints are
// used, below it the sensor [Hz]. law_share: assumed share of the modelled friction.
Wrench fused_wrench(const machine::MachineModel& host, const multibody::LinkInertia* inertia,
                    const JointSample& now, const Wrench& measured, int delay, double crossover_Hz,
                    double law_share, double h, ForceObserverState& state);

}  // namespace knuckleboom::emulation
