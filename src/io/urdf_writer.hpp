// Writes what urdf_parser.hpp reads: each number with as many digits as tell it from all others.
#pragma once

#include <string>
#include <vector>

#include "urdf_parser.hpp"

namespace knuckleboom::io {

// In every <limit>: a URDF must have them, and this program does not know them.
inline constexpr double kEffort = 1e9, kVelocity = 1e3;

// comments: in the first lines.
std::string to_xml(const UrdfRobot& robot, const std::vector<std::string>& comments);

}  // namespace knuckleboom::io
