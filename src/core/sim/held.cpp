#include "knuckleboom/core/sim/held.hpp"

#include <utility>

namespace knuckleboom::sim {
namespace {

bool same_command(const ActuatorCommand& a, const ActuatorCommand& b) {
  return a.value == b.value && a.mode == b.mode && a.hold_sum == b.hold_sum &&
         a.feed_forward_V == b.feed_forward_V;
}

}  // namespace

void step_held(const Simulation& simulation, const Held& held, SimState& state) {
  ActuatorCommand own[kMaxActuators]{};
  std::int32_t overridden[kMaxActuators]{};
  for (std::size_t k = 0; k < kMaxActuators; ++k) {
    if (!held.drive[k]) continue;
    own[k] = std::exchange(state.override_command[k], held.input.actuator[k]);
    overridden[k] = std::exchange(state.overridden[k], 1);
  }
  if (held.any_joint) {
    TickInput input = simulation.scenario_input(state);
    for (int i = 0; i < simulation.model().joint_count(); ++i)
      if (held.input.joint[i].mode != JointCommandMode::kNone) input.joint[i] = held.input.joint[i];
    simulation.step(state, input);
  } else {
    simulation.step(state);
  }
  for (std::size_t k = 0; k < kMaxActuators; ++k) {
    if (!held.drive[k] || state.overridden[k] == 0 ||
        !same_command(state.override_command[k], held.input.actuator[k]))
      continue;
    state.override_command[k] = own[k];
    state.overridden[k] = overridden[k];
  }
}

}  // namespace knuckleboom::sim
