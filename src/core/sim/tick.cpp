// The tick. Compiled once for each of the instruction sets: src/cmake/instructions.cmake.
#include <algorithm>

#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/sim/simulation.hpp"

#ifndef KNUCKLEBOOM_STEP
#define KNUCKLEBOOM_STEP step_baseline
#endif

namespace knuckleboom::sim {
namespace {

using command::JointMode;

constexpr double kTimeSlack = 1e-9;  // s; an event exactly at a tick belongs to it

}  // namespace

TickInput Simulation::scenario_input(SimState& state) const {
  TickInput input{};
  fill_input(state, input);
  return input;
}

carrier::CarrierCommand Simulation::carrier_command(double t) const {
  carrier::CarrierCommand out{};
  bool drives = false, parks = false;
  for (const command::CarrierProgram& program : scenario_.carrier) {
    using command::CarrierInput;
    const double value = command::value(program.signal, t);
    const std::int32_t on = value > 0.5 ? 1 : 0;
    switch (program.input) {
      case CarrierInput::kDrive:
        out.drive = std::clamp(value, -1.0, 1.0);
        drives = true;
        break;
      case CarrierInput::kBrake:
        out.brake = std::clamp(value, 0.0, 1.0);
        break;
      case CarrierInput::kInching:
        out.inching = std::clamp(value, 0.0, 1.0);
        break;
      case CarrierInput::kParkingBrake:
        out.released = 1 - on;
        parks = true;
        break;
      case CarrierInput::kHighGear:
        out.high_gear = on;
        break;
      case CarrierInput::kDifferentialLock:
        out.differential_lock = on;
        break;
      case CarrierInput::kJointLock:
        out.joint_lock = on;
        break;
    }
  }
  if (!parks) out.released = drives ? 1 : 0;
  return out;
}

void Simulation::fill_input(SimState& state, TickInput& input) const {
  const double t = time(state);
  const double middle = t + 0.5 * h_;
  input.carrier = {};
  if (carrier_.present()) input.carrier = carrier_command(middle);
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
  for (std::size_t k = 0, m = drives_.size(); k < m; ++k) {
    const Drive& drive = drives_[k];
    ActuatorCommand& command = input.actuator[k];
    command = drive.command;
    // A controller samples its reference. What acts on the machine is held over the tick at the value of
    // its middle, for second order.
    if (drive.signal != nullptr)
      command.value =
          command::value(*drive.signal, drive.command.mode == ActuatorMode::kVoltage ? middle : t);
    if (drive.tip) command.value = state.tip_joints[0][drive.link];
    if (state.overridden[k] != 0) command = state.override_command[k];
  }
  for (int i = 0, n = model_.joint_count(); i < n; ++i) {
    input.joint[i] = {};
    const command::JointProgram* program = nth(joint_program_, i);
    if (program == nullptr) continue;
    const double value = command::value(program->signal, middle);
    // A spring's far end is an additional force over a fixed one.
    input.joint[i] = {
        program->mode == JointMode::kSpring ? model_.tree.link(i).stiffness * value : value,
        program->mode == JointMode::kSpeed ? JointCommandMode::kSpeed : JointCommandMode::kTorque};
  }
}

// Set pressure of a sound pump; a modelled pump approaches it by its own equations.
void Simulation::set_pump(double pressure_Pa, SimState& state) const {
  state.fault.pump_set_Pa = pressure_Pa;
  const bool pump = model_.supply.kind == hydraulics::SupplyKind::kPump;
  (pump ? state.machine.supply.set_Pa : state.machine.pump_Pa) = pressure_Pa;
}

void Simulation::control(SimState& state, const TickInput& input, const double* sensed) const {
  if (sensed == nullptr) sensed = measured(state);
  machine::MachineState& m = state.machine;
  for (std::size_t k = 0, count = drives_.size(); k < count; ++k) {
    const Drive& drive = drives_[k];
    const int i = drive.link;
    const control::PidGains& gains = state.gains[k];
    control::PidState& pid = state.pid[k];
    machine::ActuatorState& a = m.actuator[k];
    ActuatorCommand command = input.actuator[k];
    const double q = sensed[i];
    if (state.fault.controller_off[k] != 0) [[unlikely]]
      command = ActuatorCommand{0.0, ActuatorMode::kVoltage, 0, 0.0};
    if (command.mode == ActuatorMode::kVoltage) {
      a.command_V = std::clamp(command.value, -drive.full_V, drive.full_V);
      state.reference[i] = q;
    } else {
      const bool fed = command.mode == ActuatorMode::kFedPosition;
      // The source of the feed-forward ensures a bumpless change.
      if (fed && state.input.actuator[k].mode != ActuatorMode::kFedPosition)
        pid = control::PidState{};
      else if (!fed && state.input.actuator[k].mode != ActuatorMode::kPosition)
        control::start_bumpless(gains, drive.sign, command.value, q, a.command_V, pid);
      const double dt = h_ * gains.period_ticks;
      if (gains.period_ticks <= 1 || state.tick % gains.period_ticks == 0)
        a.command_V = fed ? control::sample_fed(gains, dt, drive.sign, command.value, q,
                                                command.feed_forward_V, command.hold_sum != 0, pid)
                          : control::sample(gains, dt, drive.sign, command.value, q, pid);
      state.reference[i] = command.value;
    }
    state.input.actuator[k] = command;
  }
  // With a lag the tick uses the spool positions at its middle; end_tick advances them to its end.
  move_spools(state);
  std::copy_n(input.joint, model_.joint_count(), state.input.joint);
  if (carrier_.present()) state.input.carrier = input.carrier;
}

// Half a tick.
void Simulation::move_spools(SimState& state) const {
  const FaultState& f = state.fault;
  for (std::size_t k = 0, count = drives_.size(); k < count; ++k) {
    machine::ActuatorState& a = state.machine.actuator[k];
    if (f.active == 0) [[likely]]
      drives_[k].spool.move(a.command_V, a.spool_V);
    else
      drives_[k].spool.move(a.command_V, {f.breakout_V[k], f.offset_V[k]}, a.spool_V,
                            a.spool_stuck);
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
  if (any && holds_load_) {
    // As a higher speed: the drive's torque is then larger by the load, and limited with it.
    double force[kMaxActuators], load[kMaxLinks];
    const machine::MachineState& m = state.machine;
    machine::static_loads(model_, m.inertia, m.q, m.dependent, force, load);
    for (const machine::JointDrive& drive : model_.drives)
      if (drive.holds_load && room.gain[drive.link] > 0.0)
        room.speed[drive.link] += load[drive.link] / drive.speed_gain;
  }
  return any ? &room : nullptr;
}

void Simulation::drive_torques(const SimState& state, double* torque) const {
  joint_force(state, nullptr, torque);
  machine::SpeedCommands room;
  const machine::SpeedCommands* speeds = speed_commands(state, room);
  for (const machine::JointDrive& drive : model_.drives)
    if (speeds != nullptr && speeds->gain[drive.link] > 0.0)
      torque[drive.link] +=
          machine::servo_torque(*speeds, drive.link, state.machine.v[drive.link]).torque;
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
  watch(state);
  if (state.tick % kEnergyTicks == 0) [[unlikely]]
    watch_energy(state);
}

void Simulation::watch(SimState& state) const {
  // A closing valve's pressure takes some ticks to rise, a joint more: all in a hundredth of the tick's cost.
  constexpr int kPressureTicks = 2, kJointTicks = 8;
  if (state.tick % kPressureTicks != 0) return;
  machine::watch_pressures(model_, time(state), kPressureTicks * h_, state.machine);
  if (state.tick % kJointTicks != 0) return;
  machine::watch_joints(model_, time(state), kJointTicks * h_, state.machine);
}

void Simulation::step_machine(SimState& state, const double* outside) const {
  double force[kMaxLinks], wheels[kMaxLinks];
  machine::SpeedCommands speeds;
  if (carrier_.present()) {
    for (int i = 0; i < model_.joint_count(); ++i)
      wheels[i] = outside != nullptr ? outside[i] : 0.0;
    carrier_.step(state.machine, state.input.carrier, state.carrier, wheels);
    outside = wheels;
  }
  stepper_.step(state.fidelity, state.machine, joint_force(state, outside, force),
                speed_commands(state, speeds));
  if (carrier_.present()) carrier_.load_engine(state.input.carrier, state.machine, state.carrier);
}

void Simulation::KNUCKLEBOOM_STEP(const Simulation& simulation, SimState& state,
                                  const TickInput* input, const double* joint_force,
                                  const double* sensed) {
  if (input != nullptr)
    simulation.begin_tick(state, *input, sensed);
  else
    simulation.begin_tick(state);
  simulation.step_machine(state, joint_force);
  simulation.end_tick(state);
}

}  // namespace knuckleboom::sim
