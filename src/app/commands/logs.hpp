// Parts of the commands that read tables of other programs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "knuckleboom/io/machine_file.hpp"

namespace knuckleboom::app {

// The machine of --machine; nothing: the option is not given.
std::optional<io::MachineFile> named_machine(const std::string& name_or_file);

// Tells how a table was understood.
void tell_notes(const std::filesystem::path& table, const std::vector<std::string>& notes);

}  // namespace knuckleboom::app
