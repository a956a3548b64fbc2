#include "knuckleboom/core/machine/equations.hpp"

#include <cstring>

#include "knuckleboom/core/friction/friction.hpp"
#include "knuckleboom/core/machine/actuator_numbers.hpp"
#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/multibody/dynamics.hpp"
#include "linkage.hpp"
#include "section.hpp"

namespace knuckleboom {

double hydraulics::table_resistance(const Valve& valve, int edge, double opening) {
  return resistance(valve, static_cast<Edge>(edge), opening);
}

}  // namespace knuckleboom

namespace knuckleboom::machine {

using hydraulics::Circuit;
using hydraulics::LineModel;
using hydraulics::StageInput;
using hydraulics::StageResult;

double oil_energy(const Circuit& circuit, const ActuatorState& state, LineModel model) {
  if (model == LineModel::kResistive) return 0.0;
  double sum = compression_energy(state.C, state.P_C);
  if (model == LineModel::kDynamic) sum += hose_energy(circuit.line1.I, circuit.line2.I, state.Q);
  return sum;
}

double spring_energy(const MachineModel& model, const double* q) {
  double sum = 0.0;
  for (int i = 0; i < model.joint_count(); ++i) {
    const double bent = q[i] - model.tree.link(i).rest;
    sum += 0.5 * model.tree.link(i).stiffness * bent * bent;
  }
  for (const multibody::Ball& ball : model.balls) {
    const Vec3 bent = multibody::bend(q + ball.first).phi;
    sum += 0.5 * bent.dot(ball.stiffness.cwiseProduct(bent));
  }
  return sum;
}

double add_ball_torques(const MachineModel& model, const double* q, const double* v, double factor,
                        double* tau) {
  double loss = 0.0;
  for (const multibody::Ball& ball : model.balls) {
    const double* const turns = q + ball.first;
    const multibody::Bend bend = multibody::bend(turns);
    Vec3 torque = -bend.by_turn.transpose() * ball.stiffness.cwiseProduct(bend.phi);
    if (v != nullptr) {
      const Vec3 omega = multibody::angular_velocity(turns, v + ball.first);
      const Vec3 damper = ball.damping.cwiseProduct(omega);
      torque -= multibody::turning(turns).transpose() * damper;
      loss += omega.dot(damper);
    }
    for (int t = 0; t < 3; ++t) tau[ball.first + 1 + t] += factor * torque(t);
  }
  return loss;
}

double stored_energy(const MachineModel& model, const MachineState& state, Fidelity fidelity) {
  const multibody::Energy e = multibody::energy(model.tree, state.inertia, state.q, state.v);
  double sum = e.kinetic + e.potential + spring_energy(model, state.q);
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const ActuatorState& a = state.actuator[k];
    sum += model.actuators[k].air
               ? a.air.U[0] + a.air.U[1]
               : oil_energy(model.actuators[k].circuit, a, line_model(a.open != 0, fidelity));
    if (model.actuators[k].friction.kind == friction::Kind::kLuGre)
      sum += friction::bristle_energy(model.actuators[k].friction, a.bristle);
  }
  for (std::size_t i = 0; i < model.joint_friction.size(); ++i)
    if (model.joint_friction[i].kind == friction::Kind::kLuGre)
      sum += friction::bristle_energy(model.joint_friction[i], state.bristle[i]);
  return sum;
}

namespace {

int beyond(const StageResult& out, double low, double high, bool relief) {
  int bits = 0;
  for (int s = 0; s < 2; ++s) {
    const bool is =
        relief ? out.P_C[s] > high || out.p[s] > high : out.P_C[s] < low || out.p[s] < low;
    bits |= is ? 1 << s : 0;
  }
  return bits;
}

}  // namespace

