// How a table of another program was understood, told to the user.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace knuckleboom::app {

void tell_notes(const std::filesystem::path& table, const std::vector<std::string>& notes);

}  // namespace knuckleboom::app
