// Parameters of one actuator's circuit (paper, figures 2-4). Gauge pressures, SI units.
//
//   source 1 -orifice 1- I1 -+- R1 - port 1 [head side | motor inlet]
//                            C1
//   source 2 -orifice 2- I2 -+- R2 - port 2 [rod side | motor outlet]
//                            C2
//
// Both sides use the same equations: Q_s is the flow from source s into line s, and the port of
// side s takes the flow o_s = sign_s area_s x_dot out of it, with sign +1 and -1. The paper's Q_i2
// is -Q_2 here.
#pragma once

#include "knuckleboom/core/hydraulics/chamber.hpp"
#include "knuckleboom/core/hydraulics/circuit_fault.hpp"
#include "knuckleboom/core/hydraulics/load_holding.hpp"
#include "knuckleboom/core/hydraulics/valve.hpp"

namespace knuckleboom::hydraulics {

// One hose: inertance I [kg/m^4], capacitance C [m^3/Pa], line resistance R.
// R is in kg/m^7 (dP = R Q|Q|) for a cylinder and kg/(m^4 s) (dP = R Q) for a motor.
struct Line {
  double I = 0.0;
  double C = 0.0;
  double R = 0.0;
};

// Port relief and anti-cavitation valves, at the valve block (pressure P_C) and at the actuator port.
// Both are check valves with a linear override: Q = conductance (P - set) beyond their setting.
struct Protection {
  bool enabled = true;
  double relief_Pa = 25e6;
  double relief_conductance = 2.0e-8;  // m^3/(s Pa)
  double anti_cavitation_Pa = -0.1e5;  // opens below this
  double anti_cavitation_conductance = 3.0e-7;
};

enum class ActuatorKind { kCylinder, kMotor };

struct Circuit {
  ActuatorKind kind = ActuatorKind::kCylinder;
  Line line1, line2;     // with C where no volumes are given
  bool volumes = false;  // C follows from chamber and fluid and depends on stroke and pressure
  Chamber chamber[2];
  Fluid fluid;
  double A1 = 0.0, A2 = 0.0;   // cylinder: head and rod side areas [m^2]
  double D_m = 0.0;            // motor: displacement [m^3/rad]
  double N = 1.0;              // motor: gear ratio
  double B = 0.0;              // viscous friction, N s/m or N m s/rad at the actuator displacement
  double leak_internal = 0.0;  // conductance between the ports, 1/R_in [m^3/(s Pa)]
  double leak_external1 = 0.0, leak_external2 = 0.0;  // ports to tank, 1/R_e1, 1/R_e2
  Protection protection;
  Valve valve;
  LoadHolding holding[2];  // at port 1 and 2
};

// Flow demand per unit actuator speed at port 1 and 2; force = area1 P1 - area2 P2.
inline double area1(const Circuit& c) {
  return c.kind == ActuatorKind::kCylinder ? c.A1 : c.D_m * c.N;
}
inline double area2(const Circuit& c) {
  return c.kind == ActuatorKind::kCylinder ? c.A2 : c.D_m * c.N;
}

inline double relief_Pa(const Protection& protection, const CircuitFault& fault) {
  const bool lower =
      fault.relief_Pa > 0.0 && !(protection.enabled && protection.relief_Pa <= fault.relief_Pa);
  return lower ? fault.relief_Pa : protection.relief_Pa;
}
// Capacitances of both lines, at displacement x [m, rad] and capacitance pressures P_C [Pa].
inline void capacitances(const Circuit& c, const CircuitFault& fault, double x,
                         const double (&P_C)[2], double (&C)[2]) {
  const double line[2] = {c.line1.C, c.line2.C};
  for (int s = 0; s < 2; ++s)
    C[s] = (c.volumes ? capacitance(c.fluid, c.chamber[s], x, P_C[s]) : line[s]) *
           (1.0 + fault.compliance);
}

// Whether anything besides the spool is between sources and lines.
inline bool has_section(const Circuit& c) {
  return c.valve.compensator.kind != CompensatorKind::kNone || c.valve.load_check ||
         c.holding[0].kind != HoldingKind::kNone || c.holding[1].kind != HoldingKind::kNone;
}

// K_Eq of eq. 23 [N/m or N m/rad].
inline double closed_stiffness(const Circuit& c, const double (&C)[2]) {
  return area1(c) * area1(c) / C[0] + area2(c) * area2(c) / C[1];
}
inline double closed_stiffness(const Circuit& c) {
  return closed_stiffness(c, {c.line1.C, c.line2.C});
}

}  // namespace knuckleboom::hydraulics