void watch(const Actuator& actuator, const StageResult& out, bool at_stop, ActuatorState& a,
           Health& health, bool& relief, bool& cavitation) {
  watch_stop(at_stop, a, health);
  const hydraulics::Protection& p = actuator.circuit.protection;
  const double relief_Pa = hydraulics::relief_Pa(p, a.fault);
  const double low = std::min(std::min(out.P_C[0], out.P_C[1]), std::min(out.p[0], out.p[1]));
  const double high = std::max(std::max(out.P_C[0], out.P_C[1]), std::max(out.p[0], out.p[1]));
  const bool quiet = low >= p.anti_cavitation_Pa && high <= relief_Pa;
  if ((!p.enabled && a.fault.relief_Pa == 0.0) ||
      (quiet && (a.relief_active | a.cavitation_active) == 0))
    return;
  const int relief_bits = beyond(out, p.anti_cavitation_Pa, relief_Pa, true);
  const int cavitation_bits = beyond(out, p.anti_cavitation_Pa, relief_Pa, false);
  const int new_relief = relief_bits & ~a.relief_active;
  const int new_cavitation = cavitation_bits & ~a.cavitation_active;
  health.relief_events += (new_relief & 1) + (new_relief >> 1);
  health.cavitation_events += (new_cavitation & 1) + (new_cavitation >> 1);
  a.relief_active = relief_bits;
  a.cavitation_active = cavitation_bits;
  relief = relief || relief_bits != 0;
  cavitation = cavitation || cavitation_bits != 0;
}

double held_shift(const Actuator& actuator, const ActuatorState& a, double load) {
  const double shift = (a.F_hold - load) / hydraulics::closed_stiffness(actuator.circuit, a.C);
  const EndStops& stops = actuator.stops;
  if (!stops.enabled) return shift;
  return std::clamp(shift, std::min(0.0, stops.x_min - a.x_hold),
                    std::max(0.0, stops.x_max - a.x_hold));
}

void held_pressures(const Circuit& circuit, const ActuatorState& a, double shift, double (&P)[2]) {
  P[0] = a.P_hold[0] - hydraulics::area1(circuit) / a.C[0] * shift;
  P[1] = a.P_hold[1] + hydraulics::area2(circuit) / a.C[1] * shift;
}

void release_held_oil(const Actuator& actuator, const hydraulics::StageConstants& k, double h,
                      double oil_before, double x, ActuatorState& a, EnergyLedger& energy) {
  const double(&C)[2] = a.C;
  const double p[2] = {a.p[0], a.p[1]};
  double booked = 0.0;
  for (int s = 0; s < 2; ++s) {
    const double leak = k.leak_internal * (p[s] - p[1 - s]) + k.leak_external[s] * p[s];
    const double leaked = p[s] - h / C[s] * leak;
    const double kept = std::clamp(leaked, k.P_low, k.P_high);
    // Mean pressure times volume, so that the oil's energy balances exactly.
    const double leakage = 0.5 * C[s] * (p[s] * p[s] - leaked * leaked);
    const double relief = 0.5 * C[s] * (leaked * leaked - kept * kept);
    energy.leakage += leakage;
    energy.relief += relief;
    booked += leakage + relief;
    if (kept != leaked) a.held_dynamic = 1;
    a.P_hold[s] += kept - p[s];
    a.F_hold += k.sign_area[s] * (kept - p[s]);
    a.p[s] = a.P_C[s] = kept;
  }
  energy.model += oil_energy(actuator.circuit, a, LineModel::kClosed) - oil_before + booked;
  const EndStops& stops = actuator.stops;
  if (stops.enabled && (x < stops.x_min || x > stops.x_max)) a.held_dynamic = 1;
}

LinkageState displacement(const MachineModel& model, int actuator, double q) {
  const Linkage& linkage = model.actuators[static_cast<std::size_t>(actuator)].linkage;
  if (linkage.kind == LinkageKind::kDirect) return {q, 1.0};
  return linkage_at(linkage, q);
}

void hold_here(const MachineModel& model, int actuator, MachineState& state) {
  const Circuit& circuit = model.actuators[static_cast<std::size_t>(actuator)].circuit;
  ActuatorState& a = state.actuator[actuator];
  a.x_hold = displacement_row(model, actuator, state.q, nullptr);
  a.P_hold[0] = a.P_C[0];
  a.P_hold[1] = a.P_C[1];
  a.F_hold = hydraulics::area1(circuit) * a.P_C[0] - hydraulics::area2(circuit) * a.P_C[1];
}

void set_fault(const MachineModel& model, Fidelity fidelity, int actuator,
               const hydraulics::CircuitFault& fault, MachineState& state) {
  ActuatorState& a = state.actuator[actuator];
  if (std::memcmp(&a.fault, &fault, sizeof fault) == 0) return;
  const Circuit& circuit = model.actuators[static_cast<std::size_t>(actuator)].circuit;
  const LineModel line = line_model(a.open != 0, fidelity);
  const double before = oil_energy(circuit, a, line);
  a.fault = fault;
  const hydraulics::CircuitFault none{};
  a.faulty = std::memcmp(&fault, &none, sizeof fault) != 0 ? 1 : 0;
  hydraulics::capacitances(circuit, a.fault, displacement_row(model, actuator, state.q, nullptr),
                           a.P_C, a.C);
  state.energy.events += oil_energy(circuit, a, line) - before;
  if (quasi_static(model, fidelity, a)) hold_here(model, actuator, state);
}

