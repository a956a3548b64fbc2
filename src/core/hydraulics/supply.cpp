#include "knuckleboom/core/hydraulics/supply.hpp"

#include <algorithm>
#include <cmath>

#include "knuckleboom/core/math/exponential.hpp"
#include "knuckleboom/core/math/logarithm.hpp"
#include "knuckleboom/core/math/trig.hpp"

namespace knuckleboom::hydraulics {
namespace {

constexpr double kAtmosphere = 101325.0;  // Pa
constexpr double kTurn = 6.283185307179586;
// Share of the owed volume repaid per tick. A quarter damps best where the circuits' conductance
// outweighs the gallery (docs/theory/power.md).
constexpr double kPayBack = 0.25;
// Below tank pressure the pump's inlet lets oil in.
constexpr double kSuction = 3e-7;  // m^3/(s Pa)
// Stroke beyond the power limit at which the limiter moves at full speed.
constexpr double kPowerBand = 0.05;
constexpr double kStalled = 1.0;  // rad/s; a slower engine counts as stalled

double gallery_capacitance(const PumpSupply& supply) {
  return supply.gallery_volume / supply.gallery_bulk_modulus;
}

// Volume of the gas; its derivative by p is -volume / (n p_abs).
double gas_volume(const Accumulator& a, double p) {
  if (p <= a.precharge_Pa) return a.gas_volume;
  return a.gas_volume * power((a.precharge_Pa + kAtmosphere) / (p + kAtmosphere), 1.0 / a.exponent);
}

double gas_energy(const Accumulator& a, double p) {
  const double V = gas_volume(a, p);
  if (V == a.gas_volume) return 0.0;
  const double p0 = a.precharge_Pa + kAtmosphere;
  return ((p + kAtmosphere) * V - p0 * a.gas_volume) / (a.exponent - 1.0) -
         kAtmosphere * (a.gas_volume - V);
}

struct Volume {
  double value, slope;
};
Volume storage(const PumpSupply& supply, double p) {
  const double C = gallery_capacitance(supply);
  Volume out{C * p, C};
  for (const Accumulator& a : supply.accumulators) {
    const double V = gas_volume(a, p);
    out.value += a.gas_volume - V;
    if (p > a.precharge_Pa) out.slope += V / (a.exponent * (p + kAtmosphere));
  }
  return out;
}

double relief_setting(const PumpSupply& supply, const SupplyState& state) {
  return state.relief_Pa > 0.0 ? std::min(state.relief_Pa, supply.relief_Pa) : supply.relief_Pa;
}

double turned(const PumpSupply& supply, const SupplyState& state) {
  return state.engine_speed > kStalled ? supply.speed_ratio * state.engine_speed : 0.0;
}

// Quantities that follow from the pressure at the end of a tick.
struct End {
  double stroke;
  double delivered;  // theoretical, less the share lost by wear [m^3]
  double leaked, relieved;
  double stored;
  double excess, slope;  // residual of the volume balance, and its slope by p
};

struct Tick {
  const PumpSupply& supply;
  const SupplyState& state;
  const SupplyDemand& demand;
  double h, p;
  double set;           // pressure to hold
  double stroke_limit;  // by power
  double sweep;         // delivered in the tick at full stroke [m^3]
  double relief;        // setting
  double stored;        // at the start
};

End evaluate(const Tick& t, double p) {
  const PumpSupply& s = t.supply;
  End e{};
  double stroke_slope = 0.0;
  e.stroke = 1.0;
  if (s.control != PumpControl::kFixed) {
    const double per_tick = t.h / s.stroke_time_s;
    double error = (t.set - p - s.regulator_damping_s * (p - t.p) / t.h) / s.regulator_band_Pa;
    stroke_slope = -per_tick * (1.0 + s.regulator_damping_s / t.h) / s.regulator_band_Pa;
    const double by_power = (t.stroke_limit - t.state.stroke) / kPowerBand;
    if (by_power < error) {
      error = by_power;
      stroke_slope = 0.0;
    }
    const double clamped = std::clamp(error, -1.0, 1.0);
    const double moved = t.state.stroke + per_tick * clamped;
    e.stroke = std::clamp(moved, 0.0, 1.0);
    if (clamped != error || e.stroke != moved) stroke_slope = 0.0;
  }
  e.delivered = t.sweep * e.stroke;
  const Volume stored = storage(s, p);
  e.stored = stored.value;
  e.leaked = t.h * s.leak * p;
  e.slope = stored.slope + t.h * s.leak - t.sweep * stroke_slope + t.h * t.demand.conductance;
  if (p > t.relief) {
    e.relieved = t.h * s.relief_conductance * (p - t.relief);
    e.slope += t.h * s.relief_conductance;
  } else if (p < 0.0) {
    e.relieved = t.h * kSuction * p;
    e.slope += t.h * kSuction;
  }
  e.excess = e.stored - t.stored - e.delivered + e.leaked + e.relieved + t.demand.volume +
             t.h * t.demand.conductance * (p - t.p) - kPayBack * t.state.owed;
  return e;
}

// The excess increases with p: Newton within a bracket.
double solve(const Tick& t, End& end) {
  constexpr int kMaxIterations = 30;
  constexpr double kClose = 1e-3;  // Pa
  double p = t.p;
  double low = -INFINITY;
  double high = INFINITY;
  for (int i = 0; i < kMaxIterations; ++i) {
    end = evaluate(t, p);
    (end.excess > 0.0 ? high : low) = p;
    double next = p - end.excess / end.slope;
    // At a kink Newton may leave the bracket.
    if (!(next > low && next < high)) {
      if (next == p) break;
      next = std::isfinite(low) && std::isfinite(high) ? 0.5 * (low + high) : next;
    }
    const bool close = std::fabs(next - p) <= kClose;
    p = next;
    if (close) break;
  }
  end = evaluate(t, p);
  return p;
}

// Torque demanded by the governor at a speed.
double governed(const Engine& engine, double speed) {
  return engine.torque_max *
         std::clamp((engine.speed - speed) / (engine.droop * engine.speed), 0.0, 1.0);
}

// Advances the engine by a tick under a load torque; the speed is implicit in the governor's slope.
void turn_engine(const Engine& engine, double h, double load, SupplyState& state) {
  if (engine.inertia <= 0.0) {
    state.engine_torque = load;
    return;
  }
  const double asked = governed(engine, state.engine_speed);
  const double slope = asked > 0.0 && asked < engine.torque_max
                           ? engine.torque_max / (engine.droop * engine.speed)
                           : 0.0;
  const double share = engine.governor_s > 0.0 ? 1.0 - decay(h / engine.governor_s) : 1.0;
  const double torque = state.engine_torque + share * (asked - state.engine_torque);
  const double change = (torque - load) / (engine.inertia / h + share * slope);
  state.engine_torque = std::clamp(torque - share * slope * change, 0.0, engine.torque_max);
  state.engine_speed = std::max(0.0, state.engine_speed + change);
}

double kinetic(const Engine& engine, double speed) { return 0.5 * engine.inertia * speed * speed; }

// Mean of 1 + ripple cos(pistons angle) over a tick.
double rippled(const PumpSupply& supply, double angle, double turn) {
  const double step = supply.pistons * turn;
  if (supply.ripple == 0.0 || !(step > 0.0)) return 1.0;
  const double from = supply.pistons * angle;
  return 1.0 + supply.ripple * (sin_cos(from + step).sin - sin_cos(from).sin) / step;
}

}  // namespace

double stored_volume(const PumpSupply& supply, double p) { return storage(supply, p).value; }

double stored_energy(const PumpSupply& supply, const SupplyState& state, double p) {
  double sum =
      0.5 * gallery_capacitance(supply) * p * p + kinetic(supply.engine, state.engine_speed);
  for (const Accumulator& a : supply.accumulators) sum += gas_energy(a, p);
  return sum;
}

double set_pressure(const PumpSupply& supply, const SupplyState& state) {
  const double most = state.set_Pa;
  const double set =
      supply.control == PumpControl::kLoadSensing
          ? std::min(most, std::max(supply.standby_Pa, state.load_Pa + supply.margin_Pa))
          : most;
  return std::max(0.0, set * (1.0 - state.wear) - state.drop_Pa);
}

double flow_limit(const PumpSupply& supply, const SupplyState& state, double p) {
  double most = supply.displacement * turned(supply, state);
  if (supply.power_limit_W > 0.0 && p * most > supply.power_limit_W)
    most = supply.power_limit_W / p;
  return std::max(0.0, most * (1.0 - state.wear) - supply.leak * p);
}

SupplyState settled_supply(const PumpSupply& supply, double cut_off_Pa, double tank_Pa, double& p) {
  SupplyState state{};
  state.set_Pa = cut_off_Pa;
  state.load_Pa = tank_Pa;
  const Engine& engine = supply.engine;
  state.engine_speed = engine.speed;
  p = set_pressure(supply, state);
  // Speed and torque depend on each other; the droop is small.
  for (int i = 0; i < 20; ++i) {
    const double full = supply.displacement * supply.speed_ratio * state.engine_speed;
    if (supply.control == PumpControl::kFixed) {
      state.stroke = 1.0;
      p = (full + supply.relief_conductance * supply.relief_Pa) /
          (supply.relief_conductance + supply.leak);
    } else {
      state.stroke = std::min(1.0, supply.leak * p / full);
    }
    state.engine_torque =
        supply.speed_ratio * (supply.displacement * state.stroke * p + supply.drag_torque);
    if (engine.inertia > 0.0)
      state.engine_speed =
          engine.speed *
          (1.0 - engine.droop * std::min(1.0, state.engine_torque / engine.torque_max));
  }
  state.flow = supply.displacement * turned(supply, state) * state.stroke - supply.leak * p;
  state.relief_flow = supply.relief_conductance * std::max(0.0, p - supply.relief_Pa);
  return state;
}

void advance_supply(const PumpSupply& supply, double h, const SupplyDemand& demand, double& p,
                    SupplyState& state, SupplyLedger& ledger) {
  const double share = supply.load_line_s > 0.0 ? 1.0 - decay(h / supply.load_line_s) : 1.0;
  state.load_Pa += share * (demand.load_Pa - state.load_Pa);
  const double speed = state.engine_speed;
  const double pump_speed = turned(supply, state);
  const double turn = h * pump_speed;
  const double swept = supply.displacement * turn * rippled(supply, state.angle, turn);
  state.angle += turn;
  while (state.angle >= kTurn) state.angle -= kTurn;

  const Tick tick{supply,
                  state,
                  demand,
                  h,
                  p,
                  set_pressure(supply, state),
                  supply.power_limit_W > 0.0
                      ? supply.power_limit_W /
                            std::max(1.0, p * supply.displacement * std::max(kStalled, pump_speed))
                      : 1.0,
                  swept * (1.0 - state.wear),
                  relief_setting(supply, state),
                  stored_volume(supply, p)};
  End end{};
  const double p_end = solve(tick, end);
  const double p_mid = 0.5 * (p + p_end);
  const double E_start = stored_energy(supply, state, p);

  // The residual of the volume balance is owed, including the solver's own error.
  const double owed = state.owed + end.delivered - end.leaked - end.relieved - demand.volume -
                      (end.stored - tick.stored);
  const double ideal = swept * end.stroke;  // through the pump without leakage or wear
  const double pump_torque = turn > 0.0 ? p_mid * ideal / turn : 0.0;
  const double drag = pump_speed > 0.0 ? supply.drag_torque : 0.0;
  turn_engine(supply.engine, h, supply.speed_ratio * (pump_torque + drag), state);
  const double turned_mid =
      supply.speed_ratio * 0.5 * (speed + state.engine_speed) * h;  // rad of the pump

  const double pump_work = pump_torque * turned_mid;
  const double drag_work = drag * turned_mid;
  const double owed_change = owed - state.owed;
  state.stroke = end.stroke;
  state.owed = owed;
  state.flow = (end.delivered - end.leaked) / h;
  state.relief_flow = end.relieved / h;
  const double p_start = p;
  p = p_end;

  const double lost = end.leaked + (ideal - end.delivered);
  const double E_change = stored_energy(supply, state, p) - E_start;
  const double E_kinetic =
      kinetic(supply.engine, state.engine_speed) - kinetic(supply.engine, speed);
  ledger.engine += pump_work + drag_work + E_kinetic;
  ledger.delivered += p_start * demand.volume;
  ledger.pump_loss += drag_work + p_mid * lost;
  ledger.relief += p_mid * end.relieved;
  ledger.coupling += (pump_work - p_mid * ideal) + p_mid * owed_change +
                     (p_mid - p_start) * demand.volume +
                     (p_mid * (end.stored - tick.stored) - (E_change - E_kinetic));
}

}  // namespace knuckleboom::hydraulics
