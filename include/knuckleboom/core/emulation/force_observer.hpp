// The wrench on a host's tip from the host itself: what moves its joints beyond its own torques comes from outside.
// It knows no delay and no noise of a force sensor, but all that the host's model does not: dry friction, wrong
// masses. So a sensor corrects it slowly. A. De Luca, R. Mattone, Sensorless robot collision detection and hybrid
// force/motion control, Proc. IEEE ICRA (2005) 999-1004. docs/theory/emulation.md
#pragma once

#include <cstdint>
#include <type_traits>

#include "knuckleboom/core/emulation/contact.hpp"
#include "knuckleboom/core/emulation/force_sensor.hpp"
#include "knuckleboom/core/machine/model.hpp"

namespace knuckleboom::emulation {

inline constexpr int kHostJoints = 6;

// What a host's joints tell at one moment.
struct JointSample {
  double q[kHostJoints];       // rad
  double v[kHostJoints];       // rad/s
  double torque[kHostJoints];  // of the actuators, less their viscous friction [N m]
  double held;  // 1: torque since the last sample, as perfect ones are; 0: it went there in a line
};

struct ForceObserverState {
  JointSample last;
  double ring[kMaxSensorDelay + 1][kHostJoints];  // residuals of the last ticks [N m]
  double bristle[kHostJoints];                    // of the seals, by the measured motion [rad]
  double by_law[kHostJoints];                     // friction of the last tick by its law [N m]
  double
      unknown[kHostJoints];  // what the law leaves, and all else that the model does not know [N m]
  double friction[kHostJoints];  // sum of both: to be worked against [N m]
  std::int64_t samples;
};
static_assert(std::is_trivially_copyable_v<ForceObserverState>);

// Friction of each joint over the last tick, by its actuator's law and the measured motion; only where that has
// bristles, since a speed of zero says nothing about what sticks.
void friction_by_law(const machine::MachineModel& host, const JointSample& last,
                     const JointSample& now, double h, ForceObserverState& state);

// Mean torque that moved each joint since the last sample, h [s] ago, beyond its actuator's: of the wrench on the
// tip, less friction [N m].
void joint_residual(const machine::MachineModel& host, const multibody::LinkInertia* inertia,
                    const JointSample& last, const JointSample& now, double h, double* residual);

// One tick, h [s] long: the wrench on the tip, in the world, as far as it can be known now; updates the friction.
// measured: of the force sensor, `delay` ticks old. crossover: above it the joints are believed, below it the
// sensor [Hz]. law_share: of the friction by its law that is counted on.
Wrench fused_wrench(const machine::MachineModel& host, const multibody::LinkInertia* inertia,
                    const JointSample& now, const Wrench& measured, int delay, double crossover_Hz,
                    double law_share, double h, ForceObserverState& state);

}  // namespace knuckleboom::emulation
