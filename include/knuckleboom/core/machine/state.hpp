// The physical state of a machine, with its counters. Plain data.
#pragma once

#include <cstdint>

#include "knuckleboom/core/hydraulics/circuit_fault.hpp"
#include "knuckleboom/core/hydraulics/supply.hpp"
#include "knuckleboom/core/machine/watch.hpp"
#include "knuckleboom/core/multibody/loops.hpp"
#include "knuckleboom/core/multibody/tree.hpp"
#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::machine {

enum class Fidelity : std::int32_t {
  // Numbers stand in recordings: 1 is what was called reduced in those of before.
  kFull = 0,     // oil and line inertia: 18 states for the crane (A6)
  kPaper = 1,    // open valves as resistive networks: 6 states (section 4)
  kReduced = 2,  // pressures of the lines, without the hoses' inertia: 12 states
};
// Their words in files and on the command line.
inline constexpr const char* kFidelityWords[] = {"full", "paper", "reduced"};
constexpr const char* word_of(Fidelity fidelity) {
  return kFidelityWords[static_cast<std::int32_t>(fidelity)];
}

// Chambers of a pneumatic cylinder, cap and rod; all zero in others.
struct AirState {
  double m[2];  // kg
  double U[2];  // internal energy [J]
  double m_in;  // through the valve into both since the start [kg]
};
constexpr auto state_fields(const AirState* /*type*/) {
  using namespace knuckleboom::state;
  using S = AirState;
  return state::fields_of<S>(KB_FIELD(m, kPositive), KB_FIELD(U, kPositive), KB_FIELD(m_in));
}

struct ActuatorState {
  double
      P_C[2];   // pressure in the capacitance of line 1 and 2, or in the chambers of air [Pa gauge]
  double Q[2];  // flow from the source into line 1 and 2 [m^3/s]
  double p[2];  // port pressure: P1, P4 or P_Re1, P_Re2 [Pa]
  double C[2];  // capacitance of line 1 and 2 used in the tick [m^3/Pa]
  double command_V;  // to the valve
  double spool_V;    // behind its lag
  // Quasi-static closed valve: position, force and port pressures from closing on (eq. 25-26).
  double x_hold, F_hold, P_hold[2];
  double bristle;  // mean bending of LuGre's bristles at the displacement [m, rad]
  AirState air;
  hydraulics::CircuitFault fault;
  // Valve section, if any; held over a tick.
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
  // Remaining ticks in which an open valve's ports, after a change from another model to the paper's,
  // pass from that one's pressures (P_hold) to the network's.
  std::int32_t hand_over;
  std::int32_t faulty;       // fault is not all zero
  std::int32_t spool_stuck;  // stays where it is
};
constexpr auto state_fields(const ActuatorState* /*type*/) {
  using namespace knuckleboom::state;
  using S = ActuatorState;
  return state::fields_of<S>(
      KB_FIELD(P_C, kPressure), KB_FIELD(Q, kFlow), KB_FIELD(p, kPressure), KB_FIELD(C, kShare),
      KB_FIELD(command_V, kVoltage), KB_FIELD(spool_V, kVoltage), KB_FIELD(x_hold, kPosition),
      KB_FIELD(F_hold, kForce), KB_FIELD(P_hold, kPressure), KB_FIELD(bristle, kPosition),
      KB_FIELD(air), KB_FIELD(fault), KB_FIELD(P_compensated, kPressure),
      KB_FIELD(load_check, kShare), KB_FIELD(holding, kShare), KB_FIELD(open, kFlag),
      KB_FIELD(relief_active, below(4)), KB_FIELD(cavitation_active, below(4)),
      KB_FIELD(stop_active, kFlag), KB_FIELD(held_dynamic, kFlag), KB_FIELD(hand_over, kCounter32),
      KB_FIELD(faulty, kFlag), KB_FIELD(spool_stuck, kFlag));
}

