#include "knuckleboom/core/batch/batch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/sim/parts.hpp"
#include "lane_machine.hpp"

namespace knuckleboom::batch {

// Parts of a simulation, beyond its interface, that lanes read.
struct Access {
  using Drive = sim::Simulation::Drive;
  static const std::vector<Drive>& drives(const sim::Simulation& s) { return s.drives_; }
  static const machine::Stepper& stepper(const sim::Simulation& s) { return s.stepper_; }
  static bool has_tip(const sim::Simulation& s) { return s.has_tip_; }
  static bool has_joint_program(const sim::Simulation& s) {
    return std::any_of(s.joint_program_.begin(), s.joint_program_.end(),
                       [](const auto* program) { return program != nullptr; });
  }
  static void watch_energy(const sim::Simulation& s, sim::SimState& state) {
    s.watch_energy(state);
  }
  static constexpr std::int64_t kEnergyTicks = sim::Simulation::kEnergyTicks;
  // Tick of the next begin or end of a fault by the clock; -1: none.
  static std::int64_t next_planned(const sim::Simulation& s, const sim::SimState& state) {
    const auto next = static_cast<std::size_t>(state.fault.next_in_plan);
    return next < s.plan_.size() ? s.plan_[next].tick : -1;
  }
  // Inputs of the scenario in the tick of this state. The tip's path goes on by a tick.
  static void fill_input(const sim::Simulation& s, sim::SimState& state, sim::TickInput& input) {
    s.fill_input(state, input);
  }
  // Whether a fault is of this actuator.
  static bool concerns(const sim::Simulation& s, std::size_t fault, int actuator) {
    return s.fault_actuator_[fault] < 0 || s.fault_actuator_[fault] == actuator;
  }
};

namespace {

using sim::ActuatorMode;
using sim::SimState;
using sim::Simulation;

// --- Which machines go together -----------------------------------------------------------------------------

// Whether lanes know all that this machine does in its scenario.
bool fits(const Simulation& simulation) {
  const machine::MachineModel& model = simulation.model();
  const command::Scenario& scenario = simulation.scenario();
  if (model.joint_count() != kJoints || model.controllers.size() != kJoints || model.on_air() ||
      model.coupled() || !model.loop_system.empty() || !model.balls.empty() ||
      !model.drives.empty() || simulation.carrier().present() ||
      Access::stepper(simulation).any_joint_laws() ||
      model.supply.kind != hydraulics::SupplyKind::kConstant ||
      model.closed_valve == machine::ClosedValveModel::kOrifice ||
      !scenario.pump_Pa.terms.empty() || !scenario.tank_Pa.terms.empty() ||
      Access::has_joint_program(simulation))
    return false;
  for (const friction::FrictionModel& dry : model.joint_friction)
    if (dry.kind != friction::Kind::kNone) return false;
  bool moved[kJoints] = {};
  for (int k = 0; k < kJoints; ++k) {
    if (!machine::actuator_numbers(model, k).plain) return false;
    moved[Access::drives(simulation)[static_cast<std::size_t>(k)].link] = true;
    const multibody::Link& link = model.tree.link(k);
    if (!link.revolute || link.parent != k - 1) return false;
  }
  return moved[0] && moved[1] && moved[2];
}

bool model_fits(machine::Fidelity fidelity) {
  return fidelity == machine::Fidelity::kFull || fidelity == machine::Fidelity::kReduced;
}

// Actuators whose leakage couples their ports, a bit each; faults leak too.
unsigned leaky(const Simulation& simulation, const SimState& state) {
  unsigned out = 0;
  for (int k = 0; k < kJoints; ++k) {
    const auto& fault = state.machine.actuator[k].fault;
    if (Access::stepper(simulation).constants(k).half.coupled || fault.leak_internal > 0.0 ||
        fault.leak_external[0] > 0.0 || fault.leak_external[1] > 0.0)
      out |= 1U << k;
  }
  return out;
}

// Equal within a group.
using Structure = std::vector<std::int64_t>;
constexpr std::size_t kLeakyInStructure = 3;  // place of leaky()
Structure structure_of(const Simulation& simulation, const SimState& state) {
  const machine::MachineModel& model = simulation.model();
  Structure out{static_cast<std::int64_t>(state.fidelity),
                std::bit_cast<std::int64_t>(simulation.tick_s()),
                std::bit_cast<std::int64_t>(model.tau_Q), leaky(simulation, state)};
  for (int k = 0; k < kJoints; ++k) {
    const machine::ActuatorNumbers a = machine::actuator_numbers(model, k);
    const machine::ActuatorConstants& c = Access::stepper(simulation).constants(k);
    for (const std::int64_t x :
         {std::int64_t{model.tree.link(k).aligned},
          std::int64_t{Access::drives(simulation)[static_cast<std::size_t>(k)].link},
          std::int64_t{a.direct}, std::int64_t{a.tables}, std::int64_t{a.stops->enabled},
          std::int64_t{c.half.linear_line}, static_cast<std::int64_t>(state.gains[k].anti_windup)})
      out.push_back(x);
  }
  return out;
}

// --- One machine ----------------------------------------------------------------------------------------------

struct Machine {
  const Simulation* simulation;
  SimState state;
  sim::Held held;
  bool fits;
};

ActuatorMode mode_of(const Machine& m, int k) {
  if (m.state.fault.controller_off[k] != 0) return ActuatorMode::kVoltage;
  if (m.held.drive[k]) return m.held.input.actuator[k].mode;
  if (m.state.overridden[k] != 0) return m.state.override_command[k].mode;
  return Access::drives(*m.simulation)[static_cast<std::size_t>(k)].command.mode;
}

// By how much a controller's sensor is off, as sim/faults.cpp adds it up.
double sensor_shift(const Machine& m, int link) {
  double shift = 0.0;
  const std::vector<command::Fault>& faults = m.simulation->scenario().faults;
  for (std::size_t i = 0; i < faults.size(); ++i)
    for (int k = 0; k < kJoints; ++k)
      if (faults[i].kind == command::FaultKind::kSensorBias && m.state.fault.on[i] != 0 &&
          Access::concerns(*m.simulation, i, k) &&
          Access::drives(*m.simulation)[static_cast<std::size_t>(k)].link == link)
        shift += m.state.fault.share[i] * faults[i].size;
  return shift;
}

// Whether its faults are there in full and of kinds that change nothing from tick to tick.
bool faults_stand_still(const Machine& m) {
  using command::FaultKind;
  const sim::FaultState& f = m.state.fault;
  if (f.active == 0) return true;
  const std::vector<command::Fault>& faults = m.simulation->scenario().faults;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    if (f.on[i] == 0 && f.share[i] == 0.0) continue;
    if (f.on[i] == 0 || f.share[i] != 1.0) return false;
    const FaultKind kind = faults[i].kind;
    if (kind == FaultKind::kStickingSpool || kind == FaultKind::kWornPump ||
        kind == FaultKind::kSensorNoise || kind == FaultKind::kSensorDropout)
      return false;
  }
  for (int i = 0; i < kJoints; ++i)
    if (f.measured[i] != m.state.machine.q[i] + sensor_shift(m, i)) return false;
  return true;
}

// Whether the machine has to be alone in its next tick.
bool alone(const Machine& m) {
  if (!faults_stand_still(m) || m.held.any_joint || m.state.machine.absent != 0) return true;
  for (int k = 0; k < kJoints; ++k) {
    const ActuatorMode mode = mode_of(m, k);
    if (mode == ActuatorMode::kFedPosition ||
        (mode == ActuatorMode::kPosition &&
         m.state.input.actuator[k].mode != ActuatorMode::kPosition))
      return true;
  }
  return false;
}

// Ticks, from this one on, in which surely nothing happens by the clock; 0: something may in this one.
std::int64_t quiet_ticks(const Machine& m, std::int64_t tick) {
  std::int64_t quiet = kBlock;
  const std::vector<command::Event>& events = m.simulation->scenario().events;
  const auto next = static_cast<std::size_t>(m.state.next_event);
  const double h = m.simulation->tick_s();
  if (next < events.size())
    quiet = std::min(quiet, static_cast<std::int64_t>(std::floor(std::clamp(
                                events[next].at_s / h - static_cast<double>(tick), 0.0, 1e9))) -
                                1);
  const std::int64_t planned = Access::next_planned(*m.simulation, m.state);
  if (planned >= 0) quiet = std::min(quiet, planned - tick);
  return std::max<std::int64_t>(quiet, 0);
}

void step_alone(Machine& m, std::int64_t ticks) {
  for (std::int64_t i = 0; i < ticks; ++i) sim::step_held(*m.simulation, m.held, m.state);
}

// --- Machines into lanes and back -----------------------------------------------------------------------------

// Calls move(number in lanes, number of the machine) for what all parts of a snapshot have.
template <class State, class Sim, class Move>
void each_joint_number(State& s, Sim& m, Move move) {
  auto& machine = m.machine;
  move(s.tick, m.tick);
  move(s.pump_Pa, machine.pump_Pa);
  for (int i = 0; i < kJoints; ++i) {
    move(s.q[i], machine.q[i]);
    move(s.v[i], machine.v[i]);
    move(s.reference[i], m.reference[i]);
  }
}

// Likewise for what an actuator's part has.
template <class State, class Sim, class Move>
void each_port_number(State& s, Sim& m, Move move) {
  for (int k = 0; k < kJoints; ++k) {
    auto& a = s.actuator[k];
    auto& b = m.machine.actuator[k];
    for (int side = 0; side < 2; ++side) {
      move(a.Q[side], b.Q[side]);
      move(a.p[side], b.p[side]);
    }
    move(a.command_V, b.command_V);
    move(a.spool_V, b.spool_V);
    move(a.open, b.open);
    move(a.stop_active, b.stop_active);
  }
}

// And for every number that lanes change.
template <class State, class Sim, class Move>
void each_number(State& s, Sim& m, Move move) {
  auto& machine = m.machine;
  each_joint_number(s, m, move);
  each_port_number(s, m, move);
  move(s.tank_Pa, machine.tank_Pa);
  for (int i = 0; i < kJoints; ++i) move(s.a[i], machine.a[i]);
  for (int k = 0; k < kJoints; ++k) {
    auto& a = s.actuator[k];
    auto& b = machine.actuator[k];
    for (int side = 0; side < 2; ++side) {
      move(a.P_C[side], b.P_C[side]);
      move(a.C[side], b.C[side]);
      move(a.P_hold[side], b.P_hold[side]);
    }
    move(a.x_hold, b.x_hold);
    move(a.F_hold, b.F_hold);
    move(a.held_dynamic, b.held_dynamic);
    move(a.hand_over, b.hand_over);
    auto& c = s.pid[k];
    auto& d = m.pid[k];
    move(c.integral, d.integral);
    move(c.derivative, d.derivative);
    move(c.last_reference, d.last_reference);
    move(c.last_position, d.last_position);
    move(c.output_V, d.output_V);
    move(c.primed, d.primed);
    move(s.command_value[k], m.input.actuator[k].value);
  }
  auto& e = s.energy;
  auto& f = machine.energy;
  move(e.pump, f.pump);
  move(e.valve, f.valve);
  move(e.line, f.line);
  move(e.relief, f.relief);
  move(e.leakage, f.leakage);
  move(e.friction, f.friction);
  move(e.stops, f.stops);
  move(e.switching, f.switching);
  move(e.model, f.model);
  auto& x = s.health;
  auto& y = machine.health;
  move(x.ticks, y.ticks);
  move(x.valve_switches, y.valve_switches);
  move(x.relief_events, y.relief_events);
  move(x.cavitation_events, y.cavitation_events);
  move(x.stop_hits, y.stop_hits);
  move(x.relief_ticks, y.relief_ticks);
  move(x.cavitation_ticks, y.cavitation_ticks);
  move(x.newton_iterations, y.newton_iterations);
  move(x.newton_worst, y.newton_worst);
}

template <class L>
void load_state(int lane, const Machine& m, LaneState<L>& s) {
  each_number(s, m.state,
              [lane](L& to, const auto& from) { to.set(lane, static_cast<double>(from)); });
  for (int k = 0; k < kJoints; ++k) {
    const machine::ActuatorState& a = m.state.machine.actuator[k];
    for (int side = 0; side < 2; ++side) {
      s.actuator[k].relief_active[side].set(lane, a.relief_active >> side & 1);
      s.actuator[k].cavitation_active[side].set(lane, a.cavitation_active >> side & 1);
    }
  }
}

template <class L>
auto out_of_lane(int lane) {
  return [lane](const L& from, auto& to) {
    to = static_cast<std::remove_reference_t<decltype(to)>>(from[lane]);
  };
}

template <class L>
void store_protection(int lane, const LaneState<L>& s, Machine& m) {
  const auto bits = [lane](const L(&side)[2]) {
    return (side[0][lane] != 0.0 ? 1 : 0) | (side[1][lane] != 0.0 ? 2 : 0);
  };
  for (int k = 0; k < kJoints; ++k) {
    machine::ActuatorState& a = m.state.machine.actuator[k];
    a.relief_active = bits(s.actuator[k].relief_active);
    a.cavitation_active = bits(s.actuator[k].cavitation_active);
  }
}

// The numbers that these parts of a snapshot are made of.
template <class L>
void store_parts(int lane, unsigned parts, const LaneState<L>& s, Machine& m) {
  each_joint_number(s, m.state, out_of_lane<L>(lane));
  if ((parts & sim::kActuatorPart) == 0) return;
  each_port_number(s, m.state, out_of_lane<L>(lane));
  store_protection(lane, s, m);
}

template <class L>
void store_state(int lane, const LaneModel<L>& model, const LaneState<L>& s, Machine& m) {
  each_number(s, m.state, out_of_lane<L>(lane));
  store_protection(lane, s, m);
  for (int k = 0; k < kJoints; ++k) {
    sim::ActuatorCommand& last = m.state.input.actuator[k];
    last.mode =
        model.command[k].voltage[lane] != 0.0 ? ActuatorMode::kVoltage : ActuatorMode::kPosition;
    last.hold_sum = 0;
    last.feed_forward_V = 0.0;
    m.state.input.joint[k] = {};
    if (m.state.fault.active != 0)
      m.state.fault.measured[k] = m.state.machine.q[k] + model.shift[k][lane];
  }
}

template <class L>
void load_constants(int lane, const hydraulics::StageConstants& from,
                    hydraulics::BasicStageConstants<L>& to) {
  for (int s = 0; s < 2; ++s) {
    to.sign_area[s].set(lane, from.sign_area[s]);
    to.g_C[s].set(lane, from.g_C[s]);
    to.g_I[s].set(lane, from.g_I[s]);
    to.R[s].set(lane, from.R[s]);
    to.leak_external[s].set(lane, from.leak_external[s]);
    to.side_flow_weight[s].set(lane, from.side_flow_weight[s]);
    to.low[s].set(lane, from.low[s]);
    to.high[s].set(lane, from.high[s]);
    for (int other = 0; other < 2; ++other) to.closed[s][other].set(lane, from.closed[s][other]);
  }
  to.leak_internal.set(lane, from.leak_internal);
  to.linear_line = from.linear_line;
  to.coupled = from.coupled;
  to.B.set(lane, from.B);
  to.P_low.set(lane, from.P_low);
  to.P_high.set(lane, from.P_high);
  to.G_low.set(lane, from.G_low);
  to.G_high.set(lane, from.G_high);
  to.port_tolerance.set(lane, from.port_tolerance);
}

template <class L>
void load_actuator(int lane, const Machine& m, int k, LaneActuator<L>& to) {
  const machine::MachineModel& model = m.simulation->model();
  const machine::ActuatorState& state = m.state.machine.actuator[k];
  const machine::ActuatorNumbers from = machine::actuator_numbers(model, k, &state);
  const machine::ActuatorConstants constants =
      state.faulty != 0 ? machine::faulty_constants(model, k, state, m.simulation->tick_s())
                        : Access::stepper(*m.simulation).constants(k);
  const Access::Drive& drive = Access::drives(*m.simulation)[static_cast<std::size_t>(k)];
  to.link = drive.link;
  to.direct = from.direct;
  to.k0.set(lane, from.k0);
  to.kc.set(lane, from.kc);
  to.ks.set(lane, from.ks);
  to.sign.set(lane, drive.sign);
  load_constants(lane, constants.sdirk, to.sdirk);
  load_constants(lane, constants.half, to.half);
  const machine::EndStops& stops = *from.stops;
  to.stops.enabled = stops.enabled;
  to.stops.x_min.set(lane, stops.x_min);
  to.stops.x_max.set(lane, stops.x_max);
  to.stops.cushion.set(lane, stops.cushion);
  to.stops.cushion_damping.set(lane, stops.cushion_damping);
  to.stops.stiffness.set(lane, stops.stiffness);
  to.stops.damping.set(lane, stops.damping);
  for (int s = 0; s < 2; ++s) {
    to.area[s].set(lane, from.area[s]);
    to.hose_I[s].set(lane, from.hose_I[s]);
  }
  to.overlap_V.set(lane, from.overlap_V);
  to.full_V.set(lane, from.full_V);
  to.spool_left.set(lane, drive.spool.left());
  to.tables = from.tables;
  for (int e = 0; e < 4; ++e) {
    to.edge[e].scale.set(lane, from.scale[e]);
    for (int i = 0; i < 3; ++i) to.edge[e].c[i].set(lane, from.c[e][i]);
    to.edge[e].least.set(lane, from.least[e]);
  }
  to.valve[lane] = from.valve;
  to.relief_Pa.set(lane, from.relief_Pa);
  to.anti_cavitation_Pa.set(lane, from.anti_cavitation_Pa);
  to.protected_.set(lane, from.protected_ ? 1.0 : 0.0);
  const machine::WatchPressures& watch = model.watch_pressures[static_cast<std::size_t>(k)];
  to.watch_low.set(lane, watch.low);
  to.watch_high.set(lane, watch.high);
}

template <class L>
void load_gains(int lane, const control::PidGains& from, LaneGains<L>& to) {
  to.Kp.set(lane, from.Kp);
  to.Ki.set(lane, from.Ki);
  to.Kd.set(lane, from.Kd);
  to.derivative_filter_s.set(lane, from.derivative_filter_s);
  to.feed_forward.set(lane, from.feed_forward);
  to.overlap_compensation_V.set(lane, from.overlap_compensation_V);
  to.compensation_width_V.set(lane, from.compensation_width_V);
  to.output_limit_V.set(lane, from.output_limit_V);
  to.tracking_time_s.set(lane, from.tracking_time_s);
  to.period_ticks.set(lane, from.period_ticks);
  to.anti_windup = from.anti_windup;
}

// Where a drive's command comes from in the coming ticks.
template <class L>
void load_command(int lane, const Machine& m, int k, LaneCommand<L>& to) {
  const Access::Drive& drive = Access::drives(*m.simulation)[static_cast<std::size_t>(k)];
  sim::ActuatorCommand command = drive.command;
  const bool off = m.state.fault.controller_off[k] != 0;
  const bool own = !off && !m.held.drive[k] && m.state.overridden[k] == 0;  // the scenario's
  const command::Signal* const signal = own ? drive.signal : nullptr;
  const bool tip = own && drive.tip;
  if (off)
    command = {0.0, ActuatorMode::kVoltage, 0, 0.0};
  else if (m.held.drive[k])
    command = m.held.input.actuator[k];
  else if (m.state.overridden[k] != 0)
    command = m.state.override_command[k];
  to.voltage.set(lane, command.mode == ActuatorMode::kVoltage ? 1.0 : 0.0);
  to.number.set(lane, command.value);
  to.by_signal.set(lane, signal != nullptr ? 1.0 : 0.0);
  to.by_tip.set(lane, tip ? 1.0 : 0.0);
  to.signal[lane] = signal;
}

// The terms of all lanes' signals of a drive, if they are of the same kinds.
template <int N>
void arrange_terms(LaneCommand<Lanes<N>>& to) {
  to.terms = 0;
  const command::Signal* first = nullptr;
  for (int lane = 0; lane < N; ++lane) {
    const command::Signal* signal = to.signal[lane];
    if (signal == nullptr) continue;
    if (first == nullptr) first = signal;
    bool same = signal->terms.size() == first->terms.size() && signal->terms.size() <= kTerms;
    for (std::size_t i = 0; same && i < signal->terms.size(); ++i)
      same = signal->terms[i].kind == first->terms[i].kind &&
             signal->terms[i].kind != command::TermKind::kTable;
    if (!same) {
      to.terms = kOwnTerms;
      return;
    }
  }
  if (first == nullptr) return;
  to.terms = static_cast<int>(first->terms.size());
  for (int lane = 0; lane < N; ++lane) {
    const command::Signal& signal = to.signal[lane] != nullptr ? *to.signal[lane] : *first;
    for (int i = 0; i < to.terms; ++i) {
      const command::Term& from = signal.terms[static_cast<std::size_t>(i)];
      LaneTerm<Lanes<N>>& term = to.term[i];
      term.kind = from.kind;
      term.value.set(lane, from.value);
      term.start_s.set(lane, from.start_s);
      term.end_s.set(lane, from.end_s);
      term.frequency_Hz.set(lane, from.frequency_Hz);
      term.phase_rad.set(lane, from.phase_rad);
      term.fade_in_s.set(lane, from.fade_in_s);
    }
  }
}

template <class L>
void load_model(int lane, const Machine& m, LaneModel<L>& to) {
  const machine::MachineModel& model = m.simulation->model();
  to.full = m.state.fidelity == machine::Fidelity::kFull;
  to.h = m.simulation->tick_s();
  to.faulty.set(lane, m.state.fault.active != 0 ? 1.0 : 0.0);
  to.residual_decay = Access::stepper(*m.simulation).residual_decay();
  for (int i = 0; i < kJoints; ++i) {
    to.tree.gravity_W.x[i].set(lane, model.tree.gravity_W(i));
    const multibody::Link& link = model.tree.link(i);
    LaneLink<L>& own = to.tree.links[i];
    own.parent = link.parent;
    own.aligned = link.aligned;
    for (int r = 0; r < 3; ++r) {
      own.in_parent.p.x[r].set(lane, link.in_parent.p(r));
      for (int c = 0; c < 3; ++c) own.in_parent.R.x[r][c].set(lane, link.in_parent.R(r, c));
    }
    const multibody::LinkInertia& inertia = m.state.machine.inertia[i];
    to.inertia[i].mass.set(lane, inertia.mass);
    for (int c = 0; c < 3; ++c) to.inertia[i].mc[c].set(lane, inertia.mc[c]);
    for (int c = 0; c < 6; ++c) to.inertia[i].I[c].set(lane, inertia.I[c]);
    const machine::WatchBand& band = model.watch_bands[static_cast<std::size_t>(i)];
    for (int c = 0; c < 2; ++c) {
      to.watch_lower[i][c].set(lane, band.lower[c]);
      to.watch_upper[i][c].set(lane, band.upper[c]);
    }
    load_actuator(lane, m, i, to.actuator[i]);
    load_gains(lane, m.state.gains[i], to.gains[i]);
    load_command(lane, m, i, to.command[i]);
    to.offset_V[i].set(lane, m.state.fault.offset_V[i]);
    to.shift[i].set(lane, sensor_shift(m, i));
  }
}

// --- Groups ---------------------------------------------------------------------------------------------------

class Group {
 public:
  virtual ~Group() = default;
  virtual void step(std::int64_t ticks, std::vector<Machine>& all) = 0;
  // Into the machine's state; parts: of a snapshot, what these need.
  virtual void put_back(int lane, std::vector<Machine>& all, unsigned parts = sim::kAllParts) = 0;
  virtual void forget(int lane) = 0;  // the machine's state counts from now on
  virtual bool set_number(int lane, int actuator, double value) = 0;
  virtual int loaded() const = 0;
  // Some machine that is not in its lane is of another structure now.
  virtual bool misplaced(const std::vector<Machine>& all) const = 0;
};

template <int N>
class LaneGroup : public Group {
 public:
  LaneGroup(LaneStep<N>* step, const int* machines, int count, unsigned leaky)
      : step_(step), count_(count), leaky_(leaky) {
    std::memset(static_cast<void*>(&model_), 0, sizeof model_);
    std::memset(static_cast<void*>(&state_), 0, sizeof state_);
    std::copy_n(machines, count, machine_);
  }

