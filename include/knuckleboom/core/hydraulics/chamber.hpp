// One side of a cylinder as a compliance that depends on stroke and pressure: oil, hose, wall and
// air.
//
//   C(x, P) = (V_h + V_c) / K_oil + V_h / K_hose + V_c / K_wall + V_air / (n p)
//   V_c     = dead volume + area |x - x_empty|
//   V_air   = (share (V_h + V_c) + trapped) (p_0 / p)^(1/n)
// p = P + p_0 absolute, p_0 = 1 bar. Sources: H. Merritt, Hydraulic Control Systems (1967), ch. 2 (oil and
// container in series); air by its polytropic law. docs/theory/oil.md
#pragma once

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/math/logarithm.hpp"

namespace knuckleboom::hydraulics {

inline constexpr double kAtmosphere = 1e5;     // Pa
inline constexpr double kLeastAbsolute = 2e3;  // Pa; below, the gas law is frozen
inline constexpr double kRigid = 1e15;         // Pa; a bulk modulus that counts as rigid

struct Fluid {
  double bulk_Pa = 1.4e9;   // K_oil, without air
  double density = 870.0;   // kg/m^3
  double air_share = 0.0;   // free air in the oil, by volume at 1 bar
  double polytropic = 1.2;  // n: 1 isothermal, 1.4 adiabatic
};

struct Chamber {
  double hose_m3 = 0.0, dead_m3 = 0.0;
  double hose_bulk_Pa = kRigid, wall_bulk_Pa = kRigid;
  double trapped_air_m3 = 0.0;  // at 1 bar
  double area = 0.0;            // m^2; 0 for a motor
  double x_empty = 0.0;         // displacement at which the chamber holds its dead volume only [m]
};

inline double chamber_volume(const Chamber& c, double x) {
  return c.dead_m3 + c.area * std::fabs(x - c.x_empty);
}

// Volume of the air at gauge pressure P [m^3].
inline double air_volume(const Fluid& fluid, const Chamber& c, double x, double P) {
  const double free = fluid.air_share * (c.hose_m3 + chamber_volume(c, x)) + c.trapped_air_m3;
  if (!(free > 0.0)) return 0.0;
  const double p = std::max(P + kAtmosphere, kLeastAbsolute);
  const double ratio = kAtmosphere / p;
  const double n = 1.0 / fluid.polytropic;
  return free * (ratio <= 1.0 ? power(ratio, n) : 1.0 / power(1.0 / ratio, n));
}

// C [m^3/Pa] at displacement x [m] and gauge pressure P [Pa].
inline double capacitance(const Fluid& fluid, const Chamber& c, double x, double P) {
  const double V = chamber_volume(c, x);
  const double p = std::max(P + kAtmosphere, kLeastAbsolute);
  return (c.hose_m3 + V) / fluid.bulk_Pa + c.hose_m3 / c.hose_bulk_Pa + V / c.wall_bulk_Pa +
         air_volume(fluid, c, x, P) / (fluid.polytropic * p);
}

}  // namespace knuckleboom::hydraulics
