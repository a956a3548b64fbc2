// The command line.
#pragma once

namespace knuckleboom::app {

// Does what the arguments say. Returns the exit status of the process.
int run_program(int argc, char** argv);

}  // namespace knuckleboom::app
