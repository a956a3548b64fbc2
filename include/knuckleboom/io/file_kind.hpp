// Kind of a file from its text.
#pragma once

#include <string>
#include <string_view>

#include "knuckleboom/io/file_kinds.hpp"

namespace knuckleboom::io {

// Throws UserError if a file is surely of another kind than wanted.
void refuse_other_kind(const std::string& path, FileKind wanted);

// Enough of a file to determine its kind; other than regular files are refused by their reader
// later.
std::string beginning_of(const std::string& path);

}  // namespace knuckleboom::io