namespace {
// Largest share of the absolute pressure for the extrapolation over half a tick.
constexpr double kAhead = 0.1;
}  // namespace

void follow_volumes(const MachineModel& model, Fidelity fidelity, double h, MachineState& state) {
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const Actuator& actuator = model.actuators[k];
    const Circuit& circuit = actuator.circuit;
    if (!circuit.volumes) continue;
    ActuatorState& a = state.actuator[k];
    double row[kMaxLinks];
    const double x = displacement_row(model, static_cast<int>(k), state.q, row);
    double x_dot = 0.0;
    for (int j = 0; j < model.joint_count(); ++j) x_dot += row[j] * state.v[j];
    const double area[2] = {hydraulics::area1(circuit), -hydraulics::area2(circuit)};
    double P[2];
    for (int s = 0; s < 2; ++s) {
      const double rate = ((a.open != 0 ? a.Q[s] : 0.0) - area[s] * x_dot) / a.C[s];
      const double most =
          kAhead * std::max(a.P_C[s] + hydraulics::kAtmosphere, hydraulics::kLeastAbsolute);
      P[s] = a.P_C[s] + std::clamp(0.5 * h * rate, -most, most);
    }
    const LineModel line = line_model(a.open != 0, fidelity);
    const double before = oil_energy(circuit, a, line);
    hydraulics::capacitances(circuit, a.fault, x + 0.5 * h * x_dot, P, a.C);
    state.energy.model += oil_energy(circuit, a, line) - before;
  }
}

hydraulics::Orifices section_orifices(const Circuit& circuit, const ActuatorState& a,
                                      double spool_V, double pump_Pa, double tank_Pa) {
  using hydraulics::HoldingKind;
  const hydraulics::Valve& valve = circuit.valve;
  hydraulics::Orifices o = hydraulics::orifices(valve, spool_V, pump_Pa, tank_Pa);
  if (!hydraulics::has_section(circuit) || !o.open) return o;
  const bool forward = spool_V >= 0.0;
  double& source = forward ? o.P_S1 : o.P_S2;
  double& C_R = forward ? o.C_R1 : o.C_R2;
  const bool compensated = valve.compensator.kind != hydraulics::CompensatorKind::kNone;
  source = passed_pressure(valve.compensator, a, pump_Pa);
  if (compensated || valve.load_check)
    C_R += hydraulics::load_check_resistance(
        valve.edge[forward ? hydraulics::kPumpToA : hydraulics::kPumpToB].scale, a.load_check);
  for (int s = 0; s < 2; ++s)
    if (circuit.holding[s].kind != HoldingKind::kNone)
      (s == 0 ? o.C_R1 : o.C_R2) +=
          hydraulics::holding_resistance(circuit.holding[s].conductance, a.holding[s]);
  return o;
}

void update_valves(const MachineModel& model, Fidelity fidelity, MachineState& state,
                   StageInput* in) {
  for (std::size_t k = 0, m = model.actuators.size(); k < m; ++k) {
    const Actuator& actuator = model.actuators[k];
    ActuatorState& a = state.actuator[k];
    if (actuator.air) [[unlikely]] {  // no equations change
      const bool open = std::fabs(a.spool_V) > actuator.circuit.valve.overlap_V;
      if (open != (a.open != 0)) ++state.health.valve_switches;
      a.open = open ? 1 : 0;
      in[k] = {};
      continue;
    }
    const hydraulics::Orifices o =
        hydraulics::has_section(actuator.circuit)
            ? section_orifices(actuator.circuit, a, a.spool_V, state.pump_Pa, state.tank_Pa)
            : hydraulics::orifices(actuator.circuit.valve, a.spool_V, state.pump_Pa, state.tank_Pa);
    in[k].P_S[0] = o.P_S1;
    in[k].P_S[1] = o.P_S2;
    in[k].C_R[0] = o.C_R1;
    in[k].C_R[1] = o.C_R2;
    const bool open = o.open || model.closed_valve == ClosedValveModel::kOrifice;
    if (open == (a.open != 0)) continue;
    ++state.health.valve_switches;
    const double before = oil_energy(actuator.circuit, a, line_model(a.open != 0, fidelity));
    a.open = open ? 1 : 0;
    const double after = oil_energy(actuator.circuit, a, line_model(open, fidelity));
    state.energy.switching += after - before;
    if (!open) {
      a.held_dynamic = 0;
      a.hand_over = 0;
      hold_here(model, static_cast<int>(k), state);
    }
  }
}

