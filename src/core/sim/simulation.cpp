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

constexpr double kTimeSlack = 1e-9;  // s; an event exactly at a tick belongs to it

// Pressures that hold the load; the scenario gives the level (one port of a cylinder, both of a motor).
void set_equilibrium(const hydraulics::Circuit& circuit, double force,
                     const command::InitialJoint* initial, double (&P)[2]) {
  const double a1 = hydraulics::area1(circuit);
  const double a2 = hydraulics::area2(circuit);
  const bool a_given = initial != nullptr && initial->port_a_given;
  const bool b_given = initial != nullptr && initial->port_b_given;
  if (circuit.kind == hydraulics::ActuatorKind::kMotor) {
    const double level = a_given ? initial->port_a_Pa : b_given ? initial->port_b_Pa : 0.0;
    P[0] = level + 0.5 * force / a1;
    P[1] = level - 0.5 * force / a2;
  } else if (a_given) {
    P[0] = initial->port_a_Pa;
    P[1] = (a1 * P[0] - force) / a2;
  } else {
    // Not given: the unloaded side is at tank pressure, the other carries the load.
    const double rod = b_given ? initial->port_b_Pa : std::max(0.0, -force / a2);
    P[1] = rod;
    P[0] = (force + a2 * P[1]) / a1;
  }
}

// Start pressures at which protective valves would open.
std::string start_fault(const machine::Actuator& actuator, const double (&P)[2]) {
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

}  // namespace

Simulation::Simulation(machine::MachineModel model, command::Scenario scenario)
    : model_(std::move(model)),
      scenario_(std::move(scenario)),
      h_(scenario_.tick_s),
      stepper_(model_, h_) {
  place_start();
  for (const command::JointProgram& program : scenario_.programs) {
    if (program.mode == JointMode::kTorque || program.mode == JointMode::kSpeed ||
        program.mode == JointMode::kSpring) {
      place_joint_program(program);
      continue;
    }
    const int k = actuator_of(program.joint);
    nth(program_, k) = &program;
    if (program.mode == JointMode::kTip) {
      has_tip_ = true;
      nth(tip_used_, nth(model_.actuators, k).link) = true;
    }
  }
  tip_start_W_ = machine::tip_position(model_, q0_.data());
  for (std::size_t k = 0; k < model_.actuators.size(); ++k)
    spool_[k] = hydraulics::SpoolLag(model_.actuators[k].circuit.valve, 0.5 * h_);
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
  if (!model_.loop_system.empty()) close_start(hangs, given);
  if (const int link = machine::find_rest(model_, hangs, q0_.data(), dependent0_); link >= 0)
    throw std::invalid_argument("joint '" + model_.joint_name(link) +
                                "' has no actuator and nowhere to rest; give its start in the "
                                "scenario, or give it limits and stops");
}

// Joints given by the scenario and driven joints are fixed; the other joints of the loops follow.
void Simulation::close_start(bool* hangs, const bool* given) {
  const multibody::LoopSystem& loops = model_.loop_system;
  bool keep[kMaxLinks], fixed[kMaxLinks];
  machine::keep_independent(model_, keep);
  for (int i = 0; i < kMaxLinks; ++i) fixed[i] = keep[i] || given[i];
  std::array<double, kMaxLinks> start = q0_;
  double gap = 0.0;
  int open = loops.assemble(model_.tree, fixed, q0_.data(), gap);
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
    throw std::invalid_argument("loop '" + nth(model_.loops, open).name +
                                "' cannot be closed with " + joints +
                                ": the nearest found leaves a gap of " + std::to_string(gap) +
                                " m; start its joints elsewhere");
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
        "at the start, " +
        machine::singular_sentence(model_, std::max(0, e.worst_loop), q0_.data()) +
        "; start it elsewhere");
  }
  for (int i = 0; i < model_.joint_count(); ++i)
    if ((dependent >> i & 1) != 0) hangs[i] = false;
  dependent0_ = dependent;
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
  double force[kMaxActuators], load[kMaxLinks];
  machine::static_loads(model_, m.inertia, m.q, m.dependent, force, load);
  hydraulics::StageInput in[kMaxActuators];
  machine::update_valves(model_, fidelity, m, in);
  for (std::size_t k = 0; k < model_.actuators.size(); ++k) {
    const machine::Actuator& actuator = model_.actuators[k];
    machine::ActuatorState& a = m.actuator[k];
    const command::InitialJoint* initial = nullptr;
    for (const command::InitialJoint& joint : scenario_.initial)
      if (joint.joint == model_.joint_name(actuator.link)) initial = &joint;
    a.F_hold = force[k];
    set_equilibrium(actuator.circuit, a.F_hold, initial, a.P_C);
    a.x_hold = machine::displacement_row(model_, static_cast<int>(k), m.q, nullptr);
    hydraulics::capacitances(actuator.circuit, a.fault, a.x_hold, a.P_C, a.C);
    for (int s = 0; s < 2; ++s) {
      a.p[s] = a.P_hold[s] = a.P_C[s];
      a.Q[s] = hydraulics::residual_flow(in[k].P_S[s], a.P_C[s], in[k].C_R[s]);
    }
    state.gains[k] = model_.controllers[k];
    state.input.actuator[k].value = m.q[actuator.link];
    state.input.actuator[k].mode = ActuatorMode::kPosition;
  }
  for (Payload& payload : state.payload) payload.event = kSlotFree;
  m.energy.start = machine::stored_energy(model_, m, fidelity);
  return state;
}

