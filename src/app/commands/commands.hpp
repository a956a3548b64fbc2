// The program with all its sub-commands.
#pragma once

#include "app/command_line/command.hpp"
#include "app/command_line/pages.hpp"

namespace knuckleboom::app {

Command knuckleboom_program();
// Tables of the reference besides those of sub-commands: keys of files, units, figures, channels, signals.
Tables reference_tables();

}  // namespace knuckleboom::app
