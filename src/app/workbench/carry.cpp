#include "app/workbench/carry.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "knuckleboom/core/machine/mechanism.hpp"
#include "knuckleboom/core/math/arrays.hpp"

namespace knuckleboom::app {
namespace {

using machine::MachineModel;

bool same_gains(const control::PidGains& a, const control::PidGains& b) {
  return a.Kp == b.Kp && a.Ki == b.Ki && a.Kd == b.Kd && a.feed_forward == b.feed_forward &&
         a.overlap_compensation_V == b.overlap_compensation_V;
}

int actuator_named(const MachineModel& model, const std::string& joint) {
  for (std::size_t k = 0; k < model.actuators.size(); ++k)
    if (model.joint_name(model.actuators[k].link) == joint) return static_cast<int>(k);
  return -1;
}

void carry_joint(const sim::SimState& from, int j, sim::SimState& to, int i) {
  to.machine.q[i] = from.machine.q[j];
  to.machine.v[i] = from.machine.v[j];
  to.machine.a[i] = from.machine.a[j];
  to.machine.coupling_force[i] = from.machine.coupling_force[j];
  to.machine.bristle[i] = from.machine.bristle[j];
  to.reference[i] = from.reference[j];
  to.input.joint[i] = from.input.joint[j];
  to.fault.measured[i] = from.fault.measured[j];
  for (int t = 0; t < 2; ++t) to.tip_joints[t][i] = from.tip_joints[t][j];
}

void carry_actuator(const sim::SimState& from, int j, const control::PidGains& old_gains,
                    sim::SimState& to, int k) {
  to.machine.actuator[k] = from.machine.actuator[j];
  to.pid[k] = from.pid[j];
  to.input.actuator[k] = from.input.actuator[j];
  to.override_command[k] = from.override_command[j];
  to.overridden[k] = from.overridden[j];
  if (!same_gains(from.gains[j], old_gains)) to.gains[k] = from.gains[j];
}

void carry_payloads(const MachineModel& a, const sim::SimState& from, const MachineModel& b,
                    sim::SimState& to) {
  for (int slot = 0; slot < sim::kMaxPayloads; ++slot) {
    const sim::Payload& payload = from.payload[slot];
    if (payload.event == sim::kSlotFree) continue;
    const int link = b.tree.find_joint(a.joint_name(payload.link));
    if (link == multibody::kBase) continue;
    to.payload[slot] = payload;
    to.payload[slot].link = link;
    to.machine.inertia[link] = to.machine.inertia[link] + payload.inertia;
  }
}

}  // namespace

sim::SimState carry(const sim::Simulation& from, const sim::SimState& state,
                    const sim::Simulation& to) {
  const MachineModel &a = from.model(), &b = to.model();
  sim::SimState out = to.initial_state(state.fidelity);
  out.tick = std::llround(from.time(state) / to.tick_s());
  if (to.scenario().events.size() == from.scenario().events.size())
    out.next_event = state.next_event;
  out.tip_unreachable = state.tip_unreachable;
  for (int i = 0; i < b.joint_count(); ++i) {
    const int j = a.tree.find_joint(b.joint_name(i));
    if (j == multibody::kBase) continue;
    carry_joint(state, j, out, i);
    const std::int64_t bit = std::int64_t{1} << i;
    const bool absent = (state.machine.absent >> j & 1) != 0;
    out.machine.absent = absent ? out.machine.absent | bit : out.machine.absent & ~bit;
    out.machine.inertia[i] = absent ? multibody::LinkInertia{} : nth(b.tree.link_inertias(), i);
  }
  for (std::size_t k = 0; k < b.actuators.size(); ++k)
    if (const int j = actuator_named(a, b.joint_name(b.actuators[k].link)); j >= 0)
      carry_actuator(state, j, nth(a.controllers, j), out, static_cast<int>(k));
  carry_payloads(a, state, b, out);
  machine::MachineState& m = out.machine;
  const machine::MachineState& old = state.machine;
  const bool same_joints = a.joint_count() == b.joint_count() && a.loops.size() == b.loops.size();
  if (same_joints) {
    m.dependent = old.dependent;
    std::memcpy(m.loop_force_W, old.loop_force_W, sizeof m.loop_force_W);
  }
  if (b.coupled()) machine::choose_independent(b, m);
  if (a.supply.kind == b.supply.kind) {
    m.supply = old.supply;
    m.supply_energy = old.supply_energy;
    if (a.supply.pump_Pa == b.supply.pump_Pa) {
      m.pump_Pa = old.pump_Pa;
      out.fault.pump_set_Pa = state.fault.pump_set_Pa;
    } else {
      m.supply.set_Pa = b.supply.pump_Pa;
    }
    if (a.supply.tank_Pa == b.supply.tank_Pa) m.tank_Pa = old.tank_Pa;
  }
  if (a.wheels.size() == b.wheels.size()) {
    out.carrier = state.carrier;
    out.input.carrier = state.input.carrier;
  }
  m.health = old.health;
  m.watch = old.watch;
  m.energy = old.energy;
  // Both changes are from the same start.
  m.energy.events += to.stored_change(out) - from.stored_change(state);
  return out;
}

}  // namespace knuckleboom::app
