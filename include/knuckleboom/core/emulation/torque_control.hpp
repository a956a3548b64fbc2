// Torque control of a hydraulic motor by its valve: the flow required by the present speed, and the
// flow that changes the pressures towards the demand, through the inverse of the valve's curve.
// docs/theory/emulation.md
#pragma once

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/machine/state.hpp"

namespace knuckleboom::hydraulics {
struct Circuit;
}

namespace knuckleboom::emulation {

struct TorqueDemand {
  double torque;  // on the joint, after the actuator's viscous friction [N m]
  double speed;   // of the joint, predicted for the arrival of the spool: at the end of the tick
                  // [rad/s]
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
  double spool_share_;  // share of its travel that a spool covers in a period
};

}  // namespace knuckleboom::emulation
