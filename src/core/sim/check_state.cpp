#include "knuckleboom/core/sim/check_state.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "knuckleboom/core/machine/actuator.hpp"

namespace knuckleboom::sim {
namespace {

using state::objection;

std::string place(const char* field, std::size_t index, const char* member = "") {
  return std::string(field) + '[' + std::to_string(index) + ']' + member;
}

// A joint may go beyond its stops, but not by more than its whole range and a metre or radian.
std::string check_joints(const machine::MachineModel& model, const machine::MachineState& m) {
  for (int i = 0; i < model.joint_count(); ++i) {
    const multibody::Body& body = model.tree.body(model.tree.link(i).body);
    const double room = body.upper - body.lower + 1.0;
    if (!std::isfinite(room) || !(body.upper > body.lower)) continue;  // no stops
    if (m.q[i] >= body.lower - room && m.q[i] <= body.upper + room) continue;
    return objection(place("machine.q", static_cast<std::size_t>(i)), m.q[i],
                     "joint '" + model.joint_name(i) + "' goes from " +
                         state::number_text(body.lower) + " to " + state::number_text(body.upper));
  }
  return {};
}

// A ball's first turn is held at one of two positions.
std::string check_balls(const machine::MachineModel& model, const machine::MachineState& m) {
  for (const multibody::Ball& ball : model.balls) {
    const auto i = static_cast<std::size_t>(ball.first);
    const std::string held = "this turn of joint '" + ball.name + "' is held";
    if (m.q[i] != 0.0 && m.q[i] != 0.5 * std::numbers::pi)
      return objection(place("machine.q", i), m.q[i], held);
    if (m.v[i] != 0.0) return objection(place("machine.v", i), m.v[i], held);
    if (m.a[i] != 0.0) return objection(place("machine.a", i), m.a[i], held);
  }
  return {};
}

double size_of(const multibody::LinkInertia& inertia) {
  double size = std::fabs(inertia.mass);
  for (const double x : inertia.mc) size = std::max(size, std::fabs(x));
  for (const double x : inertia.I) size = std::max(size, std::fabs(x));
  return size;
}

// The masses of the links follow from the machine and its payloads.
std::string check_inertias(const machine::MachineModel& model, const SimState& state) {
  constexpr double kRoom = 1e-6;  // of the sums: payloads come and go
  for (int i = 0; i < model.joint_count(); ++i) {
    const auto u = static_cast<std::size_t>(i);
    multibody::LinkInertia wanted;
    if ((state.machine.absent >> i & 1) == 0) wanted = model.tree.link_inertias()[u];
    double size = size_of(wanted) + 1.0;
    for (const Payload& payload : state.payload) {
      if (payload.event == kSlotFree || payload.link != i) continue;
      wanted = wanted + payload.inertia;
      size += size_of(payload.inertia);
    }
    if (size_of(state.machine.inertia[i] - wanted) <= kRoom * size) continue;
    return objection(place("machine.inertia", u, ".mass"), state.machine.inertia[i].mass,
                     "it is not that of the machine with what it carries, " +
                         state::number_text(wanted.mass) + " kg, or has another distribution");
  }
  return {};
}

std::string check_payloads(const Simulation& simulation, const SimState& state) {
  const std::vector<command::Event>& events = simulation.scenario().events;
  for (std::size_t i = 0; i < kMaxPayloads; ++i) {
    const Payload& payload = state.payload[i];
    if (payload.event == kSlotFree) continue;
    if (payload.link >= simulation.model().joint_count())
      return objection(place("payload", i, ".link"), payload.link, "the machine has no such link");
    if (payload.inertia.mass < 0.0)
      return objection(place("payload", i, ".inertia.mass"), payload.inertia.mass,
                       "nothing weighs less than nothing");
    const bool brought =
        payload.event == kNoEvent ||
        (payload.event < state.next_event &&
         events[static_cast<std::size_t>(payload.event)].kind == command::EventKind::kAttach);
    if (!brought)
      return objection(place("payload", i, ".event"), payload.event,
                       "no event of the scenario has brought a payload by that number yet");
  }
  return {};
}

// Events change the first five; all others are those of the machine.
std::string check_gains(const Simulation& simulation, const SimState& state) {
  const machine::MachineModel& model = simulation.model();
  const bool changed = std::any_of(
      simulation.scenario().events.begin(), simulation.scenario().events.end(),
      [](const command::Event& event) { return event.kind == command::EventKind::kGain; });
  for (std::size_t k = 0; k < model.actuators.size(); ++k) {
    control::PidGains wanted = model.controllers[k];
    const control::PidGains& gains = state.gains[k];
    if (changed) {
      wanted.Kp = gains.Kp;
      wanted.Ki = gains.Ki;
      wanted.Kd = gains.Kd;
      wanted.feed_forward = gains.feed_forward;
      wanted.overlap_compensation_V = gains.overlap_compensation_V;
    }
    if (state::hash(gains) != state::hash(wanted))
      return place("gains", k) + " are not those of the machine's controller";
  }
  return {};
}

std::string check_actuators(const machine::MachineModel& model, const machine::MachineState& m) {
  for (std::size_t k = 0; k < model.actuators.size(); ++k)
    for (std::size_t s = 0; s < 2; ++s) {
      if (model.actuators[k].air) {
        if (!(m.actuator[k].air.m[s] > 0.0) || !(m.actuator[k].air.U[s] > 0.0))
          return objection(place("machine.actuator", k, s == 0 ? ".air.m[0]" : ".air.m[1]"),
                           m.actuator[k].air.m[s], "a chamber always holds some air");
        continue;
      }
      if (m.actuator[k].air.m[s] != 0.0 || m.actuator[k].air.U[s] != 0.0)
        return objection(place("machine.actuator", k, s == 0 ? ".air.m[0]" : ".air.m[1]"),
                         m.actuator[k].air.m[s], "this machine works on oil");
      if (!(m.actuator[k].C[s] > 0.0))
        return objection(place("machine.actuator", k, s == 0 ? ".C[0]" : ".C[1]"),
                         m.actuator[k].C[s], "oil and hose always give a little");
    }
  return {};
}

std::string check_faults(const Simulation& simulation, const FaultState& fault) {
  if (fault.next_in_plan > simulation.planned_faults())
    return objection("fault.next_in_plan", fault.next_in_plan,
                     "only " + std::to_string(simulation.planned_faults()) + " are planned");
  std::int32_t active = 0;
  for (std::size_t i = 0; i < simulation.scenario().faults.size(); ++i)
    active += fault.on[i] != 0 || fault.share[i] != 0.0 ? 1 : 0;
  if (fault.active != active)
    return objection("fault.active", fault.active,
                     "but " + std::to_string(active) + " faults are on or on their way");
  return {};
}

std::string check_counts(const Simulation& simulation, const SimState& state) {
  const auto events = simulation.scenario().events.size();
  if (static_cast<std::size_t>(state.next_event) > events)
    return objection("next_event", state.next_event,
                     "the scenario has " + std::to_string(events) + " events");
  if (state.machine.health.ticks > state.tick)
    return objection("machine.health.ticks", static_cast<double>(state.machine.health.ticks),
                     "but " + std::to_string(state.tick) + " ticks were run");
  const machine::MachineModel& model = simulation.model();
  const auto worst = static_cast<std::size_t>(state.machine.health.singular_loop);
  if (state.machine.health.first_singular != 0 && worst >= model.loops.size() &&
      worst - multibody::kMaxLoops >= model.couplings.size())
    return objection("machine.health.singular_loop", static_cast<double>(worst),
                     "the machine has no such loop or coupling");
  const auto joints = static_cast<unsigned>(model.joint_count());
  const std::int64_t start_absent = simulation.initial_state(state.fidelity).machine.absent;
  if ((state.machine.absent & ~start_absent) != 0)
    return objection("machine.absent", static_cast<double>(state.machine.absent),
                     "a body that was there at the start is not there");
  if (state.machine.dependent >> joints != 0 ||
      (state.machine.dependent != 0 && model.loop_system.empty()))
    return objection("machine.dependent", static_cast<double>(state.machine.dependent),
                     "the machine has no such joints in its loops and couplings");
  return {};
}

}  // namespace

state::Counts counts_of(const Simulation& simulation) {
  using state::Along;
  const machine::MachineModel& model = simulation.model();
  state::Counts counts;
  counts[Along::kJoints] = static_cast<std::uint32_t>(model.joint_count());
  counts[Along::kActuators] = static_cast<std::uint32_t>(model.actuators.size());
  counts[Along::kLoops] = static_cast<std::uint32_t>(model.loops.size());
  counts[Along::kWheels] = static_cast<std::uint32_t>(model.wheels.size());
  counts[Along::kFaults] = static_cast<std::uint32_t>(simulation.scenario().faults.size());
  return counts;
}

std::string check_state(const Simulation& simulation, const SimState& state) {
  const machine::MachineModel& model = simulation.model();
  std::string wrong = state::check(state, counts_of(simulation));
  if (wrong.empty()) wrong = check_counts(simulation, state);
  if (wrong.empty()) wrong = check_joints(model, state.machine);
  if (wrong.empty()) wrong = check_balls(model, state.machine);
  if (wrong.empty()) wrong = check_payloads(simulation, state);
  if (wrong.empty()) wrong = check_inertias(model, state);
  if (wrong.empty()) wrong = check_gains(simulation, state);
  if (wrong.empty()) wrong = check_actuators(model, state.machine);
  if (wrong.empty()) wrong = check_faults(simulation, state.fault);
  return wrong;
}

}  // namespace knuckleboom::sim