  void step(std::int64_t ticks, std::vector<Machine>& all) override {
    while (ticks > 0) {
      const std::int64_t done = step_block(ticks, all);
      ticks -= done;
    }
  }

  void put_back(int lane, std::vector<Machine>& all, unsigned parts) override {
    if ((loaded_ >> lane & 1U) == 0 || (stored_ >> lane & 1U) != 0) return;
    if ((parts & sim::kOtherPart) == 0)
      return store_parts(lane, parts, state_, nth(all, machine_[lane]));
    store_state(lane, model_, state_, nth(all, machine_[lane]));
    stored_ |= 1U << lane;
  }
  void forget(int lane) override { loaded_ &= ~(1U << lane); }
  bool set_number(int lane, int actuator, double value) override {
    if ((loaded_ >> lane & 1U) == 0) return false;
    model_.command[actuator].number.set(lane, value);
    return true;
  }
  int loaded() const override { return std::popcount(loaded_); }
  bool misplaced(const std::vector<Machine>& all) const override {
    for (int lane = 0; lane < count_; ++lane)
      if ((loaded_ >> lane & 1U) == 0 && of_another(nth(all, machine_[lane]))) return true;
    return false;
  }

 private:
  std::int64_t step_block(std::int64_t most, std::vector<Machine>& all) {
    std::int64_t ticks = std::min<std::int64_t>(most, kBlock);
    unsigned live = 0, fresh = 0;
    for (int lane = 0; lane < count_; ++lane) {
      Machine& m = nth(all, machine_[lane]);
      const bool is_loaded = (loaded_ >> lane & 1U) != 0;
      const auto tick = is_loaded ? static_cast<std::int64_t>(state_.tick[lane]) : m.state.tick;
      const std::int64_t quiet = quiet_ticks(m, tick);
      if (quiet == 0 || (!is_loaded && of_another(m)) || (!is_loaded && alone(m))) {
        put_back(lane, all, sim::kAllParts);
        forget(lane);
        continue;
      }
      live |= 1U << lane;
      ticks = std::min({ticks, quiet, Access::kEnergyTicks - tick % Access::kEnergyTicks});
      if (!is_loaded) fresh |= 1U << lane;
    }
    if (fresh != 0) load(fresh, all);
    unsigned sound = 0;
    if (live != 0) {
      start_ = state_;
      model_.any_tip = false;
      for (int lane = 0; lane < count_; ++lane)
        if ((live >> lane & 1U) != 0) walk(lane, ticks, nth(all, machine_[lane]));
      stored_ &= ~live;
      sound = step_(model_, state_, static_cast<int>(ticks), live) & live;
    }
    for (int lane = 0; lane < count_; ++lane) {
      Machine& m = nth(all, machine_[lane]);
      if ((sound >> lane & 1U) != 0) {
        if (static_cast<std::int64_t>(state_.tick[lane]) % Access::kEnergyTicks != 0) continue;
        put_back(lane, all, sim::kAllParts);
        Access::watch_energy(*m.simulation, m.state);
        continue;
      }
      if ((live & ~fresh) >> lane & 1U) store_state(lane, model_, start_, m);
      forget(lane);
      if ((live >> lane & 1U) != 0) turn_back(lane, m);
      step_alone(m, ticks);
    }
    return ticks;
  }

