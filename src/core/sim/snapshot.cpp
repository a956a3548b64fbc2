#include "knuckleboom/core/sim/snapshot.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

#include "knuckleboom/core/machine/equations.hpp"
#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/machine/tip.hpp"
#include "knuckleboom/core/math/arrays.hpp"
#include "knuckleboom/core/sim/parts.hpp"

namespace knuckleboom::sim {

Snapshot take_snapshot(const Simulation& simulation, const SimState& state) {
  Snapshot out;
  std::memset(static_cast<void*>(&out), 0, sizeof out);
  take_snapshot(simulation, state, out);
  return out;
}

void take_snapshot(const Simulation& simulation, const SimState& state, Snapshot& out) {
  std::memset(static_cast<void*>(&out), 0, offsetof(Snapshot, joint));
  take_snapshot(simulation, state, kAllParts, out);
}

namespace {

void take_joints(const SimState& state, Snapshot& out) {
  const machine::MachineState& m = state.machine;
  for (int i = 0; i < out.joint_count; ++i) out.joint[i] = {m.q[i], m.v[i], state.reference[i]};
}

void take_actuators(const machine::MachineModel& model, const machine::MachineState& m,
                    Snapshot& out) {
  for (int k = 0; k < out.actuator_count; ++k) {
    const machine::Actuator& actuator = nth(model.actuators, k);
    const machine::ActuatorState& a = m.actuator[k];
    ActuatorSnapshot& s = out.actuator[k];
    s.valve_V = a.command_V;
    s.spool_V = a.spool_V;
    // A closed valve's flow state is the fictitious residual flow (eq. 14).
    s.flow_a_m3_per_s = a.open != 0 ? a.Q[0] : 0.0;
    s.flow_b_m3_per_s = a.open != 0 ? a.Q[1] : 0.0;
    s.port_a_Pa = a.p[0];
    s.port_b_Pa = a.p[1];
    s.force =
        hydraulics::area1(actuator.circuit) * a.p[0] - hydraulics::area2(actuator.circuit) * a.p[1];
    s.open = a.open;
    s.at_relief = a.relief_active != 0 ? 1 : 0;
    s.cavitating = a.cavitation_active != 0 ? 1 : 0;
    s.at_stop = a.stop_active;
  }
}

void take_others(const Simulation& simulation, const SimState& state, Snapshot& out) {
  const machine::MachineModel& model = simulation.model();
  const machine::MachineState& m = state.machine;
  out.loop_count = static_cast<std::int32_t>(model.loops.size());
  out.wheel_count = static_cast<std::int32_t>(model.wheels.size());
  out.drive_Pa = state.carrier.pressure;
  if (out.wheel_count > 0) {
    out.speed = simulation.carrier().speed(state.carrier);
    const carrier::CarrierCommand& command = state.input.carrier;
    out.brake = command.brake;
    out.high_gear = state.carrier.gear;
    out.parked = 1 - command.released;
    out.differential_locked = command.differential_lock;
    out.joint_locked = state.carrier.locked;
  }
  for (int i = 0; i < out.wheel_count; ++i) {
    const carrier::WheelState& w = state.carrier.wheel[i];
    out.wheel[i] = {w.load, w.spin, w.turned, w.slip};
  }
  copy_first(m.loop_force_W, out.loop_count, out.loop_force_W);
  copy_first(m.coupling_force, out.joint_count, out.coupling_force);
  for (int i = 0; i < out.joint_count; ++i) out.joint_drive[i] = state.input.joint[i].value;
  if (!model.drives.empty()) simulation.drive_torques(state, out.joint_applied);
  std::fill(std::begin(out.faults), std::end(out.faults), 0U);
  for (std::size_t i = 0; state.fault.active != 0 && i < simulation.scenario().faults.size(); ++i)
    if (simulation.fault_is_there(state, static_cast<int>(i))) out.faults[i / 32] |= 1U << (i % 32);
  out.health = m.health;
  out.watch = m.watch;
}

}  // namespace

void take_snapshot(const Simulation& simulation, const SimState& state, unsigned parts,
                   Snapshot& out) {
  const machine::MachineModel& model = simulation.model();
  out.tick = state.tick;
  out.t_s = simulation.time(state);
  out.joint_count = model.joint_count();
  out.actuator_count = static_cast<std::int32_t>(model.actuators.size());
  for (int i = 0; i < out.joint_count; ++i) out.actuator_of_joint[i] = -1;
  for (int k = 0; k < out.actuator_count; ++k)
    out.actuator_of_joint[nth(model.actuators, k).link] = k;
  if ((parts & kJointPart) != 0) take_joints(state, out);
  if ((parts & kActuatorPart) != 0) take_actuators(model, state.machine, out);
  if ((parts & kLengthPart) != 0)
    for (int k = 0; k < out.actuator_count; ++k)
      out.actuator[k].displacement = machine::displacement_row(model, k, state.machine.q, nullptr);
  if ((parts & kTipPart) != 0) {
    const Vec3 tip = machine::tip_position(model, state.machine.q);
    for (int i = 0; i < 3; ++i) out.tip_W[i] = tip(i);
  }
  if ((parts & kSupplyPart) != 0) {
    const machine::MachineState& m = state.machine;
    out.pump_Pa = m.pump_Pa;
    out.pump_flow_m3_per_s = m.supply.flow;
    out.relief_flow_m3_per_s = m.supply.relief_flow;
    out.load_signal_Pa = m.supply.load_Pa;
    out.engine_rad_per_s = m.supply.engine_speed;
  }
  if ((parts & kOtherPart) != 0) take_others(simulation, state, out);
}

void copy_used(const Snapshot& from, Snapshot& to) {
  std::memcpy(static_cast<void*>(&to), &from, offsetof(Snapshot, joint));
  copy_first(from.joint, from.joint_count, to.joint);
  copy_first(from.actuator, from.actuator_count, to.actuator);
  copy_first(from.actuator_of_joint, from.joint_count, to.actuator_of_joint);
  copy_first(from.loop_force_W, from.loop_count, to.loop_force_W);
  copy_first(from.coupling_force, from.joint_count, to.coupling_force);
  copy_first(from.wheel, from.wheel_count, to.wheel);
  copy_first(from.joint_drive, from.joint_count, to.joint_drive);
  copy_first(from.joint_applied, from.joint_count, to.joint_applied);
}

}  // namespace knuckleboom::sim
