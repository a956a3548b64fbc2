// Faults of a machine, and their effect on valves, circuits, pump and sensors.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/math/hash.hpp"
#include "knuckleboom/core/sim/simulation.hpp"

namespace knuckleboom::sim {
namespace {

using command::Fault;
using command::FaultKind;

constexpr double kPumpTime = 0.05;  // s; filter of the flow that lowers a worn pump's pressure
constexpr double kDropout = 0.1;    // s; duration of one dropout of a position

// A unique number for each fault and tick.
std::uint64_t key(std::int64_t tick, std::size_t fault) {
  return static_cast<std::uint64_t>(tick) * command::kMaxFaults + fault;
}

double moved(double share, bool on, double ramp_s, double h) {
  const double target = on ? 1.0 : 0.0;
  if (!(ramp_s > 0.0)) return target;
  return std::clamp(target, share - h / ramp_s, share + h / ramp_s);
}

// Joint positions as measured for the controllers.
struct Sensors {
  double shift[kMaxLinks] = {};
  bool lost[kMaxLinks] = {};
};

void add_to_circuit(const Fault& fault, double share, const hydraulics::Circuit& circuit,
                    hydraulics::CircuitFault& out) {
  switch (fault.kind) {
    case FaultKind::kAirInOil: {
      const double left = 1.0 - share * (1.0 - fault.size);
      out.compliance = (1.0 + out.compliance) / left - 1.0;
      break;
    }
    case FaultKind::kHoseLeak:
      out.leak_external[fault.port] += share * fault.size;
      break;
    case FaultKind::kCylinderLeak:
      out.leak_internal += share * fault.size;
      break;
    case FaultKind::kLowRelief: {
      if (share <= 0.0) break;
      const hydraulics::Protection& p = circuit.protection;
      const double set = p.enabled ? p.relief_Pa : 10.0 * fault.size;
      const double relief = set + share * (fault.size - set);
      out.relief_Pa = out.relief_Pa > 0.0 ? std::min(out.relief_Pa, relief) : relief;
      break;
    }
    default:
      break;
  }
}

// Within a circuit.
bool of_oil(FaultKind kind) {
  return kind == FaultKind::kAirInOil || kind == FaultKind::kHoseLeak ||
         kind == FaultKind::kCylinderLeak || kind == FaultKind::kLowRelief;
}

// Delivery of a pump to open valves [m^3/s].
double drawn(const machine::MachineState& m, std::size_t actuators) {
  double flow = 0.0;
  for (std::size_t k = 0; k < actuators; ++k) {
    const machine::ActuatorState& a = m.actuator[k];
    if (a.open != 0) flow += std::max(0.0, a.Q[a.spool_V >= 0.0 ? 0 : 1]);
  }
  return flow;
}

}  // namespace

void Simulation::place_faults() {
  if (scenario_.faults.size() > static_cast<std::size_t>(command::kMaxFaults))
    throw std::invalid_argument("a machine can have " + std::to_string(command::kMaxFaults) +
                                " faults at most, not " + std::to_string(scenario_.faults.size()));
  for (std::size_t i = 0; i < scenario_.faults.size(); ++i) {
    const Fault& fault = scenario_.faults[i];
    if (fault.function.empty() && command::needs_function(fault.kind))
      throw std::invalid_argument("fault '" + fault.name + "' does not say which function has it");
    fault_actuator_.push_back(fault.function.empty() ? -1 : actuator_of(fault.function));
    if (model_.on_air() && of_oil(fault.kind))
      throw std::invalid_argument("fault '" + fault.name + "' is one of oil, and machine '" +
                                  model_.name + "' is on air");
    const auto tick = [this](double s) { return static_cast<std::int64_t>(std::llround(s / h_)); };
    if (fault.at_s >= 0.0) plan_.push_back({tick(fault.at_s), static_cast<int>(i), true});
    if (fault.until_s >= 0.0) plan_.push_back({tick(fault.until_s), static_cast<int>(i), false});
  }
  std::stable_sort(plan_.begin(), plan_.end(),
                   [](const Planned& a, const Planned& b) { return a.tick < b.tick; });
}

void Simulation::run_plan(SimState& state) const {
  const auto count = static_cast<std::int32_t>(plan_.size());
  while (state.fault.next_in_plan < count) {
    const Planned& next = nth(plan_, state.fault.next_in_plan);
    if (next.tick > state.tick) return;
    ++state.fault.next_in_plan;
    set_fault(state, next.fault, next.on);
  }
}

void Simulation::set_fault(SimState& state, int index, bool on) const {
  if (index < 0 || static_cast<std::size_t>(index) >= scenario_.faults.size()) return;
  FaultState& f = state.fault;
  if (f.active == 0)
    std::copy(std::begin(state.machine.q), std::end(state.machine.q), std::begin(f.measured));
  f.on[index] = on ? 1 : 0;
  work_faults(state, 0.0);
}

// At the end of a tick, for the next one; h: time since the last call.
void Simulation::work_faults(SimState& state, double h) const {
  FaultState& f = state.fault;
  machine::MachineState& m = state.machine;
  const std::size_t actuators = model_.actuators.size();
  hydraulics::CircuitFault circuit[kMaxActuators] = {};
  Sensors sensors;
  double loss = 0.0;
  double drop = 0.0;
  double main_relief_Pa = 0.0;
  f.active = 0;
  f.lever_delay_s = 0.0;
  for (std::size_t k = 0; k < actuators; ++k) {
    f.breakout_V[k] = f.offset_V[k] = 0.0;
    f.controller_off[k] = 0;
  }
  for (std::size_t i = 0; i < scenario_.faults.size(); ++i) {
    const Fault& fault = scenario_.faults[i];
    double& share = f.share[i];
    share = moved(share, f.on[i] != 0, fault.ramp_s, h);
    if (f.on[i] == 0 && share == 0.0) continue;
    ++f.active;
    if (fault.kind == FaultKind::kWornPump) {
      loss = std::max(loss, share * fault.size);
      drop += share * fault.flow_size;
    }
    if (fault.kind == FaultKind::kLowRelief && fault.function.empty()) {
      const double set = model_.supply.pump.relief_Pa;
      const double lowered = share > 0.0 ? set + share * (fault.size - set) : set;
      main_relief_Pa = main_relief_Pa > 0.0 ? std::min(main_relief_Pa, lowered) : lowered;
      continue;
    }
    if (fault.kind == FaultKind::kLeverDelay)
      f.lever_delay_s = std::max(f.lever_delay_s, share * fault.size);
    for (std::size_t k = 0; k < actuators; ++k) {
      if (fault_actuator_[i] >= 0 && fault_actuator_[i] != static_cast<int>(k)) continue;
      const double full_V = model_.actuators[k].circuit.valve.full_V;
      const int link = model_.actuators[k].link;
      add_to_circuit(fault, share, model_.actuators[k].circuit, circuit[k]);
      if (fault.kind == FaultKind::kStickingSpool)
        f.breakout_V[k] = std::max(f.breakout_V[k], share * fault.size * full_V);
      if (fault.kind == FaultKind::kSpoolOffset) f.offset_V[k] += share * fault.size * full_V;
      if (fault.kind == FaultKind::kControllerOff) f.controller_off[k] = 1;
      if (fault.kind == FaultKind::kSensorBias) sensors.shift[link] += share * fault.size;
      if (fault.kind == FaultKind::kSensorNoise)
        sensors.shift[link] += share * fault.size * gaussian(key(state.tick, i));
      if (fault.kind == FaultKind::kSensorDropout) {
        const double time = static_cast<double>(state.tick) * h_;
        const auto window = static_cast<std::int64_t>(std::floor(time / kDropout));
        sensors.lost[link] = sensors.lost[link] || uniform(key(window, i)) < share * fault.size;
      }
    }
  }
  for (std::size_t k = 0; k < actuators; ++k) {
    if (f.breakout_V[k] == 0.0) m.actuator[k].spool_stuck = 0;
    machine::set_fault(model_, state.fidelity, static_cast<int>(k), circuit[k], m);
  }
  for (int i = 0; i < model_.joint_count(); ++i)
    if (!sensors.lost[i]) f.measured[i] = m.q[i] + sensors.shift[i];
  if (model_.supply.kind == hydraulics::SupplyKind::kPump) {
    // A modelled pump derives pressure and flow from it.
    hydraulics::SupplyState& supply = m.supply;
    const bool worn = loss > 0.0 || drop > 0.0;
    f.pump_flow = worn ? f.pump_flow + h / (h + kPumpTime) * (supply.flow - f.pump_flow) : 0.0;
    supply.wear = loss;
    supply.drop_Pa = drop * f.pump_flow;
    supply.relief_Pa = main_relief_Pa;
  } else if (loss > 0.0 || drop > 0.0) {
    f.pump_flow += h / (h + kPumpTime) * (drawn(m, actuators) - f.pump_flow);
    m.pump_Pa = std::max(m.tank_Pa, f.pump_set_Pa * (1.0 - loss) - drop * f.pump_flow);
  } else {
    f.pump_flow = 0.0;
    m.pump_Pa = f.pump_set_Pa;
  }
}

std::vector<Fault> usual_faults(const machine::MachineModel& model) {
  constexpr double kFlowAt100Bar = 1.0 / (6e4 * 1e7);  // m^3/(s Pa) per litre per minute
  std::vector<Fault> out;
  const auto add = [&out](std::string name, FaultKind kind, const std::string& function,
                          double size) -> Fault& {
    Fault fault;
    fault.name = std::move(name);
    fault.kind = kind;
    fault.function = function;
    fault.size = size;
    fault.hidden = true;  // the trainee must find it
    out.push_back(std::move(fault));
    return out.back();
  };
  // With load sensing only the margin can be lost.
  const hydraulics::PumpSupply& pump = model.supply.pump;
  const bool senses = model.supply.kind == hydraulics::SupplyKind::kPump &&
                      pump.control == hydraulics::PumpControl::kLoadSensing;
  add("worn_pump", FaultKind::kWornPump, "", 0.25).flow_size =
      (senses ? 0.25 * pump.margin_Pa : 5e6) / 1e-3;
  if (model.supply.kind == hydraulics::SupplyKind::kPump)
    add("main_low_relief", FaultKind::kLowRelief, "", 0.5 * model.supply.pump.relief_Pa);
  add("air_in_oil", FaultKind::kAirInOil, "", 0.3).ramp_s = 2.0;
  add("lever_delay", FaultKind::kLeverDelay, "", 0.2);
  for (const machine::Actuator& actuator : model.actuators) {
    const std::string& joint = model.joint_name(actuator.link);
    const auto of = [&](const char* what, FaultKind kind, double size) -> Fault& {
      return add(joint + "_" + what, kind, joint, size);
    };
    of("sticking_spool", FaultKind::kStickingSpool, 0.25);
    of("spool_offset", FaultKind::kSpoolOffset, 0.08);
    of("hose_a_leak", FaultKind::kHoseLeak, 6.0 * kFlowAt100Bar).ramp_s = 2.0;
    of("hose_a_burst", FaultKind::kHoseLeak, 600.0 * kFlowAt100Bar);
    Fault& leak_b = of("hose_b_leak", FaultKind::kHoseLeak, 6.0 * kFlowAt100Bar);
    leak_b.port = 1;
    leak_b.ramp_s = 2.0;
    of("hose_b_burst", FaultKind::kHoseLeak, 600.0 * kFlowAt100Bar).port = 1;
    of("cylinder_leak", FaultKind::kCylinderLeak, 3.0 * kFlowAt100Bar).ramp_s = 2.0;
    of("low_relief", FaultKind::kLowRelief, 0.5 * actuator.circuit.protection.relief_Pa);
    of("sensor_bias", FaultKind::kSensorBias, 0.05);
    of("sensor_noise", FaultKind::kSensorNoise, 0.005);
    of("sensor_dropout", FaultKind::kSensorDropout, 0.3);
    of("controller_off", FaultKind::kControllerOff, 0.0);
  }
  if (model.on_air()) std::erase_if(out, [](const Fault& fault) { return of_oil(fault.kind); });
  // More functions than places: the first ones are kept.
  if (out.size() > static_cast<std::size_t>(command::kMaxFaults)) out.resize(command::kMaxFaults);
  return out;
}

}  // namespace knuckleboom::sim