TickInput Simulation::scenario_input(SimState& state) const {
  TickInput input{};
  fill_input(state, input);
  return input;
}

void Simulation::fill_input(SimState& state, TickInput& input) const {
  const double t = time(state);
  if (has_tip_) {
    const Vec3 target =
        tip_start_W_ + command::offset(scenario_.tip_path, t - scenario_.tip_start_s);
    // Extrapolated from the last two ticks: one Newton step is then enough.
    double q[kMaxLinks];
    for (int i = 0; i < model_.joint_count(); ++i)
      q[i] = nth(passive_, i) ? state.machine.q[i]
                              : 2.0 * state.tip_joints[0][i] - state.tip_joints[1][i];
    if (!machine::solve_tip(model_, target, tip_used_.data(), q)) ++state.tip_unreachable;
    for (int i = 0; i < model_.joint_count(); ++i) {
      state.tip_joints[1][i] = state.tip_joints[0][i];
      state.tip_joints[0][i] = q[i];
    }
  }
  for (std::size_t k = 0, m = model_.actuators.size(); k < m; ++k) {
    const int link = model_.actuators[k].link;
    ActuatorCommand& drive = input.actuator[k];
    const command::JointProgram* program = program_[k];
    drive = {nth(q0_, link), ActuatorMode::kPosition, 0, 0.0};
    if (program != nullptr) {
      if (program->mode == JointMode::kTip) {
        drive.value = state.tip_joints[0][link];
      } else {
        drive.value = command::value(program->signal, t);
        if (program->mode == JointMode::kVoltage) drive.mode = ActuatorMode::kVoltage;
      }
    }
    if (state.overridden[k] != 0) drive = state.override_command[k];
  }
  for (int i = 0, n = model_.joint_count(); i < n; ++i) {
    input.joint[i] = {};
    const command::JointProgram* program = nth(joint_program_, i);
    if (program == nullptr) continue;
    if (program->mode == JointMode::kSpring) {
      // Additional force of its far end at the middle of the tick over a fixed one.
      const double end = command::value(program->signal, t + 0.5 * h_);
      input.joint[i] = {model_.tree.link(i).stiffness * end, JointCommandMode::kTorque};
      continue;
    }
    const bool speed = program->mode == JointMode::kSpeed;
    input.joint[i] = {command::value(program->signal, t),
                      speed ? JointCommandMode::kSpeed : JointCommandMode::kTorque};
  }
}