  bool of_another(const Machine& m) const { return leaky(*m.simulation, m.state) != leaky_; }

  // The joints of the tip's path over the coming ticks. They follow from those before them alone: no joint is passive.
  void walk(int lane, std::int64_t ticks, Machine& m) {
    if (!Access::has_tip(*m.simulation)) return;
    model_.any_tip = true;
    std::memcpy(walked_[lane].joints, m.state.tip_joints, sizeof m.state.tip_joints);
    walked_[lane].unreachable = m.state.tip_unreachable;
    const std::int64_t kept = m.state.tick;
    m.state.tick = static_cast<std::int64_t>(state_.tick[lane]);
    for (std::int64_t i = 0; i < ticks; ++i, ++m.state.tick) {
      sim::TickInput input;
      Access::fill_input(*m.simulation, m.state, input);
      for (int k = 0; k < kJoints; ++k)
        model_.path[i][k].set(
            lane,
            m.state.tip_joints[0][Access::drives(*m.simulation)[static_cast<std::size_t>(k)].link]);
    }
    m.state.tick = kept;
  }
  // Where the lane did not come through.
  void turn_back(int lane, Machine& m) {
    if (!Access::has_tip(*m.simulation)) return;
    std::memcpy(m.state.tip_joints, walked_[lane].joints, sizeof m.state.tip_joints);
    m.state.tip_unreachable = walked_[lane].unreachable;
  }

