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
    // The velocity model's: forces on the way to the bodies, the load on each piston as it is known, and what each
    // piston moves [N, N, kg].
    double force[kMaxTicks + 1][kMaxActuators], load[kMaxActuators], mass[kMaxActuators];
  };

  // late_ticks: age of the motion that controllers and actuators see. predicts: the actuators' program runs a velocity
  // model of its own beside the chambers, as Daepp and Book name for future work: from the late motion on, a mass on
  // each piston under the forces sent since and the load that the late motion tells of. Its mass is that of the start.
  // The simulation must outlive this. Throws
  // std::invalid_argument on a machine not on air, on friction that sticks, and on a delay beyond kMaxTicks.
  AirExchange(const sim::Simulation& simulation, int late_ticks, bool predicts = false);
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
  static int place(std::int64_t tick);
  // The velocity model's addition to the late motion of a piston [m, m/s].
  struct Ahead {
    double x = 0.0, x_dot = 0.0;
  };
  Ahead look_ahead(int actuator, State& state) const;
  Told actuate(int actuator, const double* q, const double* v, const Ahead& ahead,
               machine::MachineState& state) const;

  const sim::Simulation& simulation_;
  int late_;
  bool predicts_;
  pneumatics::FlowLaw law_;
  machine::MachineModel bodies_;  // its pistons have stops, but neither air nor friction
  machine::Stepper stepper_;      // of the bodies
};

// A piston half a stroke beyond an end, a pressure of 100 bar, or no number at all: such a run is lost.
bool is_lost(const machine::MachineModel& model, const machine::MachineState& state);

}  // namespace knuckleboom::emulation