// Set pressure of a sound pump; a modelled pump approaches it by its own equations.
void Simulation::set_pump(double pressure_Pa, SimState& state) const {
  state.fault.pump_set_Pa = pressure_Pa;
  const bool pump = model_.supply.kind == hydraulics::SupplyKind::kPump;
  (pump ? state.machine.supply.set_Pa : state.machine.pump_Pa) = pressure_Pa;
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

void Simulation::control(SimState& state, const TickInput& input, const double* sensed) const {
  if (sensed == nullptr) sensed = measured(state);
  machine::MachineState& m = state.machine;
  for (std::size_t k = 0, count = model_.actuators.size(); k < count; ++k) {
    const int i = model_.actuators[k].link;
    const hydraulics::Valve& valve = model_.actuators[k].circuit.valve;
    const control::PidGains& gains = state.gains[k];
    control::PidState& pid = state.pid[k];
    machine::ActuatorState& a = m.actuator[k];
    ActuatorCommand drive = input.actuator[k];
    const double q = sensed[i];
    if (state.fault.controller_off[k] != 0) [[unlikely]]
      drive = ActuatorCommand{0.0, ActuatorMode::kVoltage, 0, 0.0};
    if (drive.mode == ActuatorMode::kVoltage) {
      a.command_V = std::clamp(drive.value, -valve.full_V, valve.full_V);
      state.reference[i] = q;
    } else {
      const double sign = model_.actuators[k].linkage.sign;
      const bool fed = drive.mode == ActuatorMode::kFedPosition;
      // The source of the feed-forward ensures a bumpless change.
      if (fed && state.input.actuator[k].mode != ActuatorMode::kFedPosition)
        pid = control::PidState{};
      else if (!fed && state.input.actuator[k].mode != ActuatorMode::kPosition)
        control::start_bumpless(gains, sign, drive.value, q, a.command_V, pid);
      const double dt = h_ * gains.period_ticks;
      if (gains.period_ticks <= 1 || state.tick % gains.period_ticks == 0)
        a.command_V = fed ? control::sample_fed(gains, dt, sign, drive.value, q,
                                                drive.feed_forward_V, drive.hold_sum != 0, pid)
                          : control::sample(gains, dt, sign, drive.value, q, pid);
      state.reference[i] = drive.value;
    }
    state.input.actuator[k] = drive;
  }
  // With a lag the tick uses the spool positions at its middle; end_tick advances them to its end.
  move_spools(state);
  std::copy_n(input.joint, model_.joint_count(), state.input.joint);
}

// Half a tick.
void Simulation::move_spools(SimState& state) const {
  const FaultState& f = state.fault;
  for (std::size_t k = 0, count = model_.actuators.size(); k < count; ++k) {
    machine::ActuatorState& a = state.machine.actuator[k];
    if (f.active == 0) [[likely]]
      spool_[k].move(a.command_V, a.spool_V);
    else
      spool_[k].move(a.command_V, {f.breakout_V[k], f.offset_V[k]}, a.spool_V, a.spool_stuck);
  }
}

const double* Simulation::joint_force(const SimState& state, const double* outside,
                                      double* room) const {
  const JointCommand* command = state.input.joint;
  bool any = false;
  for (int i = 0; i < model_.joint_count(); ++i) {
    room[i] = outside != nullptr ? outside[i] : 0.0;
    if (command[i].mode != JointCommandMode::kTorque) continue;
    room[i] += command[i].value;
    any = true;
  }
  for (const machine::JointDrive& drive : model_.drives) {
    const JointCommand& own = command[drive.link];
    if (own.mode != JointCommandMode::kTorque || drive.torque_limit == 0.0) continue;
    room[drive.link] += std::clamp(own.value, -drive.torque_limit, drive.torque_limit) - own.value;
  }
  return any ? room : outside;
}

const machine::SpeedCommands* Simulation::speed_commands(const SimState& state,
                                                         machine::SpeedCommands& room) const {
  if (model_.drives.empty()) return nullptr;
  bool any = false;
  for (int i = 0; i < model_.joint_count(); ++i) room.gain[i] = room.speed[i] = room.limit[i] = 0.0;
  for (const machine::JointDrive& drive : model_.drives) {
    const JointCommand& own = state.input.joint[drive.link];
    if (own.mode != JointCommandMode::kSpeed) continue;
    room.speed[drive.link] = own.value;
    room.gain[drive.link] = drive.speed_gain;
    room.limit[drive.link] = drive.torque_limit;
    any = true;
  }
  return any ? &room : nullptr;
}

void Simulation::run_events(SimState& state) const {
  const auto count = static_cast<std::int32_t>(scenario_.events.size());
  while (state.next_event < count) {
    const command::Event& event = nth(scenario_.events, state.next_event);
    if (event.at_s > time(state) + kTimeSlack) return;
    apply(event, state.next_event, state);
    ++state.next_event;
  }
}

void Simulation::follow_supply(SimState& state) const {
  // At the middle of the tick; the pressures are held over it.
  const double t = time(state) + 0.5 * h_;
  if (!scenario_.pump_Pa.terms.empty()) set_pump(command::value(scenario_.pump_Pa, t), state);
  if (!scenario_.tank_Pa.terms.empty())
    state.machine.tank_Pa = command::value(scenario_.tank_Pa, t);
}

void Simulation::begin_tick(SimState& state) const {
  follow_supply(state);
  run_events(state);
  run_plan(state);
  TickInput input;  // as far as the machine reaches
  fill_input(state, input);
  control(state, input, nullptr);
}

void Simulation::begin_tick(SimState& state, const TickInput& input, const double* sensed) const {
  follow_supply(state);
  run_events(state);
  run_plan(state);
  control(state, input, sensed);
}

void Simulation::end_tick(SimState& state) const {
  move_spools(state);
  ++state.tick;
  if (state.fault.active != 0) [[unlikely]]
    work_faults(state, h_);
}

void Simulation::step_machine(SimState& state, const double* outside) const {
  double force[kMaxLinks];
  machine::SpeedCommands speeds;
  stepper_.step(state.fidelity, state.machine, joint_force(state, outside, force),
                speed_commands(state, speeds));
}

void Simulation::step(SimState& state) const {
  begin_tick(state);
  step_machine(state, nullptr);
  end_tick(state);
}

void Simulation::step(SimState& state, const TickInput& input, const double* joint_force,
                      const double* sensed) const {
  begin_tick(state, input, sensed);
  step_machine(state, joint_force);
  end_tick(state);
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

double Simulation::energy_residual(const SimState& state) const {
  const machine::EnergyLedger& e = state.machine.energy;
  const double stored = machine::stored_energy(model_, state.machine, state.fidelity) - e.start;
  return e.pump + e.switching + e.model + e.events + e.external -
         (e.valve + e.line + e.relief + e.leakage + e.friction + e.stops) - stored +
         machine::supply_residual(model_, state.machine);
}

}  // namespace knuckleboom::sim
