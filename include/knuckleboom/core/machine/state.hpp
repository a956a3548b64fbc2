// The physical state of a machine, with its counters. Plain data.
#pragma once

#include <cstdint>
#include <type_traits>

#include "knuckleboom/core/hydraulics/parameters.hpp"
#include "knuckleboom/core/hydraulics/supply.hpp"
#include "knuckleboom/core/multibody/loops.hpp"
#include "knuckleboom/core/multibody/tree.hpp"

namespace knuckleboom::machine {

enum class Fidelity : std::int32_t {
  kFull,     // oil and line inertia: 18 states for the crane (A6)
  kReduced,  // open valves as resistive networks: 6 states (section 4)
};

struct ActuatorState {
  double P_C[2];     // pressure in the capacitance of line 1 and 2 [Pa]
  double Q[2];       // flow from the source into line 1 and 2 [m^3/s]
  double p[2];       // port pressure: P1, P4 or P_Re1, P_Re2 [Pa]
  double C[2];       // capacitance of line 1 and 2 used in the tick [m^3/Pa]
  double command_V;  // to the valve
  double spool_V;    // behind its lag
  // Quasi-static closed valve: position, force and port pressures from closing on (eq. 25-26).
  double x_hold, F_hold, P_hold[2];
  double bristle;  // mean bending of LuGre's bristles at the displacement [m, rad]
  hydraulics::CircuitFault fault;
  // Of the valve section, if any; held over a tick.
  double P_compensated;  // largest pressure passed by the compensator [Pa]
  double load_check;     // openings, 0 to 1
  double holding[2];
  std::int32_t open;
  std::int32_t relief_active;      // bit s: a valve of side s is beyond its relief setting
  std::int32_t cavitation_active;  // bit s: side s draws oil through its anti-cavitation valve
  std::int32_t stop_active;        // beyond an end stop
  // Quasi-static model: this closed valve follows eq. 21 until it opens, since a protective valve
  // or an end stop took part and the load is no longer at rest.
  std::int32_t held_dynamic;
  // Remaining ticks in which an open valve's ports, after a change from the full to the reduced
  // model, pass from the full model's pressures (P_hold) to the network's.
  std::int32_t hand_over;
  std::int32_t faulty;       // fault is not all zero
  std::int32_t spool_stuck;  // stays where it is
};

// Energy [J] since the start. pump + switching + model + events + external
//   = valve + line + relief + leakage + friction + stops + change of the stored energy + residual.
struct EnergyLedger {
  double pump;                                           // work of both sources on the lines
  double valve, line, relief, leakage, friction, stops;  // dissipated
  double switching;  // gained at changes of equations: valve open or closed, full or reduced model
  double model;      // gained by the quasi-static closed valve, which does not conserve momentum
  double events;     // added by payloads attached and released
  double external;   // work of external forces (contact) on the joints
  double start;      // stored energy at the start
};

struct Health {
  std::int64_t ticks;
  std::int64_t valve_switches;
  std::int64_t relief_events, cavitation_events, stop_hits;
  std::int64_t relief_ticks, cavitation_ticks;  // ticks with at least one active
  std::int64_t newton_iterations;               // over both stages
  std::int64_t newton_unconverged;
  std::int64_t non_finite;
  std::int64_t first_non_finite;  // tick of the first one, from 1; 0: none
  std::int64_t newton_worst;      // most iterations in one stage
  // Loops whose joints do not determine each other (rank drops), and loops that could not be kept
  // closed: their joints were stopped.
  std::int64_t singular_ticks;
  std::int64_t first_singular;  // tick of the first one, from 1; 0: none
  std::int64_t singular_loop;   // loop of the first one
  std::int64_t open_loop_ticks;
  std::int64_t friction_unsettled;  // stages without a settled set of sticking joints
};

struct MachineState {
  double q[kMaxLinks], v[kMaxLinks], a[kMaxLinks];  // joint position, rate, acceleration
  multibody::LinkInertia inertia[kMaxLinks];        // payloads included
  std::int64_t dependent;  // bit j: joint j depends on others through loops (multibody/loops.hpp)
  std::int64_t absent;     // bit j: the body of joint j is still absent; the joint is fixed
  double loop_force_W[multibody::kMaxLoops][3];  // of body b on body a, in the last tick [N]
  double bristle[kMaxLinks];                     // of the joints' own friction [m, rad]
  ActuatorState actuator[kMaxActuators];
  double pump_Pa, tank_Pa;         // of the gallery and the return side
  hydraulics::SupplyState supply;  // with a modelled pump
  EnergyLedger energy;
  hydraulics::SupplyLedger supply_energy;
  Health health;
};
static_assert(std::is_trivially_copyable_v<MachineState>);

}  // namespace knuckleboom::machine
