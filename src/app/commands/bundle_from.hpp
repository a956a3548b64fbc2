// A new bundle from a session or a trace: its input, what is expected, and tolerances that are proposed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace knuckleboom::app {

// Writes the folder, which may not be there yet, completely or not at all. assignments: as after --set; they
// go into the bundle. Returns an ExitStatus. Throws UserError, io::FileError or std::invalid_argument.
int bundle_from(const std::filesystem::path& source, const std::filesystem::path& folder,
                const std::vector<std::string>& assignments);

}  // namespace knuckleboom::app
