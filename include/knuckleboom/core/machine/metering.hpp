// Inverse of a circuit: the valve command for a required actuator speed under a given load, and the
// top speed. Steady state of the resistive network (paper, section 4, eq. 17), with the meter-in
// side fed by its anti-cavitation valve where the load overruns the pump. A compensated valve
// meters by its inlet edge alone. docs/theory/operator_control.md
#pragma once

#include <limits>

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/math/table.hpp"

namespace knuckleboom::hydraulics {
struct Circuit;
}

namespace knuckleboom::machine {

struct Load {
  double force = 0.0;    // force held by the oil, outward positive, at rest [N, N m]
  double damping = 0.0;  // of the joint, referred to the actuator, in addition to the circuit's own
                         // B
  double pump_Pa = 0.0, tank_Pa = 0.0;  // pump: pressure available for this function
  double drop_Pa = 0.0;  // pressure drop of a compensated valve's inlet edge; 0: the compensator's
                         // margin
  double flow_limit = std::numeric_limits<double>::infinity();  // of the pump [m^3/s]
};
// Supply available to a function, for a load of known force. pump_Pa: the gallery's.
void count_on(const Supply& supply, const hydraulics::SupplyState& state, double pump_Pa,
              const hydraulics::Circuit& circuit, Load& load);

class Metering {
 public:
  explicit Metering(const hydraulics::Circuit& circuit);

  // Command for a steady speed x_dot [m/s, rad/s]; the full command if it is out of reach.
  double command_V(double x_dot, const Load& load) const;
  // Speed with the valve fully open, outward (sign +1) or inward (-1); never negative.
  double top_speed(double sign, const Load& load) const;
  // Speed of a command without load [m/s, rad/s], with its sign.
  double unloaded_speed(double command_V, double pump_Pa, double tank_Pa) const {
    return unloaded_speed(command_V, Load{0.0, 0.0, pump_Pa, tank_Pa});
  }
  double unloaded_speed(double command_V, const Load& supply) const;

 private:
  // One direction of motion: oil meters in on one side and out on the other.
  struct Sense {
    double area_in = 0.0, area_out = 0.0;
    double damping = 0.0;  // viscous, and a motor's lines
    bool anti_cavitation = false;
    double P_anti_cavitation = 0.0;
    Table opening;       // over g = speed / sqrt(force left for both orifices)
    Table opening_out;   // the same for the outlet alone
    double K = 0.0;      // force over speed^2 of both orifices and lines, fully open
    double K_out = 0.0;  // of the outlet alone
    Table g;             // over opening
    // Compensated: opening over the inlet edge's conductance, and its inverse.
    bool compensated = false;
    double margin = 0.0;
    Table opening_in, g_in;
    bool held = false;  // a holding valve prevents overrunning loads
  };
  static double compensated_speed(const Sense& s, double g_in, const Load& load);
  static Sense make_sense(const hydraulics::Circuit& circuit, bool outward);
  const Sense& sense(double sign) const { return sign < 0.0 ? in_ : out_; }

  double overlap_V_ = 0.0, full_V_ = 0.0;
  Sense out_, in_;
};

}  // namespace knuckleboom::machine
