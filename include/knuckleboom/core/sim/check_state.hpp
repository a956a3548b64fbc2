// Whether a stored state can be believed before anything is computed from it.
#pragma once

#include <string>

#include "knuckleboom/core/sim/simulation.hpp"

namespace knuckleboom::sim {

// First invalid value of a state of this machine and scenario: "machine.q[3] is nan; expected ...";
// empty if it is valid. Every field is finite and within its limits, places that the machine does not
// have are neutral, indices lead to what there is, and what follows from model and scenario agrees.
std::string check_state(const Simulation& simulation, const SimState& state);

// How many places of each kind the machine and its scenario use.
state::Counts counts_of(const Simulation& simulation);

}  // namespace knuckleboom::sim
