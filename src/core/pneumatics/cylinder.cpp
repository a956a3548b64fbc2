#include "knuckleboom/core/pneumatics/cylinder.hpp"

#include <algorithm>
#include <cmath>

namespace knuckleboom::pneumatics {
namespace {

constexpr double kLeast = 0.1;  // smallest share of the dead volume
constexpr double kSettled = 1e-13;
constexpr double kRounding =
    1e-9;  // a step this small, if not followed by a smaller one, is rounding

// Both edges at a trial state of the chamber.
struct Streams {
  double m_dot, H_dot;
  double m_by_P, m_by_T, H_by_P, H_by_T;
  double m_dot_supply, H_dot_supply;
  bool choked;
};

void add_edge(const FlowLaw& law, double area, double P_out, double T_out, double P, double T,
              bool supply, Streams& s) {
  if (area <= 0.0) return;
  const Flow f = flow(law, area, P_out, T_out, P, T);
  const double c_p = law.gas().c_p();
  const double T_u = f.from_1 ? T_out : T;
  s.m_dot += f.m_dot;
  s.H_dot += c_p * T_u * f.m_dot;
  s.m_by_P += f.by_P2;
  s.H_by_P += c_p * T_u * f.by_P2;
  if (!f.from_1) {
    s.m_by_T += f.by_T;
    s.H_by_T += c_p * (f.m_dot + T * f.by_T);
  }
  if (supply) {
    s.m_dot_supply = f.m_dot;
    s.H_dot_supply = c_p * T_u * f.m_dot;
  }
  s.choked = s.choked || f.choked;
}

Streams streams(const FlowLaw& law, const Air& air, const Edges& edges, double P, double T) {
  Streams s{};
  add_edge(law, edges.supply, air.P_supply, air.T_supply, P, T, true, s);
  add_edge(law, edges.exhaust, air.P_ambient, air.T_ambient, P, T, false, s);
  return s;
}

// Share of a Newton step to take. Neither unknown falls below a fifth, and the pressure does not
// pass that behind an open edge, where the flow reverses: the iteration continues from there with
// the new slope.
double step_share(const Air& air, const Edges& edges, double P, double dP, double m, double dm) {
  constexpr double kFall = 0.8;
  double share = 1.0;
  if (dP < -kFall * P) share = -kFall * P / dP;
  if (dm * share < -kFall * m) share = -kFall * m / dm;
  const auto not_past = [&](double area, double edge) {
    if (area > 0.0 && (edge - P) * (P + share * dP - edge) > 0.0 &&
        std::fabs(edge - P) > 1e-6 * edge)
      share = (edge - P) / dP;
  };
  not_past(edges.supply, air.P_supply);
  not_past(edges.exhaust, air.P_ambient);
  return share;
}

}  // namespace

double volume(const Cylinder& c, Side side, double x) {
  const double dead = side == kCap ? c.dead_cap : c.dead_rod;
  const double swept = side == kCap ? c.area_cap * x : c.area_rod * (c.stroke - x);
  return std::max(dead + swept, kLeast * dead);
}

double pressure(const Gas& gas, const Chamber& chamber, double volume) {
  return (gas.k - 1.0) * chamber.U / volume;
}

double temperature(const Gas& gas, const Chamber& chamber) {
  return chamber.U / (gas.c_v() * chamber.m);
}

Chamber filled(const Gas& gas, double P, double T, double volume) {
  return {P * volume / (gas.R * T), P * volume / (gas.k - 1.0)};
}

// Newton on pressure and mass; the mass drops out of the energy while nothing flows out.
ChamberStage chamber_stage(const FlowLaw& law, const Air& air, const Edges& edges,
                           const Chamber& star, double g, double V, double dV_dt, double dV_by_v,
                           double P_start) {
  const Gas& gas = law.gas();
  const double per_P = V / (gas.k - 1.0);
  ChamberStage out{};
  double P = P_start;
  // The second stage of a step may start from a negative mass where a small chamber empties.
  double m = star.m > 0.0 ? star.m : P_start * V / (gas.R * air.T_ambient);
  double last = 1.0;
  Streams s{};
  double det = 1.0, mm = 1.0, mP = 0.0, em = 0.0, eP = per_P;
  for (out.iterations = 1;; ++out.iterations) {
    const double T = P * V / (m * gas.R);
    s = streams(law, air, edges, P, T);
    const double mass = m - star.m - g * s.m_dot;
    const double energy = per_P * P - star.U - g * (s.H_dot - P * dV_dt);
    const double T_by_P = T / P, T_by_m = -T / m;
    mm = 1.0 - g * s.m_by_T * T_by_m;
    mP = -g * (s.m_by_P + s.m_by_T * T_by_P);
    em = -g * s.H_by_T * T_by_m;
    eP = per_P - g * (s.H_by_P + s.H_by_T * T_by_P - dV_dt);
    det = mm * eP - mP * em;
    if (out.iterations == kMaxChamberIterations) break;
    const double dm = -(mass * eP - energy * mP) / det;
    const double dP = -(mm * energy - em * mass) / det;
    const double size = std::max(std::fabs(dP) / P, std::fabs(dm) / m);
    if (size <= kSettled || (size <= kRounding && size >= last)) break;
    last = size;
    const double share = step_share(air, edges, P, dP, m, dm);
    P += share * dP;
    m += share * dm;
  }
  out.P = P;
  out.T = P * V / (m * gas.R);
  out.m_dot = s.m_dot;
  out.H_dot = s.H_dot;
  out.m_dot_supply = s.m_dot_supply;
  out.H_dot_supply = s.H_dot_supply;
  out.choked = s.choked;
  out.end = {star.m + g * s.m_dot, star.U + g * (s.H_dot - P * dV_dt)};
  // Derivatives by the speed: the volume changes by g dV_by_v, its rate by dV_by_v.
  const double T_by_v = out.T / V * g * dV_by_v;
  const double mass_by_v = -g * s.m_by_T * T_by_v;
  const double energy_by_v = P * g * dV_by_v * gas.k / (gas.k - 1.0) - g * s.H_by_T * T_by_v;
  out.by_v = -(mm * energy_by_v - em * mass_by_v) / det;
  return out;
}

void cylinder_stage(const FlowLaw& law, const Air& air, const Cylinder& c, const Openings& openings,
                    const Chamber* star, double g, double x, double v, CylinderStage& out) {
  out.chamber[kCap] = chamber_stage(law, air, openings.cap, star[kCap], g, volume(c, kCap, x),
                                    c.area_cap * v, c.area_cap, out.chamber[kCap].P);
  out.chamber[kRod] = chamber_stage(law, air, openings.rod, star[kRod], g, volume(c, kRod, x),
                                    -c.area_rod * v, -c.area_rod, out.chamber[kRod].P);
  out.force = force(air, c, out.chamber[kCap].P, out.chamber[kRod].P);
  out.by_v = c.area_cap * out.chamber[kCap].by_v - c.area_rod * out.chamber[kRod].by_v;
}

const char* fault_of(const Air& air) {
  if (!(air.gas.R > 0.0)) return "the gas constant must be above zero";
  if (!(air.gas.k > 1.0)) return "the ratio of specific heats must be above 1";
  if (!(air.P_supply > 0.0) || !(air.P_ambient > 0.0))
    return "pressures are absolute and must be above zero";
  if (!(air.T_supply > 0.0) || !(air.T_ambient > 0.0))
    return "temperatures are absolute and must be above zero";
  return nullptr;
}

const char* fault_of(const Valve& valve) {
  if (!(valve.dead_zone_V >= 0.0)) return "the dead zone must not be negative";
  if (!(valve.gain > 0.0) || !(valve.area_max > 0.0)) return "the area must be above zero";
  if (!(valve.leakage >= 0.0)) return "leakage must not be negative";
  return nullptr;
}

const char* fault_of(const Cylinder& c) {
  if (!(c.area_rod > 0.0 && c.area_rod <= c.area_cap))
    return "the bore must be above zero and the rod thinner than it";
  if (!(c.stroke > 0.0)) return "the stroke must be above zero";
  if (!(c.dead_cap > 0.0 && c.dead_rod > 0.0))
    return "both ends need a dead volume above zero, or their pressure has no end";
  return nullptr;
}

}  // namespace knuckleboom::pneumatics