void change_fidelity(const MachineModel& model, double h, Fidelity from, Fidelity to,
                     MachineState& state) {
  if (from == to || model.on_air()) return;
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const Circuit& circuit = model.actuators[k].circuit;
    ActuatorState& a = state.actuator[k];
    const bool open = a.open != 0;
    const double before = oil_energy(circuit, a, line_model(open, from));
    a.hand_over = 0;
    if (to == Fidelity::kFull) {
      const hydraulics::Orifices o =
          section_orifices(circuit, a, a.spool_V, state.pump_Pa, state.tank_Pa);
      a.Q[0] = hydraulics::residual_flow(o.P_S1, a.P_C[0], o.C_R1);
      a.Q[1] = hydraulics::residual_flow(o.P_S2, a.P_C[1], o.C_R2);
    } else if (to == Fidelity::kPaper) {
      if (open) {
        for (int s = 0; s < 2; ++s) a.P_hold[s] = a.p[s];
        a.hand_over = hand_over_ticks(h);
      } else if (model.closed_valve == ClosedValveModel::kQuasiStatic) {
        a.held_dynamic = 1;  // eq. 25 would drop the present momentum
      }
    }  // to the reduced model: pressures stay, flows follow from them, the hoses' momentum goes
    state.energy.switching += oil_energy(circuit, a, line_model(open, to)) - before;
  }
}

double quasi_steady_speed(const Circuit& circuit, const StageInput& in, double held_force) {
  const double a1 = hydraulics::area1(circuit);
  const double a2 = hydraulics::area2(circuit);
  const bool quadratic = circuit.kind == hydraulics::ActuatorKind::kCylinder;
  const double R1 = quadratic ? circuit.line1.R : 0.0;
  const double R2 = quadratic ? circuit.line2.R : 0.0;
  const double dF = a1 * in.P_S[0] - a2 * in.P_S[1] - held_force;
  const double D = (in.C_R[0] + R1) * a1 * a1 * a1 + (in.C_R[1] + R2) * a2 * a2 * a2;
  return std::copysign(std::sqrt(std::fabs(dF) / D), dF);
}

ActuatorNumbers actuator_numbers(const MachineModel& model, int actuator,
                                 const ActuatorState* state) {
  const Actuator& a = nth(model.actuators, actuator);
  const Circuit& c = a.circuit;
  ActuatorNumbers out{};
  out.plain = a.linkage.kind != LinkageKind::kPins && !a.air &&
              a.friction.kind == friction::Kind::kNone && !hydraulics::has_section(c) && !c.volumes;
  out.direct = a.linkage.kind == LinkageKind::kDirect;
  out.k0 = a.linkage.k0;
  out.kc = a.linkage.kc;
  out.ks = a.linkage.ks;
  out.area[0] = hydraulics::area1(c);
  out.area[1] = hydraulics::area2(c);
  out.hose_I[0] = c.line1.I;
  out.hose_I[1] = c.line2.I;
  out.overlap_V = c.valve.overlap_V;
  out.full_V = c.valve.full_V;
  for (int e = 0; e < 4; ++e) {
    const hydraulics::Conductance& edge = nth(c.valve.edge, e);
    out.tables = out.tables || !edge.table.x.empty();
    out.scale[e] = edge.scale;
    std::copy(edge.polynomial.begin(), edge.polynomial.end(), out.c[e]);
    out.least[e] = c.valve.min_conductance_ratio * edge.scale;
  }
  out.valve = &c.valve;
  out.protected_ = c.protection.enabled;
  out.relief_Pa = c.protection.relief_Pa;
  out.anti_cavitation_Pa = c.protection.anti_cavitation_Pa;
  if (state != nullptr && state->faulty != 0) {
    out.protected_ = out.protected_ || state->fault.relief_Pa != 0.0;
    out.relief_Pa = hydraulics::relief_Pa(c.protection, state->fault);
  }
  out.stops = &a.stops;
  return out;
}

}  // namespace knuckleboom::machine