  void load(unsigned fresh, std::vector<Machine>& all) {
    for (int lane = 0; lane < N; ++lane) {
      // Lanes without a machine have the numbers of the first fresh one.
      const int from = lane < count_ ? lane : std::countr_zero(fresh);
      if ((fresh >> from & 1U) == 0 || (lane >= count_ && filled_)) continue;
      load_model(lane, nth(all, machine_[from]), model_);
      load_state(lane, nth(all, machine_[from]), state_);
    }
    filled_ = true;
    for (LaneCommand<Lanes<N>>& command : model_.command) arrange_terms<N>(command);
    model_.any_faulty = false;
    for (int lane = 0; lane < N; ++lane)
      model_.any_faulty = model_.any_faulty || model_.faulty[lane] != 0.0;
    loaded_ |= fresh;
    stored_ |= fresh;
  }

  LaneStep<N>* step_;
  int count_;
  unsigned leaky_;
  int machine_[N];
  unsigned loaded_ = 0;  // lanes whose numbers count, not their machine's state
  unsigned stored_ = 0;  // lanes whose machine's state has the same numbers
  bool filled_ = false;
  LaneModel<Lanes<N>> model_;
  LaneState<Lanes<N>> state_, start_;
  struct Walked {
    double joints[2][kMaxLinks];
    std::int64_t unreachable;
  } walked_[N];  // paths of the tips at the start of a block
};

template <int N>
std::unique_ptr<Group> make_group(const int* machines, int count, unsigned leaky) {
  if constexpr (N == 2) return std::make_unique<LaneGroup<2>>(step_lanes_2, machines, count, leaky);
#ifdef KNUCKLEBOOM_HAS_LANES
  if constexpr (N == 4) return std::make_unique<LaneGroup<4>>(step_lanes_4, machines, count, leaky);
  if constexpr (N == 8) return std::make_unique<LaneGroup<8>>(step_lanes_8, machines, count, leaky);
#endif
  return nullptr;
}

}  // namespace

