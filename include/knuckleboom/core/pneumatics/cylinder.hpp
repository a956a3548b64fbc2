// Double-acting pneumatic cylinder: two chambers without exchange of heat, in an implicit stage.
//
// The states of a chamber are its mass and its internal energy, so that both balances close exactly;
// pressure and temperature follow from them (P = (k - 1) U / V, T = U / (c_v m)). In these states eq. 3 of
// DB reads dU/dt = sum c_p T_u m_dot - P dV/dt. docs/theory/pneumatics.md
// x grows with extension: cap volume A_c x plus dead volume, rod volume A_r (stroke - x) plus its own.
#pragma once

#include "knuckleboom/core/pneumatics/air.hpp"
#include "knuckleboom/core/pneumatics/orifice.hpp"
#include "knuckleboom/core/pneumatics/valve.hpp"

namespace knuckleboom::pneumatics {

struct Cylinder {
  double area_cap = 0.0, area_rod = 0.0;  // m^2; the rod's cross-section is the difference
  double stroke = 0.0;                    // m
  double dead_cap = 0.0, dead_rod = 0.0;  // m^3 at either end: ports, hoses
};

enum Side { kCap = 0, kRod = 1 };

struct Chamber {
  double m = 0.0;  // kg
  double U = 0.0;  // J
};

// Volume at position x, at least a tenth of the dead volume.
double volume(const Cylinder& cylinder, Side side, double x);
double pressure(const Gas& gas, const Chamber& chamber, double volume);
double temperature(const Gas& gas, const Chamber& chamber);
Chamber filled(const Gas& gas, double P, double T, double volume);

// An implicit stage of weight g: state = star + g d(state)/dt, all at the stage's end.
struct ChamberStage {
  double P, T;          // Pa, K
  double by_v;          // slope of P by the piston's speed
  double m_dot;         // net inflow
  double H_dot;         // enthalpy, in [W]
  double m_dot_supply;  // share from the supply
  double H_dot_supply;  // W
  int iterations;       // of Newton; kMaxChamberIterations: not converged
  bool choked;
  Chamber end;
};
inline constexpr int kMaxChamberIterations = 50;

// volume, dV_dt: at the stage's end. dV_by_v: sign and area; start: initial pressure of the
// iteration.
ChamberStage chamber_stage(const FlowLaw& law, const Air& air, const Edges& edges,
                           const Chamber& star, double g, double volume, double dV_dt,
                           double dV_by_v, double P_start);

// Force on the piston in the sense of extension and its slope by the speed (eq. 4 without friction).
struct CylinderStage {
  double force, by_v;
  ChamberStage chamber[2];
};
void cylinder_stage(const FlowLaw& law, const Air& air, const Cylinder& cylinder,
                    const Openings& openings, const Chamber* star, double g, double x, double v,
                    CylinderStage& out);  // out's pressures are the initial values

inline double force(const Air& air, const Cylinder& c, double P_cap, double P_rod) {
  return P_cap * c.area_cap - P_rod * c.area_rod - air.P_ambient * (c.area_cap - c.area_rod);
}

// A message on impossible parameters; null if valid.
const char* fault_of(const Air& air);
const char* fault_of(const Valve& valve);
const char* fault_of(const Cylinder& cylinder);

}  // namespace knuckleboom::pneumatics
