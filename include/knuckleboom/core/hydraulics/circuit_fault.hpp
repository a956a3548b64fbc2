// A circuit's faults, as a part of its state.
#pragma once

#include "knuckleboom/core/state/fields.hpp"

namespace knuckleboom::hydraulics {

// Faults of a circuit, added to its parameters. All zero: none.
struct CircuitFault {
  double compliance;        // share by which the capacitances of both lines are larger
  double leak_internal;     // added between the ports [m^3/(s Pa)]
  double leak_external[2];  // added, ports to tank
  double relief_Pa;         // opening pressure of the port relief if below its setting; 0: as set
};
constexpr auto state_fields(const CircuitFault* /*type*/) {
  using namespace knuckleboom::state;
  using S = CircuitFault;
  return state::fields_of<S>(KB_FIELD(compliance, kPositive), KB_FIELD(leak_internal, kShare),
                             KB_FIELD(leak_external, kShare), KB_FIELD(relief_Pa, kPressure));
}

}  // namespace knuckleboom::hydraulics
