#include "knuckleboom/core/sim/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "knuckleboom/core/machine/actuator.hpp"
#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/machine/power.hpp"
#include "knuckleboom/core/machine/rest.hpp"
#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/core/math/arrays.hpp"

namespace knuckleboom::sim {
namespace {

using command::EventKind;
using command::JointMode;

// Pressures that hold the load; the scenario gives the level (one port of a cylinder, both of a motor). Not
// given: the unloaded side is at tank pressure, the other carries the load.
void set_equilibrium(const hydraulics::Circuit& circuit, double force, double tank_Pa,
                     const command::InitialJoint* initial, double (&P)[2]) {
  const double a1 = hydraulics::area1(circuit);
  const double a2 = hydraulics::area2(circuit);
  const bool a_given = initial != nullptr && initial->port_a_given;
  const bool b_given = initial != nullptr && initial->port_b_given;
  if (circuit.kind == hydraulics::ActuatorKind::kMotor) {
    const double level = a_given   ? initial->port_a_Pa
                         : b_given ? initial->port_b_Pa
                                   : tank_Pa + 0.5 * std::fabs(force) / std::min(a1, a2);
    P[0] = level + 0.5 * force / a1;
    P[1] = level - 0.5 * force / a2;
  } else if (a_given) {
    P[0] = initial->port_a_Pa;
    P[1] = (a1 * P[0] - force) / a2;
  } else {
    const double rod =
        b_given ? initial->port_b_Pa : std::max(tank_Pa, (a1 * tank_Pa - force) / a2);
    P[1] = rod;
    P[0] = (force + a2 * P[1]) / a1;
  }
}

// Start pressures at which protective valves would open.
std::string start_fault(const machine::Actuator& actuator, const double (&P)[2]) {
  if (actuator.air) return {};
  const hydraulics::Protection& protection = actuator.circuit.protection;
  const char* const port[2] = {"port a", "port b"};
  for (int s = 0; s < 2; ++s) {
    const bool high = protection.enabled && P[s] > protection.relief_Pa;
    const bool low = P[s] < (protection.enabled ? protection.anti_cavitation_Pa : -1e5);
    if (!high && !low) continue;
    const std::string bar = std::to_string(P[s] / 1e5);
    return "actuator '" + actuator.name + "': to stand still at the start, " + port[s] + " needs " +
           bar + " bar, " +
           (high ? "beyond its relief setting; give the other port less or start in another pose"
                 : "which oil cannot have; give the other port more");
  }
  return {};
}

// Chambers at the machine's or the scenario's pressures, whatever the load.
void fill_chambers(const machine::Actuator& actuator, const pneumatics::Air& air,
                   const command::InitialJoint* initial, double x, machine::ActuatorState& a) {
  const machine::AirCylinder& own = *actuator.air;
  const double at = x - own.retracted;
  if (!(at >= 0.0 && at <= own.cylinder.stroke))
    throw std::invalid_argument("actuator '" + actuator.name + "': its piston starts " +
                                std::to_string(1e3 * at) + " mm out, beyond its stroke of " +
                                std::to_string(1e3 * own.cylinder.stroke) +
                                " mm; start its joint elsewhere");
  double P[2] = {own.P_start[0], own.P_start[1]};
  if (initial != nullptr && initial->port_a_given) P[0] = air.P_ambient + initial->port_a_Pa;
  if (initial != nullptr && initial->port_b_given) P[1] = air.P_ambient + initial->port_b_Pa;
  for (int s = 0; s < 2; ++s) {
    if (!(P[s] > 0.0))
      throw std::invalid_argument("actuator '" + actuator.name +
                                  "': it starts with a chamber at or below absolute vacuum; give "
                                  "its ports more");
    const pneumatics::Chamber chamber = pneumatics::filled(
        air.gas, P[s], air.T_ambient,
        pneumatics::volume(own.cylinder, s == 0 ? pneumatics::kCap : pneumatics::kRod, at));
    a.air.m[s] = chamber.m;
    a.air.U[s] = chamber.U;
    a.P_C[s] = a.p[s] = P[s] - air.P_ambient;
  }
}

const multibody::Ball& ball_named(const machine::MachineModel& model, const std::string& joint) {
  for (const multibody::Ball& ball : model.balls)
    if (ball.name == joint) return ball;
  throw std::invalid_argument(
      "the scenario starts joint '" + joint +
      "' by an orientation, but the machine has no such joint that turns in "
      "any direction");
}

}  // namespace

Simulation::Step* Simulation::step_for(Instructions instructions) {
  if (!available(instructions))
    throw std::invalid_argument(std::string("this build or this processor has no tick for ") +
                                word_of(instructions));
#ifdef KNUCKLEBOOM_HAS_V3
  if (instructions == Instructions::kV3) return step_v3;
#endif
  return step_baseline;
}

Simulation::Simulation(machine::MachineModel model, command::Scenario scenario,
                       Instructions instructions)
    : step_(step_for(instructions)),
      model_(std::move(model)),
      scenario_(std::move(scenario)),
      h_(scenario_.tick_s),
      stepper_(model_, h_),
      carrier_(model_, scenario_.ground, h_) {
  place_start();
  for (const machine::JointDrive& drive : model_.drives)
    holds_load_ = holds_load_ || drive.holds_load;
  for (const machine::Actuator& actuator : model_.actuators) {
    const hydraulics::Valve& valve = actuator.circuit.valve;
    drives_.push_back({actuator.link,
                       actuator.linkage.sign,
                       valve.full_V,
                       hydraulics::SpoolLag(valve, 0.5 * h_),
                       {nth(q0_, actuator.link), ActuatorMode::kPosition, 0, 0.0}});
  }
  for (const command::JointProgram& program : scenario_.programs) {
    if (program.mode == JointMode::kTorque || program.mode == JointMode::kSpeed ||
        program.mode == JointMode::kSpring) {
      place_joint_program(program);
      continue;
    }
    const int k = actuator_of(program.joint);
    command_drive(program, nth(drives_, k));
  }
  tip_start_W_ = machine::tip_position(model_, q0_.data());
  const SimState start = initial_state(machine::Fidelity::kReduced);
  for (std::size_t k = 0; k < model_.actuators.size(); ++k)
    if (const std::string fault = start_fault(model_.actuators[k], start.machine.actuator[k].P_C);
        !fault.empty())
      throw std::invalid_argument(fault);
  place_faults();
  for (const command::Event& event : scenario_.events) {
    event_link_.push_back(multibody::kBase);
    event_actuator_.push_back(-1);
    event_inertia_.emplace_back();
    if (event.kind == EventKind::kAttach) {
      const int body = model_.tree.find_body(event.target);
      if (body == multibody::kBase || model_.tree.body(body).link == multibody::kBase)
        throw std::invalid_argument("event at " + std::to_string(event.at_s) + " s: body '" +
                                    event.target + "' does not exist or does not move");
      event_link_.back() = model_.tree.body(body).link;
      event_inertia_.back() = multibody::to_link_inertia(
          {event.mass_kg, event.com_B, event.about_com}, model_.tree.body(body).in_link);
    } else if (event.kind == EventKind::kAssemble) {
      event_link_.back() = model_.tree.body(model_.tree.find_body(event.target)).link;
    } else if (event.kind == EventKind::kJointMode || event.kind == EventKind::kGain) {
      event_actuator_.back() = actuator_of(event.target);
    }
  }
}

void Simulation::place_start() {
  bool hangs[kMaxLinks] = {};
  bool given[kMaxLinks] = {};
  for (int i = 0; i < model_.joint_count(); ++i) {
    nth(passive_, i) = hangs[i] = model_.passive(i);
    const multibody::Body& body = model_.tree.body(model_.tree.link(i).body);
    if (hangs[i]) nth(q0_, i) = 0.5 * (body.lower + body.upper);
  }
  for (const command::InitialJoint& joint : scenario_.initial) {
    if (joint.turned) {
      const multibody::Ball& ball = ball_named(model_, joint.joint);
      multibody::place(joint.R, &nth(q0_, ball.first));
      for (int t = 1; t < multibody::kTurns; ++t) {
        hangs[ball.first + t] = false;
        given[ball.first + t] = true;
      }
      continue;
    }
    const int link = model_.tree.find_joint(joint.joint);
    if (link == multibody::kBase)
      throw std::invalid_argument("the scenario starts joint '" + joint.joint +
                                  "', which the machine does not have");
    nth(q0_, link) = joint.position;
    hangs[link] = false;
    given[link] = true;
  }
  for (const command::Event& event : scenario_.events) {
    if (event.kind != EventKind::kAssemble) continue;
    const int body = model_.tree.find_body(event.target);
    const int link = body == multibody::kBase ? multibody::kBase : model_.tree.body(body).link;
    if (link == multibody::kBase || model_.tree.link(link).body != body)
      throw std::invalid_argument("body '" + event.target +
                                  "' cannot join the machine: it does not exist or has no joint of "
                                  "its own that moves");
    absent_ |= std::int64_t{1} << link;
    hangs[link] = false;  // it stays in place until then
  }
  for (const multibody::Ball& ball : model_.balls) hangs[ball.first] = false;
  if (!model_.loop_system.empty()) close_start(hangs, given);
  bool settles[kMaxLinks] = {};
  for (int i = 0; i < model_.joint_count(); ++i) {
    if (!carrier_.carries(i)) continue;
    settles[i] = hangs[i] && !carrier_.stays(i);
    hangs[i] = false;
  }
  if (carrier_.present()) carrier_.settle(settles, q0_.data());
  if (const int link = machine::find_rest(model_, hangs, q0_.data(), dependent0_); link >= 0)
    throw std::invalid_argument("joint '" + model_.shown_name(link) +
                                "' has no actuator and nowhere to rest; give its start in the "
                                "scenario, or give it limits and stops");
  if (carrier_.present()) carrier_.settle(settles, q0_.data());
}

void Simulation::refuse_start(int coupling) const {
  const multibody::Coupling& c = nth(model_.couplings, coupling);
  const double from = nth(q0_, c.follows);
  throw std::invalid_argument(
      "joint '" + model_.joint_name(c.joint) + "' starts at " + std::to_string(nth(q0_, c.joint)) +
      ", but by its coupling it is at " + std::to_string(c.ratio * from + c.offset) +
      " when joint '" + model_.joint_name(c.follows) + "' is at " + std::to_string(from) +
      "; start one of the two, and the other follows");
}

// Joints given by the scenario and driven joints are fixed; the other joints of the loops follow. Where only
// couplings join them, driven joints that are not given follow as well.
void Simulation::close_start(bool* hangs, const bool* given) {
  const multibody::LoopSystem& loops = model_.loop_system;
  bool keep[kMaxLinks], fixed[kMaxLinks];
  machine::keep_independent(model_, keep);
  for (int i = 0; i < kMaxLinks; ++i) fixed[i] = keep[i] || given[i];
  for (int g = 0; g < loops.group_count(); ++g)
    for (const int j : loops.group(g).joint)
      if (loops.group(g).linear()) fixed[j] = given[j];
  std::array<double, kMaxLinks> start = q0_;
  double gap = 0.0;
  int open = loops.assemble(model_.tree, fixed, q0_.data(), gap);
  if (open >= multibody::kMaxLoops) refuse_start(open - multibody::kMaxLoops);
  if (open >= 0) {
    // Too many given: those without a drive are a first guess.
    q0_ = start;
    open = loops.assemble(model_.tree, keep, q0_.data(), gap);
  }
  if (open >= 0) {
    std::string joints;
    for (const int j : loops.group(loops.group_of(open)).joint)
      if (fixed[j])
        joints += (joints.empty() ? "" : ", ") + model_.joint_name(j) + " " +
                  std::to_string(nth(start, j)) + (model_.tree.link(j).revolute ? " rad" : " m");
    throw std::invalid_argument(machine::constraint_name(model_, open) + " cannot be closed with " +
                                joints + ": the nearest found leaves a gap of " +
                                std::to_string(gap) + " m; start its joints elsewhere");
  }
  // Driven joints have priority as independent joints over those with only a start.
  std::int64_t dependent = loops.choose(model_.tree, q0_.data(), fixed);
  for (int i = 0; i < model_.joint_count(); ++i)
    if (keep[i] && (dependent >> i & 1) != 0) {
      dependent = loops.choose(model_.tree, q0_.data(), keep);
      break;
    }
  if (__builtin_popcountll(static_cast<std::uint64_t>(dependent)) <
      loops.rank(model_.tree, q0_.data())) {
    multibody::Embedding e;
    const double zero[kMaxLinks] = {};
    std::array<double, kMaxLinks> q = q0_;
    loops.embed(model_.tree, dependent, zero, q.data(), e);
    throw std::invalid_argument(
        "at the start, " + machine::singular_sentence(model_, std::max(0, e.worst), q0_.data()) +
        "; start it elsewhere");
  }
  for (int i = 0; i < model_.joint_count(); ++i)
    if ((dependent >> i & 1) != 0) hangs[i] = false;
  dependent0_ = dependent;
}

// A program of a joint with an actuator; of two the later one counts.
void Simulation::command_drive(const command::JointProgram& program, Drive& drive) {
  drive.tip = program.mode == JointMode::kTip;
  drive.signal = nullptr;
  drive.command.mode =
      program.mode == JointMode::kVoltage ? ActuatorMode::kVoltage : ActuatorMode::kPosition;
  if (drive.tip)
    has_tip_ = nth(tip_used_, drive.link) = true;
  else if (command::constant(program.signal))
    drive.command.value = command::value(program.signal, 0.0);
  else
    drive.signal = &program.signal;
}

// A torque or a speed on a joint.
void Simulation::place_joint_program(const command::JointProgram& program) {
  const int link = model_.tree.find_joint(program.joint);
  if (link == multibody::kBase)
    throw std::invalid_argument("the scenario drives joint '" + program.joint +
                                "', which the machine does not have");
  const machine::JointDrive* drive = nullptr;
  for (const machine::JointDrive& d : model_.drives)
    if (d.link == link) drive = &d;
  if (program.mode == JointMode::kSpeed && (drive == nullptr || drive->speed_gain == 0.0))
    throw std::invalid_argument("the scenario gives joint '" + program.joint +
                                "' a speed to follow, but it has no drive with a speed gain");
  if (program.mode == JointMode::kSpring && model_.tree.link(link).stiffness == 0.0)
    throw std::invalid_argument("the scenario moves the spring of joint '" + program.joint +
                                "', which has none");
  nth(joint_program_, link) = &program;
}

int Simulation::actuator_of(const std::string& joint) const {
  const int link = model_.tree.find_joint(joint);
  for (std::size_t k = 0; k < model_.actuators.size(); ++k)
    if (link != multibody::kBase && model_.actuators[k].link == link) return static_cast<int>(k);
  throw std::invalid_argument("the scenario drives joint '" + joint +
                              "', which the machine does not have or does not actuate");
}

std::int64_t Simulation::tick_count() const {
  return static_cast<std::int64_t>(std::llround(scenario_.duration_s / h_));
}

SimState Simulation::initial_state(machine::Fidelity fidelity) const {
  SimState state;
  std::memset(static_cast<void*>(&state), 0, sizeof state);
  state.fidelity = fidelity;
  machine::MachineState& m = state.machine;
  m.pump_Pa = state.fault.pump_set_Pa = model_.supply.pump_Pa;
  m.tank_Pa = model_.supply.tank_Pa;
  if (model_.supply.kind == hydraulics::SupplyKind::kPump) {
    m.supply =
        hydraulics::settled_supply(model_.supply.pump, model_.supply.pump_Pa, m.tank_Pa, m.pump_Pa);
    m.supply_energy.start = hydraulics::stored_energy(model_.supply.pump, m.supply, m.pump_Pa);
  }
  const int n = model_.joint_count();
  for (int i = 0; i < n; ++i) {
    const auto u = static_cast<std::size_t>(i);
    m.q[i] = state.reference[i] = state.tip_joints[0][i] = state.tip_joints[1][i] = q0_[u];
    m.inertia[i] = model_.tree.link_inertias()[u];
  }
  m.dependent = dependent0_;
  m.absent = absent_;
  for (int i = 0; i < n; ++i)
    if ((absent_ >> i & 1) != 0) m.inertia[i] = {};
  if (model_.closed_valve == machine::ClosedValveModel::kOrifice)
    for (std::size_t k = 0; k < model_.actuators.size(); ++k) m.actuator[k].open = 1;
  double force[kMaxActuators], load[kMaxLinks], ground[kMaxLinks] = {};
  if (carrier_.present()) {
    carrier_.add_rest_forces(m.q, state.carrier, ground);
    state.carrier.engine_speed = m.supply.engine_speed;
  }
  machine::static_loads(model_, m.inertia, m.q, m.dependent, force, load,
                        carrier_.present() ? ground : nullptr);
  hydraulics::StageInput in[kMaxActuators];
  machine::update_valves(model_, fidelity, m, in);
  for (std::size_t k = 0; k < model_.actuators.size(); ++k) {
    const machine::Actuator& actuator = model_.actuators[k];
    machine::ActuatorState& a = m.actuator[k];
    const command::InitialJoint* initial = nullptr;
    for (const command::InitialJoint& joint : scenario_.initial)
      if (joint.joint == model_.joint_name(actuator.link)) initial = &joint;
    state.gains[k] = model_.controllers[k];
    state.input.actuator[k].value = m.q[actuator.link];
    state.input.actuator[k].mode = ActuatorMode::kPosition;
    if (actuator.air) {
      fill_chambers(actuator, model_.air, initial,
                    machine::displacement_row(model_, static_cast<int>(k), m.q, nullptr), a);
      continue;
    }
    a.F_hold = force[k];
    set_equilibrium(actuator.circuit, a.F_hold, m.tank_Pa, initial, a.P_C);
    a.x_hold = machine::displacement_row(model_, static_cast<int>(k), m.q, nullptr);
    hydraulics::capacitances(actuator.circuit, a.fault, a.x_hold, a.P_C, a.C);
    for (int s = 0; s < 2; ++s) {
      a.p[s] = a.P_hold[s] = a.P_C[s];
      a.Q[s] = hydraulics::residual_flow(in[k].P_S[s], a.P_C[s], in[k].C_R[s]);
    }
  }
  for (Payload& payload : state.payload) payload.event = kSlotFree;
  m.energy.start = machine::stored_energy(model_, m, fidelity);
  return state;
}

void Simulation::apply(const command::Event& event, int index, SimState& state) const {
  machine::MachineState& m = state.machine;
  const auto at = static_cast<std::size_t>(index);
  switch (event.kind) {
    case EventKind::kAttach:
    case EventKind::kDetach: {
      const double before = machine::stored_energy(model_, m, state.fidelity);
      for (Payload& slot : state.payload) {
        if (event.kind == EventKind::kAttach && slot.event == kSlotFree) {
          slot = {event_inertia_[at], event_link_[at], index};
          machine::attach(model_, m, slot.link, slot.inertia, Vec3::Zero(), Vec3::Zero());
          break;
        }
        if (event.kind == EventKind::kDetach && slot.event >= 0 &&
            nth(scenario_.events, slot.event).name == event.name) {
          multibody::detach(model_.tree, m.inertia, m.q, m.v, slot.link, slot.inertia);
          slot.event = kSlotFree;
          break;
        }
      }
      m.energy.events += machine::stored_energy(model_, m, state.fidelity) - before;
      break;
    }
    case EventKind::kJointMode: {
      const int k = event_actuator_[at];
      state.overridden[k] = event.mode == JointMode::kVoltage ? 1 : 0;
      state.override_command[k] = ActuatorCommand{event.value, ActuatorMode::kVoltage, 0, 0.0};
      break;
    }
    case EventKind::kAssemble: {
      const double before = machine::stored_energy(model_, m, state.fidelity);
      machine::assemble_body(model_, m, event_link_[at]);
      m.energy.events += machine::stored_energy(model_, m, state.fidelity) - before;
      break;
    }
    case EventKind::kPumpPressure:
      set_pump(event.value, state);
      break;
    case EventKind::kGain: {
      control::PidGains& gains = state.gains[event_actuator_[at]];
      if (event.key == "kp") gains.Kp = event.value;
      if (event.key == "ki") gains.Ki = event.value;
      if (event.key == "kd") gains.Kd = event.value;
      if (event.key == "feed_forward") gains.feed_forward = event.value;
      if (event.key == "overlap_compensation") gains.overlap_compensation_V = event.value;
      break;
    }
  }
}

void Simulation::set_fidelity(SimState& state, machine::Fidelity fidelity) const {
  machine::change_fidelity(model_, h_, state.fidelity, fidelity, state.machine);
  state.fidelity = fidelity;
}

int Simulation::attach(SimState& state, int link, const multibody::LinkInertia& payload,
                       const Vec3& v_com_W, const Vec3& omega_W) const {
  machine::MachineState& m = state.machine;
  for (int slot = 0; slot < kMaxPayloads; ++slot) {
    if (state.payload[slot].event != kSlotFree) continue;
    const double before = machine::stored_energy(model_, m, state.fidelity);
    state.payload[slot] = {payload, link, kNoEvent};
    machine::attach(model_, m, link, payload, v_com_W, omega_W);
    m.energy.events += machine::stored_energy(model_, m, state.fidelity) - before;
    return slot;
  }
  return -1;
}

multibody::FreeMotion Simulation::detach(SimState& state, int slot) const {
  machine::MachineState& m = state.machine;
  Payload& payload = state.payload[slot];
  const double before = machine::stored_energy(model_, m, state.fidelity);
  multibody::FreeMotion motion =
      multibody::detach(model_.tree, m.inertia, m.q, m.v, payload.link, payload.inertia);
  payload.event = kSlotFree;
  m.energy.events += machine::stored_energy(model_, m, state.fidelity) - before;
  return motion;
}

void Simulation::watch_energy(SimState& state) const {
  machine::MachineState& m = state.machine;
  machine::watch_energy(model_.watch, energy_residual(state),
                        machine::energy_turned_over(m.energy, stored_change(state)), time(state),
                        kEnergyTicks * h_, m);
}

double Simulation::stored_change(const SimState& state) const {
  return machine::stored_energy(model_, state.machine, state.fidelity) - state.machine.energy.start;
}

double Simulation::energy_residual(const SimState& state) const {
  const machine::EnergyLedger& e = state.machine.energy;
  const double stored = stored_change(state);
  return e.pump + e.air + e.switching + e.model + e.events + e.external -
         (e.valve + e.line + e.relief + e.leakage + e.friction + e.stops) - stored +
         machine::supply_residual(model_, state.machine);
}

}  // namespace knuckleboom::sim
