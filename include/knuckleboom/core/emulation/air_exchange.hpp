// A machine on air as two programs, of its actuators and of its bodies, that exchange force and motion late, as
// Daepp and Book had them on two computers. docs/theory/pneumatics.md
#pragma once

#include "knuckleboom/core/machine/stepper.hpp"
#include "knuckleboom/core/pneumatics/orifice.hpp"
#include "knuckleboom/core/sim/simulation.hpp"

namespace knuckleboom::emulation {

class AirExchange {
 public:
  static constexpr int kMaxTicks = 63;

  struct State {
    sim::SimState sim;
    double sent[kMaxTicks + 1][2][kMaxLinks];  // positions and rates on the way to the actuators
    double made;  // work of the forces on the bodies less that along the motion seen by the air [J]
  };

  // late_ticks: age of the motion that controllers and actuators see. The simulation must outlive this. Throws
  // std::invalid_argument on a machine not on air, on friction that sticks, and on a delay beyond kMaxTicks.
  AirExchange(const sim::Simulation& simulation, int late_ticks);
  AirExchange(const AirExchange&) = delete;
  AirExchange& operator=(const AirExchange&) = delete;

  State start() const;
  // No allocation, no exception.
  void step(State& state) const;

 private:
  struct Told {
    double force;  // of air and friction on the piston [N]
    double moved;  // motion seen by the air [m]
  };
  Told actuate(int actuator, const double* q, const double* v, machine::MachineState& state) const;

  const sim::Simulation& simulation_;
  int late_;
  pneumatics::FlowLaw law_;
  machine::MachineModel bodies_;  // its pistons have stops, but neither air nor friction
  machine::Stepper stepper_;      // of the bodies
};

// A piston half a stroke beyond an end, a pressure of 100 bar, or no number at all: such a run is lost.
bool is_lost(const machine::MachineModel& model, const machine::MachineState& state);

}  // namespace knuckleboom::emulation
