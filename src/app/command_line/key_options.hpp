// The options of every command with a connection.
#pragma once

#include <string>
#include <vector>

#include "app/command_line/command.hpp"
#include "app/shell/wire_key.hpp"

namespace knuckleboom::app {

// needs: the option that makes the connection; empty: none.
std::vector<Argument> key_options(KeyChoice& choice, const std::string& needs);

}  // namespace knuckleboom::app
