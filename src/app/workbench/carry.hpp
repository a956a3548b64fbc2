// A running machine that becomes another make of itself.
#pragma once

#include "knuckleboom/core/sim/simulation.hpp"

namespace knuckleboom::app {

// The state of a running machine in another make of it, by the names of joints and actuators: positions, speeds,
// pressures, controllers, payloads, absent bodies and counters go on; masses, gains that no event has changed and
// constant supplies are the new machine's; what it alone has starts at rest. What the change of masses adds or takes
// counts as energy of events.
sim::SimState carry(const sim::Simulation& from, const sim::SimState& state,
                    const sim::Simulation& to);

}  // namespace knuckleboom::app
