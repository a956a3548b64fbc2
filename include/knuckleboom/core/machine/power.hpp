// Coupling of functions and supply: valve sections before a step, pump and gallery after it.
#pragma once

#include "knuckleboom/core/machine/circuit_constants.hpp"
#include "knuckleboom/core/machine/equations.hpp"

namespace knuckleboom::machine {

SectionLags section_lags(const hydraulics::Circuit& circuit, double h);

// Load pressure of a function: that of the line its spool connects to the pump, before a holding
// valve; the tank's while the spool is shut.
double load_pressure(const Actuator& actuator, const ActuatorState& a, double tank_Pa);

// Compensators and check valves follow pressures and spools; the circuits see them held. Called at
// the start of a tick, with the spools set. lags: of each actuator.
void advance_sections(const MachineModel& model, const SectionLags* lags, MachineState& state);

// Volume that a circuit took from its source at the pump's side in a tick [m^3], and the derivative
// of that flow by the source's pressure [m^3/(s Pa)].
struct Draw {
  double volume, conductance;
};

// Enters the losses of the compensators; advances a pump's supply to the end of the tick.
void finish_supply(const MachineModel& model, double h, const Draw* draws, MachineState& state);

// Flow of a line with inertia against its source, over a stage of weight g at constant speed. g_I, g_C: g over
// inertance and capacitance.
inline double line_conductance(double g_I, double g_C, double C_R, double Q) {
  return g_I / (1.0 + g_I * (g_C + 2.0 * C_R * std::fabs(Q)));
}

// Side of the circuit that the spool connects to the pump.
inline int pump_side(double spool_V) { return spool_V >= 0.0 ? 0 : 1; }

// Work of pump or constant source on the functions, compensators included [J].
inline double pump_work(const MachineState& state) {
  return state.energy.pump + state.supply_energy.compensator;
}

// Residual of a pump's own energy balance [J].
double supply_residual(const MachineModel& model, const MachineState& state);

}  // namespace knuckleboom::machine
