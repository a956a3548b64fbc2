// From the arguments of a process to what a declared command does.
#pragma once

#include <string>

#include "app/command_line/command.hpp"
#include "app/command_line/pages.hpp"

namespace knuckleboom::app {

// Parses and runs; says what the user should know of mistakes and failures. version: a line for
// --version. Returns the exit status of the process. Besides what is declared a program answers
//   complete-words WORD...  what may stand for the last of the words (complete.hpp)
//   man-page                its manual in the language of man (pages.hpp)
//   write-tables FILE...    writes the tables of these pages anew: its own and those of more
int run_command_line(const Command& program, const std::string& version, int argc, char** argv,
                     const Tables& more = {});

}  // namespace knuckleboom::app
