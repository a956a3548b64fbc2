// Scripts that let a shell complete the program's arguments.
#pragma once

#include <string>
#include <vector>

namespace knuckleboom::app {

struct CommandWords {
  std::string name;
  std::string description;
  std::vector<std::string> options;  // long names, with "--"
};

// shell: bash, zsh or fish. Throws UserError for another.
std::string completion_script(const std::string& shell, const std::vector<CommandWords>& commands);

}  // namespace knuckleboom::app
