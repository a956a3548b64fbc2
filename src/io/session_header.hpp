// The header of a session as bytes, for journals.
#pragma once

#include <string>
#include <string_view>

#include "knuckleboom/io/session_file.hpp"

namespace knuckleboom::io {

std::string to_bytes(const SessionHeader& header);
// Whether another version of the program has written them.
bool is_other_format(std::string_view bytes);
// False: the bytes are no header.
bool from_bytes(std::string_view bytes, SessionHeader& header);

}  // namespace knuckleboom::io
