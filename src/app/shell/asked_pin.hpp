// A PIN from who sits at the terminal.
#pragma once

#include <string>

namespace knuckleboom::app {

// A line from the terminal, which does not show it, or from a pipe. Throws UserError if there is none.
std::string asked_pin(const std::string& question);

}  // namespace knuckleboom::app
