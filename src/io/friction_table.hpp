// Friction of an actuator or a joint: docs/reference/machine_file.md.
#pragma once

#include <string_view>

#include "knuckleboom/core/friction/parameters.hpp"
#include "table_reader.hpp"

namespace knuckleboom::io {

// Reads the table "friction" of the parent, if it has one, and its viscous friction, which stands there as
// `viscous` or in the parent under a key of its own (such as damping_N_s_per_m). rotary: units of turning.
// viscous_needed: without a table the parent's key must be there.
friction::FrictionModel read_friction(Report& report, TableReader& parent, bool rotary,
                                      std::string_view viscous_key, bool viscous_needed,
                                      double& viscous);

}  // namespace knuckleboom::io
