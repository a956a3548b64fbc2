// Parts of the commands that read tables of other programs.
#pragma once

#include <optional>
#include <string>

#include "knuckleboom/io/machine_file.hpp"

namespace knuckleboom::app {

// The machine of --machine; nothing: the option is not given.
std::optional<io::MachineFile> named_machine(const std::string& name_or_file);

}  // namespace knuckleboom::app
