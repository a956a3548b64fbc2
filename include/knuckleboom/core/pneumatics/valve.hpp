// Proportional 5/3-way valve of the Festo MPYE-5 kind. Its 0 to 10 V are counted from the middle here: -5 to 5 V.
//
// Above the middle the cap side is supplied and the rod side vents, below it the reverse. Source:
// DB, "Valve model": dead zone, then a gain to the area of the orifice. Lag and limits of the spool are those of any
// valve (hydraulics/spool.hpp).
#pragma once

#include <cmath>

#include "knuckleboom/core/pneumatics/orifice.hpp"

namespace knuckleboom::pneumatics {

struct Valve {
  double dead_zone_V = 0.1;  // closed for |spool| below it
  double gain = 0.0;         // C_d A_0 for each volt beyond the dead zone [m^2/V]
  double area_max = 0.0;     // C_d A_0 fully open [m^2]
  double leakage = 0.0;      // C_d A_0 of every edge at all times [m^2]
};

// C_d A_0 of the edges of one chamber.
struct Edges {
  double supply = 0.0, exhaust = 0.0;  // m^2
};
struct Openings {
  Edges cap, rod;
};

// spool_V: position of the spool as the signal, from the middle, that holds it there.
inline Openings openings(const Valve& valve, double spool_V) {
  const double beyond = std::fabs(spool_V) - valve.dead_zone_V;
  const double area = beyond > 0.0 ? std::fmin(valve.gain * beyond, valve.area_max) : 0.0;
  const double forward = valve.leakage + (spool_V > 0.0 ? area : 0.0);
  const double back = valve.leakage + (spool_V < 0.0 ? area : 0.0);
  return {{forward, back}, {back, forward}};
}

// C_d A_0 of a flow on a data sheet [m^3/s at 1 bar and 20 C] between the pressures P_u and P_d [Pa] at 20 C.
double area_from_nominal_flow(const Gas& gas, double flow_m3_per_s, double P_u, double P_d);

}  // namespace knuckleboom::pneumatics
