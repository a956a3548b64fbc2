// The program with all its sub-commands.
#pragma once

#include "app/command_line/command.hpp"

namespace knuckleboom::app {

Command knuckleboom_program();

}  // namespace knuckleboom::app