int widest() {
#ifdef KNUCKLEBOOM_HAS_LANES
  if (__builtin_cpu_supports("x86-64-v4") != 0) return 8;
  if (__builtin_cpu_supports("x86-64-v3") != 0) return 4;
#endif
  return 2;
}

bool takes(const Simulation& simulation, machine::Fidelity fidelity) {
  return fits(simulation) && model_fits(fidelity);
}

struct Batch::Machines {
  int lanes;
  std::vector<Machine> machine;
  struct Place {
    int group = -1, lane = 0;
  };
  std::vector<Place> place;
  std::vector<Structure> structure;  // of each; empty: beside the lanes
  std::vector<int> changed;          // by hand since the last step
  std::vector<std::unique_ptr<Group>> groups;
  bool arranged = false;

  void arrange() {
    for (std::size_t i = 0; i < machine.size(); ++i) put_back(static_cast<int>(i));
    groups.clear();
    place.assign(machine.size(), {});
    std::map<Structure, std::vector<int>> alike;
    structure.assign(machine.size(), {});
    for (std::size_t i = 0; i < machine.size(); ++i) {
      structure[i] = structure_now(static_cast<int>(i));
      if (!structure[i].empty()) alike[structure[i]].push_back(static_cast<int>(i));
    }
    for (const auto& [structure, members] : alike)
      for (std::size_t first = 0; first < members.size();
           first += static_cast<std::size_t>(lanes)) {
        const int count = std::min(lanes, static_cast<int>(members.size() - first));
        if (count == 1) continue;  // alone it is faster
        const int* const own = members.data() + first;
        for (int lane = 0; lane < count; ++lane)
          nth(place, own[lane]) = {static_cast<int>(groups.size()), lane};
        const unsigned drips = leaky_now(*own);
        groups.push_back(lanes == 8   ? make_group<8>(own, count, drips)
                         : lanes == 4 ? make_group<4>(own, count, drips)
                                      : make_group<2>(own, count, drips));
      }
    arranged = true;
  }

