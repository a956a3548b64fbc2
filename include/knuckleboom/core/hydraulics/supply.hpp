// Pump, engine and gallery shared by all functions of a machine. Gauge pressures, SI units.
//
//   engine -> pump -+- gallery p_s -> valve sections of the functions
//                   +- main relief -> tank
//                   +- accumulators
//
// The circuits see p_s held over a tick; advance_supply() then advances it to the end of the tick
// with the volume they drew, by an implicit step. docs/theory/power.md has the equations and the
// error of holding.
#pragma once

#include <vector>

#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::hydraulics {

enum class SupplyKind {
  kConstant,  // an ideal source at pump_Pa
  kPump,      // the pump modelled below
};

enum class PumpControl {
  kFixed,        // full displacement; the main relief sets the pressure
  kPressure,     // held at the cut-off
  kLoadSensing,  // load signal + margin, between stand-by and cut-off
};

// Gas behind a membrane, polytropic: p_abs V^n = const.
struct Accumulator {
  double precharge_Pa = 0.0;  // gauge
  double gas_volume = 0.0;    // at the precharge [m^3]
  double exponent = 1.3;      // above 1
};

struct Engine {
  double speed = 0.0;       // without load [rad/s]
  double droop = 0.0;       // loss of speed at full torque, as a share
  double torque_max = 0.0;  // N m
  double inertia = 0.0;     // including the pump's, at the crankshaft [kg m^2]; 0: constant speed
  double governor_s = 0.0;  // lag of the torque behind the governor
};

struct PumpSupply {
  PumpControl control = PumpControl::kLoadSensing;
  double displacement = 0.0;         // m^3/rad at full stroke
  double speed_ratio = 1.0;          // pump over engine
  double margin_Pa = 0.0;            // load sensing: above the load signal
  double standby_Pa = 0.0;           // load sensing: lowest set pressure
  double load_line_s = 0.0;          // lag of the load signal
  double stroke_time_s = 0.0;        // from none to full displacement at the regulator's full speed
  double regulator_band_Pa = 0.0;    // error of p_s at which the regulator moves at full speed
  double regulator_damping_s = 0.0;  // weight of dp_s/dt in that error
  double power_limit_W = 0.0;        // 0: none
  double leak = 0.0;                 // case drain [m^3/(s Pa)]
  double drag_torque = 0.0;          // of the pump's shaft [N m]
  int pistons = 0;                   // 0: no ripple
  double ripple = 0.0;          // amplitude of the delivery's first harmonic, share of its mean
  double gallery_volume = 0.0;  // m^3
  double gallery_bulk_modulus = 0.0;  // Pa, including the hoses' compliance
  double relief_Pa = 0.0;             // of the main relief
  double relief_conductance = 0.0;    // m^3/(s Pa) beyond it
  Engine engine;
  std::vector<Accumulator> accumulators;
};

struct SupplyState {
  double stroke;         // share of the displacement, 0 to 1
  double load_Pa;        // load signal behind its line
  double engine_speed;   // rad/s
  double engine_torque;  // N m
  double angle;          // of the pump's shaft, within one turn [rad]
  double owed;           // volume anticipated in p_s but not yet drawn by the circuits [m^3]
  double flow;           // delivered by the pump in the last tick, leakage taken off [m^3/s]
  double relief_flow;    // part of it over the main relief; negative: drawn in at the inlet
  double set_Pa;         // cut-off as it is now
  // Faults.
  double wear;       // lost share of delivery and set pressures
  double drop_Pa;    // reduction of the set pressures under flow
  double relief_Pa;  // opening pressure of the main relief if below its setting; 0: as set
};
constexpr auto state_fields(const SupplyState* /*type*/) {
  using namespace knuckleboom::state;
  using S = SupplyState;
  return state::fields_of<S>(
      KB_FIELD(stroke, kShare), KB_FIELD(load_Pa, kPressure), KB_FIELD(engine_speed, kSpeed),
      KB_FIELD(engine_torque, kForce), KB_FIELD(angle, kPosition), KB_FIELD(owed, kFlow),
      KB_FIELD(flow, kFlow), KB_FIELD(relief_flow, kFlow), KB_FIELD(set_Pa, kPressure),
      KB_FIELD(wear, kShare), KB_FIELD(drop_Pa, kPressure), KB_FIELD(relief_Pa, kPressure));
}

// Work [J] since the start. engine = delivered + pump_loss + relief + coupling + drive + change of the
// energy stored in engine, gallery and accumulators, exactly: coupling is the error of holding p_s.
struct SupplyLedger {
  double engine;     // of the engine's torque
  double delivered;  // to the sections, at the pressure held
  double pump_loss;  // leakage, wear and drag
  double relief;
  double compensator;  // part of delivered: throttled before the metering edges
  double coupling;
  double drive;  // taken from the engine by the drive of the wheels
  double start;  // stored energy at the start
};
constexpr auto state_fields(const SupplyLedger* /*type*/) {
  using S = SupplyLedger;
  return state::fields_of<S>(KB_FIELD(engine), KB_FIELD(delivered), KB_FIELD(pump_loss),
                             KB_FIELD(relief), KB_FIELD(compensator), KB_FIELD(coupling),
                             KB_FIELD(drive), KB_FIELD(start));
}

// Demand of the sections in a tick.
struct SupplyDemand {
  double volume;       // m^3
  double conductance;  // derivative of the flow by p_s [m^3/(s Pa)]
  double load_Pa;      // highest load pressure of the open functions; the tank's if none is open
};

// Set pressure of the pump.
double set_pressure(const PumpSupply& supply, const SupplyState& state);
// Largest delivery at a pressure and its present speed [m^3/s].
double flow_limit(const PumpSupply& supply, const SupplyState& state, double p);
// Fluid stored in gallery and accumulators [m^3], and its energy with the engine's [J].
double stored_volume(const PumpSupply& supply, double p);
double stored_energy(const PumpSupply& supply, const SupplyState& state, double p);

// Steady state with all functions shut. cut_off_Pa: highest pressure that the pump is regulated to.
// Sets p.
SupplyState settled_supply(const PumpSupply& supply, double cut_off_Pa, double tank_Pa, double& p);

// From the start of a tick to its end. p: gallery pressure. No exception, no heap.
void advance_supply(const PumpSupply& supply, double h, const SupplyDemand& demand, double& p,
                    SupplyState& state, SupplyLedger& ledger);

}  // namespace knuckleboom::hydraulics