// Energy [J] since the start. pump + air + switching + model + events + external
//   = valve + line + relief + leakage + friction + stops + change of the stored energy + residual.
struct EnergyLedger {
  double pump;  // work of both sources on the lines
  double air;   // enthalpy of the air that came in, less the work on the atmosphere
  double valve, line, relief, leakage, friction, stops;  // dissipated
  double switching;  // gained at changes of equations: valve open or closed, full or reduced model
  double model;      // gained by the quasi-static closed valve, which does not conserve momentum
  double events;     // added by payloads attached and released
  double external;   // work of external forces (contact) on the joints
  double start;      // stored energy at the start
};
constexpr auto state_fields(const EnergyLedger* /*type*/) {
  using S = EnergyLedger;
  return state::fields_of<S>(KB_FIELD(pump), KB_FIELD(air), KB_FIELD(valve), KB_FIELD(line),
                             KB_FIELD(relief), KB_FIELD(leakage), KB_FIELD(friction),
                             KB_FIELD(stops), KB_FIELD(switching), KB_FIELD(model),
                             KB_FIELD(events), KB_FIELD(external), KB_FIELD(start));
}

// By which a residual is measured. stored_change [J]: of the stored energy since the start.
inline double energy_turned_over(const EnergyLedger& e, double stored_change) {
  const auto size = [](double x) { return x < 0.0 ? -x : x; };
  return size(e.valve) + size(e.line) + size(e.relief) + size(e.leakage) + size(e.friction) +
         size(e.stops) + size(stored_change);
}

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
  std::int64_t singular_loop;   // constraint of the first one (multibody::Embedding::worst)
  std::int64_t open_loop_ticks;
  std::int64_t friction_unsettled;  // stages without a settled set of sticking joints
};
constexpr auto state_fields(const Health* /*type*/) {
  using namespace knuckleboom::state;
  using S = Health;
  return state::fields_of<S>(
      KB_FIELD(ticks, kCounter), KB_FIELD(valve_switches, kCounter),
      KB_FIELD(relief_events, kCounter), KB_FIELD(cavitation_events, kCounter),
      KB_FIELD(stop_hits, kCounter), KB_FIELD(relief_ticks, kCounter),
      KB_FIELD(cavitation_ticks, kCounter), KB_FIELD(newton_iterations, kCounter),
      KB_FIELD(newton_unconverged, kCounter), KB_FIELD(non_finite, kCounter),
      KB_FIELD(first_non_finite, kCounter), KB_FIELD(newton_worst, kCounter),
      KB_FIELD(singular_ticks, kCounter), KB_FIELD(first_singular, kCounter),
      KB_FIELD(singular_loop, none_or_below(multibody::kMaxConstraints)),
      KB_FIELD(open_loop_ticks, kCounter), KB_FIELD(friction_unsettled, kCounter));
}

struct MachineState {
  double q[kMaxLinks], v[kMaxLinks], a[kMaxLinks];  // joint position, rate, acceleration
  multibody::LinkInertia inertia[kMaxLinks];        // payloads included
  std::int64_t
      dependent;  // bit j: joint j depends on others through the loops or couplings (loops.hpp)
  std::int64_t absent;  // bit j: the body of joint j is still absent; the joint is fixed
  double loop_force_W[multibody::kMaxLoops][3];  // of body b on body a, in the last tick [N]
  double coupling_force[kMaxLinks];  // of its coupling on each joint, in the last tick [N m, N]
  double bristle[kMaxLinks];         // of the joints' own friction [m, rad]
  ActuatorState actuator[kMaxActuators];
  double pump_Pa, tank_Pa;         // of the gallery and the return side
  hydraulics::SupplyState supply;  // with a modelled pump
  EnergyLedger energy;
  hydraulics::SupplyLedger supply_energy;
  Health health;
  Watch watch;
};
constexpr auto state_fields(const MachineState* /*type*/) {
  using namespace knuckleboom::state;
  using S = MachineState;
  return state::fields_of<S>(
      KB_FIELD(q, kPosition, Along::kJoints), KB_FIELD(v, kSpeed, Along::kJoints),
      KB_FIELD(a, kAcceleration, Along::kJoints), KB_FIELD(inertia, Along::kJoints),
      KB_FIELD(dependent, bits(kMaxLinks)), KB_FIELD(absent, bits(kMaxLinks)),
      KB_FIELD(loop_force_W, kForce, Along::kLoops),
      KB_FIELD(coupling_force, kForce, Along::kJoints),
      KB_FIELD(bristle, kPosition, Along::kJoints), KB_FIELD(actuator, Along::kActuators),
      KB_FIELD(pump_Pa, kPressure), KB_FIELD(tank_Pa, kPressure), KB_FIELD(supply),
      KB_FIELD(energy), KB_FIELD(supply_energy), KB_FIELD(health), state::aside(KB_FIELD(watch)));
}

}  // namespace knuckleboom::machine
