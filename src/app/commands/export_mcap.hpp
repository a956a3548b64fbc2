// knuckleboom export mcap: a session or a table over time for Foxglove and PlotJuggler.
// docs/reference/telemetry.md
#pragma once

#include "app/command_line/command.hpp"

namespace knuckleboom::app {

Command export_mcap_command();

}  // namespace knuckleboom::app
