// The header of a session as bytes, for journals.
#pragma once

#include <string>
#include <string_view>

#include "knuckleboom/io/session_file.hpp"

namespace knuckleboom::io {

std::string to_bytes(const SessionHeader& header);
// False: the bytes are no header.
bool from_bytes(std::string_view bytes, SessionHeader& header);

}  // namespace knuckleboom::io
