// Gains of a joint controller: docs/reference/machine_file.md.
#pragma once

#include "knuckleboom/core/control/pid.hpp"
#include "table_reader.hpp"

namespace knuckleboom::io {

// The rest of a controller's table. length: gains per m, else per rad.
control::PidGains read_gains(TableReader& reader, bool length);

}  // namespace knuckleboom::io
