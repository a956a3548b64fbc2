// The only door to the TOML parser.
#pragma once

#include <string_view>

#include "document.hpp"

namespace knuckleboom::io {

// Throws FileError at the first error of syntax.
Node parse_toml(std::string_view text, int file, const Report& report);

}  // namespace knuckleboom::io