  unsigned leaky_now(int i) const {
    return leaky(*nth(machine, i).simulation, nth(machine, i).state);
  }

  // A fault has begun or ended whose leakage makes another structure of a machine.
  bool some_misplaced() const {
    for (const auto& group : groups)
      if (group->misplaced(machine)) return true;
    for (std::size_t i = 0; i < machine.size(); ++i)
      if (place[i].group < 0 && !structure[i].empty() &&
          leaky_now(static_cast<int>(i)) != structure[i][kLeakyInStructure])
        return true;
    return false;
  }

  Structure structure_now(int i) const {
    const Machine& m = nth(machine, i);
    if (lanes == 1 || !m.fits || !model_fits(m.state.fidelity)) return {};
    return structure_of(*m.simulation, m.state);
  }

  void put_back(int i, unsigned parts = sim::kAllParts) {
    if (static_cast<std::size_t>(i) >= place.size() || nth(place, i).group < 0) return;
    nth(groups, nth(place, i).group)->put_back(nth(place, i).lane, machine, parts);
  }
  void forget(int i) {
    put_back(i);
    if (static_cast<std::size_t>(i) < place.size() && nth(place, i).group >= 0)
      nth(groups, nth(place, i).group)->forget(nth(place, i).lane);
  }
};

Batch::Batch(int lanes) : all_(std::make_unique<Machines>()) {
  if (lanes != 0 && lanes != 1 && lanes != 2 && lanes != 4 && lanes != 8)
    throw std::invalid_argument("a batch has 1, 2, 4 or 8 lanes, not " + std::to_string(lanes));
  if (lanes > widest())
    throw std::invalid_argument("this build or this processor has at most " +
                                std::to_string(widest()) + " lanes, not " + std::to_string(lanes));
  all_->lanes = lanes == 0 ? widest() : lanes;
}
Batch::~Batch() = default;
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;

