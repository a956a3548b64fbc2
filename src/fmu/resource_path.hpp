// The folder of an FMU's resources, as importers say it.
#pragma once

#include <filesystem>

namespace knuckleboom::fmu {

// Takes a URI, "file:///tmp/a%20b/resources", or a plain path. Throws UserError for another kind of URI.
std::filesystem::path folder_of_uri(const char* uri);

}  // namespace knuckleboom::fmu
