// Friction of an actuator or a joint: docs/reference/machine_file.md.
#pragma once

#include <string_view>

#include "knuckleboom/core/friction/parameters.hpp"
#include "table_reader.hpp"

namespace knuckleboom::io {

// Reads the friction table of the parent, if it has one, and its viscous friction, which stands there as
// `viscous` or in the parent under a key of its own (such as damping_N_s_per_m). Units as the parent's.
friction::FrictionModel read_friction(Report& report, TableReader& parent, const Key& table,
                                      const Key& beside, double& viscous);

}  // namespace knuckleboom::io
