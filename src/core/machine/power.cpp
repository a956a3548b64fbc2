#include "knuckleboom/core/machine/power.hpp"

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/math/exponential.hpp"
#include "knuckleboom/core/math/quadratic.hpp"
#include "section.hpp"

namespace knuckleboom::machine {

using hydraulics::Circuit;
using hydraulics::CompensatorKind;
using hydraulics::HoldingKind;
using hydraulics::SupplyKind;
using hydraulics::Valve;

namespace {

double share(double lag_s, double h) { return lag_s > 0.0 ? 1.0 - decay(h / lag_s) : 1.0; }

bool is_open(const Valve& valve, const ActuatorState& a) {
  return std::fabs(a.spool_V) > valve.overlap_V;
}

// Pressure of the line at the pump's side, before a holding valve.
double line_pressure(const Actuator& actuator, const ActuatorState& a) {
  const int s = pump_side(a.spool_V);
  const hydraulics::LoadHolding& holding = actuator.circuit.holding[s];
  double P = a.P_C[s];
  if (holding.kind != HoldingKind::kNone)
    P += std::max(0.0, hydraulics::holding_resistance(holding.conductance, a.holding[s]) *
                           signed_square(a.Q[s]));
  return P;
}

}  // namespace

SectionLags section_lags(const Circuit& circuit, double h) {
  return {share(circuit.valve.compensator.lag_s, h),
          share(circuit.valve.load_check_lag_s, h),
          {share(circuit.holding[0].lag_s, h), share(circuit.holding[1].lag_s, h)}};
}

double load_pressure(const Actuator& actuator, const ActuatorState& a, double tank_Pa) {
  if (!is_open(actuator.circuit.valve, a)) return tank_Pa;
  return std::max(tank_Pa, line_pressure(actuator, a));
}

void advance_sections(const MachineModel& model, const SectionLags* lags, MachineState& state) {
  double highest = state.tank_Pa;
  const std::size_t m = model.actuators.size();
  for (std::size_t k = 0; k < m; ++k)
    highest =
        std::max(highest, load_pressure(model.actuators[k], state.actuator[k], state.tank_Pa));
  const double over_all = std::max(0.0, state.pump_Pa - highest);
  for (std::size_t k = 0; k < m; ++k) {
    const Circuit& circuit = model.actuators[k].circuit;
    if (!hydraulics::has_section(circuit)) continue;
    ActuatorState& a = state.actuator[k];
    const bool open = is_open(circuit.valve, a);
    const int s = pump_side(a.spool_V);
    double source[2] = {state.tank_Pa, state.tank_Pa};
    source[s] = state.pump_Pa;
    const hydraulics::Compensator& compensator = circuit.valve.compensator;
    if (compensator.kind != CompensatorKind::kNone) {
      // Its own line, however far a load that pulls has emptied it: the drop is that of any other load.
      const double own = open ? line_pressure(model.actuators[k], a) : state.tank_Pa;
      const double target =
          own +
          (compensator.kind == CompensatorKind::kFlowSharing ? over_all : compensator.margin_Pa);
      a.P_compensated += lags[k].compensator * (target - a.P_compensated);
      source[s] = std::min(source[s], a.P_compensated);
    }
    const double check = open ? hydraulics::check_target(source[s], a.P_C[s]) : 0.0;
    a.load_check += lags[k].load_check * (check - a.load_check);
    for (int side = 0; side < 2; ++side) {
      const hydraulics::LoadHolding& holding = circuit.holding[side];
      if (holding.kind == HoldingKind::kNone) continue;
      const bool piloted = open && side != s;
      const double target = open ? hydraulics::holding_target(holding, source[side], a.p[side],
                                                              piloted ? a.P_C[s] : 0.0)
                                 : 0.0;
      a.holding[side] += lags[k].holding[side] * (target - a.holding[side]);
    }
  }
}

void finish_supply(const MachineModel& model, double h, const Draw* draws, MachineState& state) {
  hydraulics::SupplyDemand demand{0.0, 0.0, state.tank_Pa};
  bool sharing = false;
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    const ActuatorState& a = state.actuator[k];
    const hydraulics::Compensator& compensator = model.actuators[k].circuit.valve.compensator;
    demand.load_Pa = std::max(demand.load_Pa, load_pressure(model.actuators[k], a, state.tank_Pa));
    sharing |= compensator.kind == CompensatorKind::kFlowSharing;
    double follows = 1.0;  // share of the gallery's pressure change that reaches the edge in a tick
    if (compensator.kind != CompensatorKind::kNone && a.P_compensated < state.pump_Pa) {
      state.supply_energy.compensator +=
          (state.pump_Pa - passed_pressure(compensator, a, state.pump_Pa)) * draws[k].volume;
      follows = compensator.kind == CompensatorKind::kFlowSharing ? 1.0 : 0.0;
    }
    demand.volume += draws[k].volume;
    demand.conductance += follows * draws[k].conductance;
  }
  if (model.supply.kind != SupplyKind::kPump) return;
  const double before = state.pump_Pa;
  hydraulics::advance_supply(model.supply.pump, h, demand, state.pump_Pa, state.supply,
                             state.supply_energy);
  // A sharing compensator stands behind the edge and takes off what its load is below the highest one: the pump's
  // pressure reaches the edge at once.
  for (std::size_t k = 0; sharing && k < model.actuators.size(); ++k)
    if (model.actuators[k].circuit.valve.compensator.kind == CompensatorKind::kFlowSharing)
      state.actuator[k].P_compensated += state.pump_Pa - before;
}

double supply_residual(const MachineModel& model, const MachineState& state) {
  if (model.supply.kind != SupplyKind::kPump) return 0.0;
  const hydraulics::SupplyLedger& e = state.supply_energy;
  const double stored =
      hydraulics::stored_energy(model.supply.pump, state.supply, state.pump_Pa) - e.start;
  return e.engine - e.delivered - e.pump_loss - e.relief - e.coupling - e.drive - stored;
}

}  // namespace knuckleboom::machine
