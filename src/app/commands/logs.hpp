// Parts of the commands that read tables of other programs.
#pragma once

#include <optional>
#include <string>

#include "knuckleboom/io/log_file.hpp"
#include "knuckleboom/io/machine_file.hpp"

namespace knuckleboom::app {

// The machine of --machine; nothing: the option is not given.
std::optional<io::MachineFile> named_machine(const std::string& name_or_file);

// The log map of --map with the DBC of --dbc, as far as they are given.
io::LogMap named_map(const std::string& map, const std::string& dbc);

}  // namespace knuckleboom::app
