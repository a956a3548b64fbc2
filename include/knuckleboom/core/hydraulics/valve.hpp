// Proportional spool valve as two orifices between two sources and two lines (paper, section 2b).
//
// Command u [V], positive: P_S1 = pump, P_S2 = tank; negative: exchanged; zero counts as positive.
// Orifice: dP = C_R Q|Q| (eq. 13), C_R = 1/g^2 [kg/m^7], g the conductance [m^3/(s sqrt(Pa))].
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "knuckleboom/core/hydraulics/orifice_laws.hpp"
#include "knuckleboom/core/math/table.hpp"

namespace knuckleboom::hydraulics {

// g(s) over relative opening s = 0..1: scale (c1 s + c2 s^2 + c3 s^3), or scale times a table of s.
struct Conductance {
  double scale = 0.0;  // K_Q
  std::array<double, 3> polynomial{};
  Table table;  // replaces the polynomial if not empty
};

// Keeps the pressure drop across the pump's metering edge constant, whatever the load.
enum class CompensatorKind {
  kNone,
  kUpstream,     // before the edge: its source is load + margin, up to the pump's pressure
  kFlowSharing,  // all edges get the pressure drop between pump and highest load
};
struct Compensator {
  CompensatorKind kind = CompensatorKind::kNone;
  double margin_Pa = 0.0;  // kUpstream
  double lag_s = 0.0;
};

struct Valve {
  double overlap_V = 0.5;
  double full_V = 10.0;
  std::array<Conductance, 4> edge;
  double min_conductance_ratio = 1e-4;  // share of the edge's scale: the maximum resistance
  double spool_time_constant_s = 0.0;   // first-order lag of the spool behind the command; 0: none
  Compensator compensator;
  // No flow from a port back to the pump; always with a compensator.
  bool load_check = false;
  double load_check_lag_s = 0.005;
};

// Sources and orifices of a valve at a command.
struct Orifices {
  double P_S1, P_S2;  // sources [Pa]
  double C_R1, C_R2;  // resistance of the orifice towards line 1 and 2 [kg/m^7]
  bool open;          // |u| > overlap
};

inline double conductance(const Conductance& edge, double opening) {
  if (!edge.table.x.empty()) return edge.scale * evaluate(edge.table, opening).value;
  const auto& c = edge.polynomial;
  return polynomial_conductance(edge.scale, c[0], c[1], c[2], opening);
}
inline double resistance(const Valve& valve, Edge edge, double opening) {
  const Conductance& curve = valve.edge[edge];
  const double least = valve.min_conductance_ratio * curve.scale;
  // A shut edge whose curve is a polynomial has none but the least.
  const bool shut = opening == 0.0 && curve.table.x.empty();
  return resistance_of(shut ? least : larger(conductance(curve, opening), least));
}

inline Orifices orifices(const Valve& valve, double spool_V, double P_pump, double P_tank) {
  const double magnitude = std::fabs(spool_V);
  const bool forward = spool_V >= 0.0;
  const double opening = opening_of(magnitude, valve.overlap_V, valve.full_V);
  return {forward ? P_pump : P_tank, forward ? P_tank : P_pump,
          resistance(valve, forward ? kPumpToA : kAToTank, opening),
          resistance(valve, forward ? kBToTank : kPumpToB, opening), magnitude > valve.overlap_V};
}

}  // namespace knuckleboom::hydraulics
