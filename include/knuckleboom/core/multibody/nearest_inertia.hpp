// Repair of inertias that are unphysical only by rounding.
#pragma once

#include "knuckleboom/core/math/vector.hpp"

namespace knuckleboom::multibody {

// The same principal axes, the moments raised until none is below zero or above the sum of the
// other two [kg m^2]; unchanged, except for rounding, if this already holds. I: symmetric and
// finite.
Mat3 nearest_inertia(const Mat3& I);

}  // namespace knuckleboom::multibody
