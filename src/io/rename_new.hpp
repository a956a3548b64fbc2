// Gives a finished file its name, but never one that something has already.
#pragma once

#include <filesystem>

namespace knuckleboom::io {

// 0 or an error number; EEXIST: the name is taken, and what has it stays as it is.
int rename_new(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace knuckleboom::io
