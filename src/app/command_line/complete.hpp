// Completion of arguments in a shell, from the declaration of the commands.
#pragma once

#include <string>
#include <vector>

#include "app/command_line/command.hpp"

namespace knuckleboom::app {

// Candidates for the last of the words after the program's name, which may be empty. A line for each
// candidate, with a tab and a sentence behind it where there is one; and a last line that begins with a
// colon: ":files", ":files .toml" (such files, and folders), ":folders" or ":" alone.
std::string complete_words(const Command& program, const std::vector<std::string>& words);

// The shells that completion_script knows.
std::vector<std::string> completion_shells();
// A script that completes by asking the program itself, for each of the programs. Throws UserError for
// another shell.
std::string completion_script(const std::string& shell, const std::vector<std::string>& programs);

}  // namespace knuckleboom::app
