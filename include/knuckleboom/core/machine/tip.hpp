// Inverse kinematics of the tip, for any tree: damped Newton on the position from the last solution.
#pragma once

#include "knuckleboom/core/machine/model.hpp"

namespace knuckleboom::machine {

// Position of the tip in the world at joint positions q.
Vec3 tip_position(const MachineModel& model, const double* q);

// Moves q (start value in, solution out) until the tip stands at target_W. Joints with used[i] false
// stay. Joint limits are kept. Returns false, with q as near as it came, if the target is out of reach.
bool solve_tip(const MachineModel& model, const Vec3& target_W, const bool* used, double* q);

}  // namespace knuckleboom::machine
