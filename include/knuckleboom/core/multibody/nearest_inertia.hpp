// Inertias that miss by rounding what a rigid body can have.
#pragma once

#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom::multibody {

// The same principal axes, the moments raised until none is below zero or above the sum of the other two
// [kg m^2]; unchanged, but for rounding, if they keep that already. I: symmetric and finite.
Mat3 nearest_inertia(const Mat3& I);

}  // namespace knuckleboom::multibody
