// Where joints without actuator come to rest. For set-up, not for ticks.
#pragma once

#include <cstdint>

#include "knuckleboom/core/machine/model.hpp"

namespace knuckleboom::machine {

// Moves the joints with free[i] true from q (start in, rest out) to a minimum of the potential energy of
// gravity and of the joints' stops, payloads not included; the others stay. Returns -1, or the joint
// that finds no rest. No heap. dependent: bit of each joint that follows from the others by loops; none of
// them may be free.
int find_rest(const MachineModel& model, const bool* free, double* q, std::int64_t dependent = 0);

}  // namespace knuckleboom::machine