int Batch::add(const Simulation& simulation, const SimState& state) {
  all_->arranged = false;
  all_->machine.push_back({&simulation, state, {}, fits(simulation)});
  return count() - 1;
}
int Batch::count() const { return static_cast<int>(all_->machine.size()); }
int Batch::lanes() const { return all_->lanes; }
int Batch::in_lanes() const {
  int sum = 0;
  for (const auto& group : all_->groups) sum += group->loaded();
  return sum;
}

std::int64_t Batch::non_finite() const {
  std::int64_t sum = 0;  // lanes have none: such a tick is done alone
  for (const Machine& m : all_->machine) sum += m.state.machine.health.non_finite;
  return sum;
}

void Batch::step(std::int64_t ticks) {
  for (const int i : all_->changed)
    all_->arranged = all_->arranged && all_->structure_now(i) == nth(all_->structure, i);
  all_->changed.clear();
  constexpr std::int64_t kPiece = 256;  // ticks after which machines may change their groups
  for (std::int64_t done = 0; done < ticks; done += kPiece) {
    const std::int64_t piece = std::min(kPiece, ticks - done);
    all_->arranged = all_->arranged && !all_->some_misplaced();
    if (!all_->arranged) all_->arrange();
    for (const auto& group : all_->groups) group->step(piece, all_->machine);
    for (std::size_t i = 0; i < all_->machine.size(); ++i)
      if (all_->place[i].group < 0) step_alone(all_->machine[i], piece);
  }
}

