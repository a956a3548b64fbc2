// The second program: the hardware's side of a connection.
#pragma once

#include "app/command_line/command.hpp"

namespace knuckleboom::peer {

app::Command peer_program();

}  // namespace knuckleboom::peer
