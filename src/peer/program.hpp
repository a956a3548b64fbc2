// The command line of knuckleboom-peer.
#pragma once

namespace knuckleboom::peer {

// Executes the arguments. Returns the exit status of the process.
int run_program(int argc, char** argv);

}  // namespace knuckleboom::peer
