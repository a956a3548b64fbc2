// Rest positions of joints without actuator. For set-up, not for ticks.
#pragma once

#include <cstdint>

#include "knuckleboom/core/machine/model.hpp"

namespace knuckleboom::machine {

// Moves the joints with free[i] true from q (start in, rest out) to a minimum of the potential
// energy of gravity and of the joints' stops, without payloads; the others are fixed. Returns -1,
// or the joint without a rest position. No heap. dependent: bit of each joint that depends on the
// others through loops; none of them may be free.
int find_rest(const MachineModel& model, const bool* free, double* q, std::int64_t dependent = 0);

// Forces on every joint that it takes to stand still at q: against weight, springs and stops, without payloads
// [N m, N]. out: joint_count() entries.
void holding_forces(const MachineModel& model, const double* q, double* out);

}  // namespace knuckleboom::machine
