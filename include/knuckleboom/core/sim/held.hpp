// Inputs that someone holds in place of the scenario's, and a tick with them.
#pragma once

#include "knuckleboom/core/sim/simulation.hpp"

namespace knuckleboom::sim {

struct Held {
  TickInput input;
  bool drive[kMaxActuators];
  bool any_joint;  // any of input.joint but kNone
};

// One tick of the scenario with what is held. A held drive stands, for the tick, where an event's would; the
// scenario's own is put back, or that of an event of this very tick is kept.
void step_held(const Simulation& simulation, const Held& held, SimState& state);

}  // namespace knuckleboom::sim
