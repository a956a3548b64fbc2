// Gives a finished file its name, but never one that something has already.
#pragma once

#include <filesystem>
#include <string>

namespace knuckleboom::io {

// FILE.PID.tmp: the name of a file while this program makes it. made_name() takes it apart again: FILE, or
// nothing for a name of any other sort.
std::filesystem::path temporary_name(const std::filesystem::path& file);
std::string made_name(const std::filesystem::path& temporary);

// 0 or an error number; EEXIST: the name is taken, and what has it stays as it is.
int rename_new(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace knuckleboom::io
