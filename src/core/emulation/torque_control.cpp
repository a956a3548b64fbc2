#include "knuckleboom/core/emulation/torque_control.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/math/exponential.hpp"

namespace knuckleboom::emulation {
namespace {

constexpr double kLeastDrop =
    2e5;  // Pa across an orifice: below it the curve is too flat to be inverted

// Opening at which both orifices together pass `flow` at these roots of their drops.
double opening_for(const hydraulics::Valve& valve, bool forward, double flow, double root_in,
                   double root_out) {
  using hydraulics::conductance;
  const hydraulics::Conductance& in =
      valve.edge[forward ? hydraulics::kPumpToA : hydraulics::kPumpToB];
  const hydraulics::Conductance& out =
      valve.edge[forward ? hydraulics::kBToTank : hydraulics::kAToTank];
  double low = 0.0, high = 1.0;
  if (conductance(in, high) * root_in + conductance(out, high) * root_out <= flow) return 1.0;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (low + high);
    const bool more =
        conductance(in, middle) * root_in + conductance(out, middle) * root_out < flow;
    (more ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

TorqueControl::TorqueControl(const machine::Actuator& actuator, double dt)
    : circuit_(&actuator.circuit) {
  const double lag = actuator.circuit.valve.spool_time_constant_s;
  spool_share_ = lag > 0.0 ? 1.0 - decay(dt / lag) : 1.0;
}

double TorqueControl::torque(const machine::ActuatorState& state, double speed) const {
  return hydraulics::area1(*circuit_) * state.p[0] - hydraulics::area2(*circuit_) * state.p[1] -
         circuit_->B * speed;
}

double TorqueControl::command_V(const TorqueDemand& demand, const machine::ActuatorState& state,
                                double pump_Pa, double tank_Pa, double bandwidth_Hz) const {
  const hydraulics::Circuit& c = *circuit_;
  const double D = hydraulics::area1(c);
  const double missing = demand.torque - torque(state, demand.speed);
  // Sum of the flow into one side and out of the other: torque' = D (Q_1/C_1 + Q_2/C_2) with the
  // flow taken by the speed subtracted from both.
  const double C = 0.5 * (state.C[0] + state.C[1]);
  const double flow = 2.0 * D * demand.speed +
                      C / D * 2.0 * std::numbers::pi * bandwidth_Hz * missing +
                      2.0 * c.leak_internal * (state.p[0] - state.p[1]);
  const bool forward = flow >= 0.0;
  const double p_in = state.p[forward ? 0 : 1];
  const double p_out = state.p[forward ? 1 : 0];
  const double root_in = std::sqrt(std::max(kLeastDrop, pump_Pa - p_in));
  const double root_out = std::sqrt(std::max(kLeastDrop, p_out - tank_Pa));
  const hydraulics::Valve& valve = c.valve;
  const double opening = opening_for(valve, forward, std::fabs(flow), root_in, root_out);
  double spool = valve.overlap_V + opening * (valve.full_V - valve.overlap_V);
  if (!forward) spool = -spool;
  // The spool's own position is known: it arrives at the end of the period.
  return std::clamp(state.spool_V + (spool - state.spool_V) / spool_share_, -valve.full_V,
                    valve.full_V);
}

}  // namespace knuckleboom::emulation
