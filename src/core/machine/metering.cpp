#include "knuckleboom/core/machine/metering.hpp"

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/machine/actuator.hpp"

namespace knuckleboom::machine {
namespace {

constexpr int kSamples = 64;
// Share of the unloaded top speed over which a command crosses the overlap, so that a speed passing
// through zero does not move the spool from edge to edge in one tick.
constexpr double kCrossing = 0.01;

double cube(double x) { return x * x * x; }

// Force available for the orifices at speed w.
double left_over(double area_in, double P_in, double area_out, double P_out, double force,
                 double damping, double w) {
  return area_in * P_in - area_out * P_out - force - damping * w;
}

// K w^2 + b w = force.
double steady_speed(double K, double b, double force) {
  return force > 0.0 ? 2.0 * force / (b + std::sqrt(b * b + 4.0 * K * force)) : 0.0;
}

}  // namespace

void count_on(const Supply& supply, const hydraulics::SupplyState& state, double pump_Pa,
              const hydraulics::Circuit& circuit, Load& load) {
  using hydraulics::CompensatorKind;
  load.pump_Pa = pump_Pa;
  load.tank_Pa = supply.tank_Pa;
  if (supply.kind == hydraulics::SupplyKind::kConstant) return;
  const hydraulics::PumpSupply& pump = supply.pump;
  load.flow_limit = hydraulics::flow_limit(pump, state, pump_Pa);
  if (pump.control == hydraulics::PumpControl::kFixed) return;
  const double highest = state.set_Pa * (1.0 - state.wear) - state.drop_Pa;
  const CompensatorKind kind = circuit.valve.compensator.kind;
  load.pump_Pa = highest;
  if (pump.control != hydraulics::PumpControl::kLoadSensing) return;
  if (kind == CompensatorKind::kFlowSharing) load.drop_Pa = pump.margin_Pa;
  if (kind != CompensatorKind::kNone) return;
  // Pump pressure due to its own load, or another one's if that is higher.
  const bool outward = load.force >= 0.0;
  const double area_in = outward ? hydraulics::area1(circuit) : hydraulics::area2(circuit);
  const double own = std::fabs(load.force) / area_in + pump.margin_Pa;
  load.pump_Pa = std::max(pump_Pa, std::min(highest, std::max(own, pump.standby_Pa)));
}

Metering::Sense Metering::make_sense(const hydraulics::Circuit& circuit, bool outward) {
  using hydraulics::Edge;
  const hydraulics::Valve& valve = circuit.valve;
  const double a1 = hydraulics::area1(circuit);
  const double a2 = hydraulics::area2(circuit);
  const bool cylinder = circuit.kind == hydraulics::ActuatorKind::kCylinder;
  Sense s;
  s.area_in = outward ? a1 : a2;
  s.area_out = outward ? a2 : a1;
  const hydraulics::Line& line_in = outward ? circuit.line1 : circuit.line2;
  const hydraulics::Line& line_out = outward ? circuit.line2 : circuit.line1;
  s.damping = circuit.B;
  if (!cylinder)
    s.damping += line_in.R * s.area_in * s.area_in + line_out.R * s.area_out * s.area_out;
  s.anti_cavitation = circuit.protection.enabled;
  s.P_anti_cavitation = circuit.protection.anti_cavitation_Pa;
  const Edge edge_in = outward ? hydraulics::kPumpToA : hydraulics::kPumpToB;
  const Edge edge_out = outward ? hydraulics::kBToTank : hydraulics::kAToTank;
  const double R_in = cylinder ? line_in.R : 0.0;
  const double R_out = cylinder ? line_out.R : 0.0;
  const auto add = [](Table& table, double x, double y) {
    if (!table.x.empty() && !(x > table.x.back())) return;
    table.x.push_back(x);
    table.y.push_back(y);
  };
  s.compensated = valve.compensator.kind != hydraulics::CompensatorKind::kNone;
  s.margin = valve.compensator.margin_Pa;
  s.held = circuit.holding[outward ? 1 : 0].kind != hydraulics::HoldingKind::kNone;
  for (int i = 0; i <= kSamples; ++i) {
    const double opening = static_cast<double>(i) / kSamples;
    const double K_in = cube(s.area_in) * (hydraulics::resistance(valve, edge_in, opening) + R_in);
    s.K_out = cube(s.area_out) * (hydraulics::resistance(valve, edge_out, opening) + R_out);
    s.K = K_in + s.K_out;
    add(s.opening, 1.0 / std::sqrt(s.K), opening);
    add(s.opening_out, 1.0 / std::sqrt(s.K_out), opening);
    add(s.g, opening, 1.0 / std::sqrt(s.K));
    if (!s.compensated) continue;
    const double g_in = 1.0 / std::sqrt(hydraulics::resistance(valve, edge_in, opening));
    add(s.opening_in, g_in, opening);
    add(s.g_in, opening, g_in);
  }
  return s;
}

Metering::Metering(const hydraulics::Circuit& circuit)
    : overlap_V_(circuit.valve.overlap_V),
      full_V_(circuit.valve.full_V),
      out_(make_sense(circuit, true)),
      in_(make_sense(circuit, false)) {}

double Metering::command_V(double x_dot, const Load& load) const {
  const double w = std::fabs(x_dot);
  if (!(w > 0.0)) return 0.0;
  const double sign = x_dot < 0.0 ? -1.0 : 1.0;
  const Sense& s = sense(sign);
  const double force = sign * load.force;
  const double b = s.damping + load.damping;
  const double both = left_over(s.area_in, load.pump_Pa, s.area_out, load.tank_Pa, force, b, w);
  double opening = both > 0.0 ? evaluate(s.opening, w / std::sqrt(both)).value : 1.0;
  if (s.compensated)
    opening = std::max(
        opening, evaluate(s.opening_in,
                          w * s.area_in / std::sqrt(load.drop_Pa > 0.0 ? load.drop_Pa : s.margin))
                     .value);
  if (s.anti_cavitation && !s.held) {
    const double outlet =
        left_over(s.area_in, s.P_anti_cavitation, s.area_out, load.tank_Pa, force, b, w);
    if (outlet > 0.0)
      opening = std::min(opening, evaluate(s.opening_out, w / std::sqrt(outlet)).value);
  }
  const double crossing = kCrossing * steady_speed(s.K, s.damping, s.area_in * load.pump_Pa);
  const double across = crossing > 0.0 ? std::min(1.0, w / crossing) : 1.0;
  return sign * (across * overlap_V_ + opening * (full_V_ - overlap_V_));
}

double Metering::compensated_speed(const Sense& s, double g_in, const Load& load) {
  return g_in * std::sqrt(load.drop_Pa > 0.0 ? load.drop_Pa : s.margin) / s.area_in;
}

double Metering::top_speed(double sign, const Load& load) const {
  const Sense& s = sense(sign);
  const double force = sign * load.force;
  const double b = s.damping + load.damping;
  double fed = steady_speed(
      s.K, b, left_over(s.area_in, load.pump_Pa, s.area_out, load.tank_Pa, force, b, 0.0));
  fed = std::min(fed, load.flow_limit / s.area_in);
  if (s.compensated) fed = std::min(fed, compensated_speed(s, s.g_in.y.back(), load));
  if (!s.anti_cavitation || s.held) return fed;
  return std::max(fed, steady_speed(s.K_out, b,
                                    left_over(s.area_in, s.P_anti_cavitation, s.area_out,
                                              load.tank_Pa, force, b, 0.0)));
}

double Metering::unloaded_speed(double command_V, const Load& supply) const {
  const double sign = command_V < 0.0 ? -1.0 : 1.0;
  const Sense& s = sense(sign);
  const double opening = (std::fabs(command_V) - overlap_V_) / (full_V_ - overlap_V_);
  if (!(opening > 0.0)) return 0.0;
  const double g = evaluate(s.g, opening).value;
  double w = steady_speed(1.0 / (g * g), s.damping,
                          s.area_in * supply.pump_Pa - s.area_out * supply.tank_Pa);
  w = std::min(w, supply.flow_limit / s.area_in);
  if (s.compensated) w = std::min(w, compensated_speed(s, evaluate(s.g_in, opening).value, supply));
  return sign * w;
}

}  // namespace knuckleboom::machine
