// Pieces of the coupled equations that the real-time step and the converged solver share.
#pragma once

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/hydraulics/stage.hpp"
#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/machine/formulas.hpp"
#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/machine/state.hpp"

namespace knuckleboom::machine {

using StopForce = BasicStopForce<double>;

// Equations of a circuit.
inline hydraulics::LineModel line_model(bool open, Fidelity fidelity) {
  if (!open) return hydraulics::LineModel::kClosed;
  if (fidelity == Fidelity::kFull) return hydraulics::LineModel::kDynamic;
  return fidelity == Fidelity::kPaper ? hydraulics::LineModel::kResistive
                                      : hydraulics::LineModel::kFilling;
}

using Powers = BasicPowers<double>;

// Oil compression and line inertia energy present in a circuit's equations [J].
double oil_energy(const hydraulics::Circuit& circuit, const ActuatorState& state,
                  hydraulics::LineModel model);

// Energy of the joints' springs [J].
double spring_energy(const MachineModel& model, const double* q);
// Adds to tau, times a factor, the torques of balls' springs and dampers on their turns [N m]. v: rates; null: at
// rest. Returns what the dampers take [W].
double add_ball_torques(const MachineModel& model, const double* q, const double* v, double factor,
                        double* tau);

// Kinetic, potential and oil energy of the whole machine [J].
double stored_energy(const MachineModel& model, const MachineState& state, Fidelity fidelity);

// Capacitances for the coming tick: at its middle where they depend on stroke and pressure. The
// energy that the oil gains by this is entered under `model`: a line of changing C is not a linear
// spring.
void follow_volumes(const MachineModel& model, Fidelity fidelity, double h, MachineState& state);

// Sources and orifices of a circuit at a spool position, including the other elements of its valve
// section.
hydraulics::Orifices section_orifices(const hydraulics::Circuit& circuit, const ActuatorState& a,
                                      double spool_V, double pump_Pa, double tank_Pa);

// Sets the orifices of the spools and changes equations where a valve opened or closed; counts
// switches and enters the energy of the change. in[k] receives sources and resistances.
void update_valves(const MachineModel& model, Fidelity fidelity, MachineState& state,
                   hydraulics::StageInput* in);

// From now on the quasi-static closed valve holds the piston at its present position and pressures.
void hold_here(const MachineModel& model, int actuator, MachineState& state);

// Sets or replaces a circuit's fault; all zero removes it. Pressures and flows do not change; the
// energy of the oil gained by another capacitance is entered under events.
void set_fault(const MachineModel& model, Fidelity fidelity, int actuator,
               const hydraulics::CircuitFault& fault, MachineState& state);

// Time in which an open valve's ports pass to the paper's network; in ticks of h.
inline constexpr double kHandOver = 0.05;  // s
inline int hand_over_ticks(double h) {
  return std::max(1, static_cast<int>(std::lround(kHandOver / h)));
}

// Continues with the other model: positions, speeds and port pressures do not change, flows follow
// from them. The energy of the change of equations is entered.
void change_fidelity(const MachineModel& model, double h, Fidelity from, Fidelity to,
                     MachineState& state);

// Counts a piston's or motor's arrivals at its end stops.
inline void watch_stop(bool at_stop, ActuatorState& a, Health& health) {
  if (at_stop && a.stop_active == 0) ++health.stop_hits;
  a.stop_active = at_stop ? 1 : 0;
}
// Counts events of a circuit's protection and stops at the end of a tick. relief and cavitation
// become true if any is active.
void watch(const Actuator& actuator, const hydraulics::StageResult& out, bool at_stop,
           ActuatorState& a, Health& health, bool& relief, bool& cavitation);

// Quasi-static closed valve: shift of the piston from where it was held, under the machine's load
// on it (eq. 25). An end stop carries the rest of the load.
double held_shift(const Actuator& actuator, const ActuatorState& a, double load);
// Port pressures for a piston shifted from where it was held (eq. 26).
void held_pressures(const hydraulics::Circuit& circuit, const ActuatorState& a, double shift,
                    double (&P)[2]);
// Oil released by leakage and protective valves (ideal here: no pressure stays above their setting)
// over a tick lowers the held values. Enters relief, leakage and, as the model's gain, the change
// of the oil's energy since oil_before, to which no piston work contributes. Where a protective
// valve or an end stop took part (x: displacement), the valve follows eq. 21 from the next tick on:
// eq. 25 has no inertia, and an overload would move the piston without bound.
void release_held_oil(const Actuator& actuator, const hydraulics::StageConstants& k, double h,
                      double oil_before, double x, ActuatorState& a, EnergyLedger& energy);

// Whether a valve follows eq. 25-26 in the coming tick.
inline bool quasi_static(const MachineModel& model, Fidelity fidelity, const ActuatorState& a) {
  return fidelity == Fidelity::kPaper && a.open == 0 && a.held_dynamic == 0 &&
         model.closed_valve == ClosedValveModel::kQuasiStatic;
}

// Displacement and lever arm of actuator k at position q of its joint, on which alone it depends
// (any linkage: machine/mechanism.hpp).
LinkageState displacement(const MachineModel& model, int actuator, double q);

// Piston speed of a newly opened valve against the force that it held (eq. 17).
double quasi_steady_speed(const hydraulics::Circuit& circuit, const hydraulics::StageInput& in,
                          double held_force);

}  // namespace knuckleboom::machine
