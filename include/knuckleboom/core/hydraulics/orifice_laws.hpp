// Laws of a spool and its edges over a type of number (math/lanes.hpp); whose they are: valve.hpp, spool.hpp.
#pragma once

#include "knuckleboom/core/math/lanes.hpp"

namespace knuckleboom::hydraulics {

// The four metering edges; a spool uses two at a time.
enum Edge { kPumpToA = 0, kBToTank = 1, kPumpToB = 2, kAToTank = 3 };

template <class T>
inline T polynomial_conductance(T scale, T c0, T c1, T c2, T opening) {
  return scale * (opening * (c0 + opening * (c1 + opening * c2)));
}
// C_R of a conductance.
template <class T>
inline T resistance_of(T g) {
  return 1.0 / (g * g);
}

// Relative opening of a spool.
template <class T>
inline T opening_of(T magnitude_V, T overlap_V, T full_V) {
  return clamped((magnitude_V - overlap_V) / (full_V - overlap_V), 0.0, 1.0);
}

// left: share of the distance to the command that a step leaves.
template <class T>
inline T moved_spool(T command_V, T spool_V, T left) {
  return command_V + (spool_V - command_V) * left;
}

}  // namespace knuckleboom::hydraulics
