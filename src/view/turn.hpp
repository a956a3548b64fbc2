#pragma once

#include <numbers>

namespace knuckleboom::view {

inline constexpr double kTwoPi = 2.0 * std::numbers::pi;  // rad

}  // namespace knuckleboom::view
