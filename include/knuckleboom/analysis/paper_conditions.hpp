// Whether the paper's reduced model is at home: an open valve may be a network of resistances only
// where its lines fill faster than the load rings on their oil. docs/theory/reduced_model.md
#pragma once

#include "knuckleboom/core/machine/model.hpp"
#include "knuckleboom/core/machine/state.hpp"

namespace knuckleboom::analysis {

// True if the lines of any open valve settle at a rate below 2 omega, omega being the load's
// frequency on their oil. The loops of a mechanism, which only raise omega, are not counted.
bool outside_paper_conditions(const machine::MachineModel& model,
                              const machine::MachineState& state);

}  // namespace knuckleboom::analysis
