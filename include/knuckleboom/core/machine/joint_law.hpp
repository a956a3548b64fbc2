// The laws that act at a joint by itself: a drive that holds a speed, a damper, an end stop, a spring. Steps,
// converged solution and search for a pose of rest evaluate and enter them here and nowhere else.
#pragma once

#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/machine/stepper.hpp"

namespace knuckleboom::machine {

enum class JointLaw { kServo, kDamper, kStop, kSpring };

inline constexpr JointKinds kAllJointLaws{
    .dampers = true, .springs = true, .stops = true, .any = true};
inline constexpr JointKinds kSpringsOnly{.springs = true, .any = true};

// Calls use(law, torque, slope) for every law of joint i at position q and speed v [rad, m; per s].
// torque [N m, N]: in the sense of the joint, times weight. slope: of that by the speed, where the position moves
// with weight step [s]. has: laws that need not be looked at are left out. speeds (may be null): of the drives.
template <class Use>
inline void for_each_joint_law(const MachineModel& model, const JointKinds& has,
                               const SpeedCommands* speeds, int i, double q, double v, double step,
                               double weight, Use use) {
  const multibody::Link& link = model.tree.link(i);
  if (speeds != nullptr) {
    const ServoTorque servo = servo_torque(*speeds, i, v);
    use(JointLaw::kServo, weight * servo.torque, weight * servo.slope);
  }
  if (has.dampers) use(JointLaw::kDamper, -(weight * link.damping * v), -(weight * link.damping));
  if (has.stops) {
    const StopForce stop = stop_force(model.joint_stops[static_cast<std::size_t>(i)], q, v, step);
    use(JointLaw::kStop, weight * stop.force, weight * stop.dforce);
  }
  if (has.springs)
    use(JointLaw::kSpring, -(weight * link.stiffness * (q - link.rest)),
        -(weight * step * link.stiffness));
}

// Enters the work of a law on its joint [J]. That of a spring is not lost: spring_energy() has it.
inline void enter(JointLaw law, double work, EnergyLedger& energy) {
  switch (law) {
    case JointLaw::kServo:
      energy.external += work;
      break;
    case JointLaw::kDamper:
      energy.friction -= work;
      break;
    case JointLaw::kStop:
      energy.stops -= work;
      break;
    case JointLaw::kSpring:
      break;
  }
}

}  // namespace knuckleboom::machine