const SimState& Batch::state(int machine) {
  all_->put_back(machine);
  return nth(all_->machine, machine).state;
}
const SimState& Batch::look(int machine, unsigned parts) {
  all_->put_back(machine, parts);
  return nth(all_->machine, machine).state;
}
SimState& Batch::change(int machine) {
  all_->forget(machine);
  all_->changed.push_back(machine);
  return nth(all_->machine, machine).state;
}
const Simulation& Batch::simulation(int machine) const {
  return *nth(all_->machine, machine).simulation;
}

void Batch::hold(int machine, int actuator, const sim::ActuatorCommand& command) {
  Machine& m = nth(all_->machine, machine);
  const bool same_source =
      m.held.drive[actuator] && m.held.input.actuator[actuator].mode == command.mode;
  m.held.input.actuator[actuator] = command;
  m.held.drive[actuator] = true;
  if (!all_->arranged || nth(all_->place, machine).group < 0) return;
  const Machines::Place& place = nth(all_->place, machine);
  if (same_source && m.state.fault.controller_off[actuator] == 0 &&
      nth(all_->groups, place.group)->set_number(place.lane, actuator, command.value))
    return;
  all_->forget(machine);
}
void Batch::release(int machine, int actuator) {
  if (!nth(all_->machine, machine).held.drive[actuator]) return;
  all_->forget(machine);
  nth(all_->machine, machine).held.drive[actuator] = false;
}
void Batch::hold_joint(int machine, int link, const sim::JointCommand& command) {
  all_->forget(machine);
  sim::Held& held = nth(all_->machine, machine).held;
  held.input.joint[link] = command;
  held.any_joint = true;
}
const sim::Held& Batch::held(int machine) const { return nth(all_->machine, machine).held; }

}  // namespace knuckleboom::batch
