// Files for their owner alone.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace knuckleboom::endpoint {

// Both throw EndpointError with a sentence. flags: of open(2); the file is on disk when this returns.
void write_secret(const std::filesystem::path& path, int flags, std::string_view text);
// At most 4096 bytes of it. absent, advice: texts with {0} for the path, for a file that is not there
// and for one that others can read or change; without advice such a file is read all the same.
std::string read_secret(const std::filesystem::path& path, const char* absent, const char* advice);

}  // namespace knuckleboom::endpoint
