// Torque control of a hydraulic motor by its valve: the flow that the present speed takes, and the flow that
// changes the pressures towards the demand, through the valve's curve turned round. docs/theory/emulation.md
#pragma once

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/machine/state.hpp"

namespace knuckleboom::emulation {

struct TorqueDemand {
  double torque;  // on the joint, after the actuator's viscous friction [N m]
  double
      speed;  // of the joint, as it will be when the spool is there: at the end of the tick [rad/s]
};

class TorqueControl {
 public:
  // dt: period of the pressure loop [s]. The actuator must be linked directly.
  TorqueControl(const machine::Actuator& actuator, double dt);

  // Torque of the oil less the viscous friction [N m].
  double torque(const machine::ActuatorState& state, double speed) const;
  // Valve command [V]. bandwidth: of the pressure loop [Hz].
  double command_V(const TorqueDemand& demand, const machine::ActuatorState& state, double pump_Pa,
                   double tank_Pa, double bandwidth_Hz) const;

 private:
  const hydraulics::Circuit* circuit_;
  double spool_share_;  // of its way that a spool goes in a period
};

}  // namespace knuckleboom::emulation
